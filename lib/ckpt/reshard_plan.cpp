// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/reshard_plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "lib/base/error.h"
#include "lib/ckpt/placement.h"
#include "lib/ckpt/save_plan.h"

namespace longhaul::ckpt {
namespace {

struct LayoutKey {
    std::string_view name;
    int64_t Layout::*field;
    int64_t lowest;
    int64_t highest;
};
constexpr int64_t kHighest = 100'000;
constexpr int64_t kMostRanks = 1'000'000;
constexpr size_t kMostFiles = 4096;  // one container for each rank; all are open at once

constexpr std::array<LayoutKey, 7> kLayoutKeys{
    {{"tp", &Layout::tp, 1, kHighest},
     {"pp", &Layout::pp, 1, kHighest},
     {"cp", &Layout::cp, 1, kHighest},
     {"ep", &Layout::ep, 1, kHighest},
     {"dp_replicate", &Layout::dp_replicate, 1, kHighest},
     {"dp_shard", &Layout::dp_shard, 1, kHighest},
     {"zero", &Layout::zero, 0, 3}}};

void set_layout_part(Layout& layout, std::string_view part) {
    const size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    for (const LayoutKey& key : kLayoutKeys) {
        if (key.name != name || equals == std::string_view::npos) continue;
        int64_t value = 0;
        const char* end = part.data() + part.size();
        const auto [stop, error] = std::from_chars(part.data() + equals + 1, end, value);
        if (error != std::errc() || stop != end || value < key.lowest || value > key.highest) {
            throw UsageError(format("layout '{}': a whole number from {} to {} is expected", part,
                                    key.lowest, key.highest));
        }
        layout.*key.field = value;
        return;
    }
    throw UsageError(
        format("layout '{}': expected KEY=N with KEY one of tp, pp, cp, ep, "
               "dp_replicate, dp_shard, zero",
               part));
}

/// Every factor is at most kHighest, so no product here leaves 64 bits.
void check_ranks(const Layout& layout) {
    int64_t ranks = 1;
    for (const int64_t factor :
         {layout.tp, layout.pp, layout.cp, layout.dp_replicate, layout.dp_shard}) {
        ranks *= factor;
        if (ranks > kMostRanks) {
            throw UsageError(
                format("layout {}: more than {} ranks", layout_text(layout), kMostRanks));
        }
    }
}

/// Rank numbers of a layout, TP innermost, PP outermost (DESIGN section 4); replicas write nothing.
int64_t rank_of(const Layout& layout, int64_t stage, int64_t shard, int64_t tp_index) {
    const int64_t outer = stage * layout.dp_replicate * layout.dp_shard + shard;
    return outer * layout.cp * layout.tp + tp_index;
}

/// Shares target slices out to files, with the least loaded writer where there is a choice.
class Planner {
 public:
    Planner(const Manifest& source, const TargetOptions& options)
        : options_(options), model_(model_shape(source.header.hf_config_json)) {
        plan_.tensors = source.tensors;
        for (TensorEntry& tensor : plan_.tensors) {
            if (options.master_dtype && tensor.kind == Kind::kMaster) {
                tensor.dtype = *options.master_dtype;
            }
        }
    }

    ReshardPlan run() {
        for (uint32_t t = 0; t < plan_.tensors.size(); ++t) cut_tensor(t);
        std::stable_sort(plan_.slices.begin(), plan_.slices.end(), before);
        number_files();
        return std::move(plan_);
    }

 private:
    static bool before(const TargetSlice& a, const TargetSlice& b) {
        return std::tie(a.tensor, a.slice) < std::tie(b.tensor, b.slice);
    }

    void cut_tensor(uint32_t t) {
        const TensorEntry& tensor = plan_.tensors[t];
        if (tensor::num_elements(tensor.shape) == 0) return;
        const Layout& to = options_.layout;
        const Placement placement = placement_of(tensor.name, model_);
        const int64_t stage = stage_of(tensor.name, model_, to.pp);
        for (int64_t tp_index = 0; tp_index < to.tp; ++tp_index) {
            for (const tensor::Box& box : tp_boxes(tensor.shape, placement, to.tp, tp_index)) {
                cut_box(t, box, stage, tp_index);
            }
        }
    }

    void cut_box(uint32_t t, const tensor::Box& box, int64_t stage, int64_t tp_index) {
        const Layout& to = options_.layout;
        if (to.zero == 0) {
            add(t, tensor::Slice::whole(box), least_loaded(stage, tp_index));
            return;
        }
        const int64_t total = box.num_elements();
        for (int64_t shard = 0; shard < to.dp_shard; ++shard) {
            const tensor::Range range = tensor::split_evenly(total, to.dp_shard, shard);
            if (range.count == 0) continue;
            add(t, {box, range.first, range.count}, rank_of(to, stage, shard, tp_index));
        }
    }

    int64_t least_loaded(int64_t stage, int64_t tp_index) {
        int64_t best = rank_of(options_.layout, stage, 0, tp_index);
        for (int64_t shard = 1; shard < options_.layout.dp_shard; ++shard) {
            if (load_of(best) == 0) break;
            const int64_t rank = rank_of(options_.layout, stage, shard, tp_index);
            if (load_of(rank) < load_of(best)) best = rank;
        }
        return best;
    }

    uint64_t load_of(int64_t rank) const {
        const auto found = load_.find(rank);
        return found == load_.end() ? 0 : found->second;
    }

    void add(uint32_t t, const tensor::Slice& slice, int64_t rank) {
        const tensor::DType dtype = plan_.tensors[t].dtype;
        for (const tensor::Slice& piece : cut_slice(slice, dtype, options_.max_slice_bytes)) {
            plan_.slices.push_back({t, piece, static_cast<uint32_t>(rank), 0});
        }
        load_[rank] += static_cast<uint64_t>(slice.count) * tensor::size_of(dtype);
        if (load_.size() > kMostFiles) {
            throw UsageError(format("layout {}: more than {} files would be written",
                                    layout_text(options_.layout), kMostFiles));
        }
    }

    /// Until here TargetSlice::file is a rank; ranks that hold nothing get no file.
    void number_files() {
        std::map<uint32_t, uint32_t> number_of_rank;
        for (const auto& [rank, bytes] : load_) {
            if (bytes == 0) continue;
            number_of_rank[static_cast<uint32_t>(rank)] = static_cast<uint32_t>(plan_.files.size());
            plan_.files.push_back({container_name(rank), {}});
        }
        for (TargetSlice& target : plan_.slices) {
            target.file = number_of_rank[target.file];
            auto& pieces = plan_.files[target.file].pieces;
            target.piece = static_cast<uint32_t>(pieces.size());
            const TensorEntry& tensor = plan_.tensors[target.tensor];
            pieces.push_back({tensor.name, tensor.kind, tensor.dtype, target.slice.count});
        }
    }

    const TargetOptions& options_;
    ModelShape model_;
    ReshardPlan plan_;
    std::map<int64_t, uint64_t> load_;  // bytes by rank
};

}  // namespace

Layout parse_layout(std::string_view text) {
    if (text.empty()) throw UsageError("layout '': expected a list such as tp=2,pp=2,zero=1");
    Layout layout;
    std::set<std::string_view> seen;
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        const std::string_view part = text.substr(0, comma);
        set_layout_part(layout, part);
        const std::string_view key = part.substr(0, part.find('='));
        if (!seen.insert(key).second) {
            throw UsageError(format("layout: {} is given twice", key));
        }
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    check_ranks(layout);
    return layout;
}

std::string layout_text(const Layout& layout) {
    std::string text;
    for (const LayoutKey& key : kLayoutKeys) {
        if (layout.*key.field == key.lowest) continue;
        text += format("{}{}={}", text.empty() ? "" : ",", key.name, layout.*key.field);
    }
    return text.empty() ? "one rank" : text;
}

ReshardPlan plan_reshard(const Manifest& source, const TargetOptions& options) {
    return Planner(source, options).run();
}

PlanCost plan_cost(const Checkpoint& source, const ReshardPlan& plan) {
    PlanCost cost;
    for (const TargetSlice& target : plan.slices) {
        cost.payload_bytes += static_cast<uint64_t>(target.slice.count) *
                              tensor::size_of(plan.tensors[target.tensor].dtype);
        for (const uint32_t number : source.overlapping(target.tensor, target.slice)) {
            const SliceEntry& stored = source.manifest().slices[number];
            if (tensor::num_common(stored.slice, target.slice) == 0) continue;
            ++cost.pieces;
            cost.read_bytes += slice_bytes(source.manifest(), stored);
        }
    }
    return cost;
}

}  // namespace longhaul::ckpt

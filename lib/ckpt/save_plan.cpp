// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/save_plan.h"

#include <algorithm>
#include <map>

#include "lib/base/error.h"
#include "lib/ckpt/slice_index.h"

namespace longhaul::ckpt {
namespace {

struct Holder {
    uint32_t rank = 0;
    uint32_t number = 0;  // of the offer on that rank
};
using TensorKey = std::pair<std::string, Kind>;
using Holders = std::map<tensor::Slice, std::vector<Holder>>;

void check_same_tensor(const Offer& first, const Offer& other, uint32_t rank) {
    if (first.dtype != other.dtype || first.shape != other.shape) {
        throw DataError(format("tensor {} ({}): rank {} has another type or shape than the first",
                               first.tensor, name_of(first.kind), rank));
    }
}

void check_inside(const Offer& offer, uint32_t rank) {
    const tensor::Box& box = offer.slice.box;
    bool fits = box.offset.size() == offer.shape.size() && box.extent.size() == offer.shape.size();
    for (size_t d = 0; fits && d < offer.shape.size(); ++d) {
        fits = box.offset[d] >= 0 && box.extent[d] > 0 &&
               box.extent[d] <= offer.shape[d] - box.offset[d];
    }
    fits = fits && offer.slice.first >= 0 &&
           offer.slice.first + offer.slice.count <= box.num_elements();
    if (!fits) {
        throw DataError(format("tensor {} ({}): slice of rank {} outside of the tensor",
                               offer.tensor, name_of(offer.kind), rank));
    }
}

void check_replicas(const std::vector<std::vector<Offer>>& offers,
                    const std::vector<Holder>& holders) {
    const Offer& first = offers[holders[0].rank][holders[0].number];
    for (const Holder& holder : holders) {
        if (offers[holder.rank][holder.number].fingerprint == first.fingerprint) continue;
        throw DataError(format(
            "tensor {} ({}): the replicas on rank {} and rank {} differ: one of them was corrupted "
            "or missed an update; resume from an older checkpoint and check both nodes",
            first.tensor, name_of(first.kind), holders[0].rank, holder.rank));
    }
}

std::map<TensorKey, Holders> group(const std::vector<std::vector<Offer>>& offers) {
    std::map<TensorKey, Holders> tensors;
    std::map<TensorKey, const Offer*> first_of;
    for (uint32_t rank = 0; rank < offers.size(); ++rank) {
        for (uint32_t i = 0; i < offers[rank].size(); ++i) {
            const Offer& offer = offers[rank][i];
            const TensorKey key{offer.tensor, offer.kind};
            const auto [first, is_new] = first_of.try_emplace(key, &offer);
            check_same_tensor(*first->second, offer, rank);
            if (offer.slice.count == 0) {
                tensors[key];
                continue;
            }
            check_inside(offer, rank);
            tensors[key][offer.slice].push_back({rank, i});
        }
    }
    return tensors;
}

const Offer& any_offer(const std::vector<std::vector<Offer>>& offers, const Holders& holders,
                       const TensorKey& key) {
    if (holders.empty()) {
        throw DataError(format("tensor {} ({}): every rank offers an empty slice", key.first,
                               name_of(key.second)));
    }
    const Holder& holder = holders.begin()->second[0];
    return offers[holder.rank][holder.number];
}

}  // namespace

SavePlan plan_save(const std::vector<std::vector<Offer>>& offers) {
    SavePlan plan;
    plan.writes.resize(offers.size());
    std::vector<uint64_t> load(offers.size());
    for (const auto& [key, holders] : group(offers)) {
        const Offer& any = any_offer(offers, holders, key);
        TensorEntry entry{any.tensor, any.kind, any.dtype, any.shape, {}};
        std::vector<tensor::Slice> slices;
        for (const auto& [slice, candidates] : holders) {
            check_replicas(offers, candidates);
            const Holder& writer = *std::min_element(
                candidates.begin(), candidates.end(),
                [&](const Holder& a, const Holder& b) { return load[a.rank] < load[b.rank]; });
            plan.writes[writer.rank].push_back(writer.number);
            load[writer.rank] += static_cast<uint64_t>(slice.count) * tensor::size_of(any.dtype);
            entry.fingerprint += offers[writer.rank][writer.number].fingerprint;
            slices.push_back(slice);
        }
        check_cover(format("{} ({})", any.tensor, name_of(any.kind)), any.shape,
                    SliceIndex(slices));
        plan.tensors.push_back(std::move(entry));
    }
    for (auto& numbers : plan.writes) std::sort(numbers.begin(), numbers.end());
    return plan;
}

std::vector<tensor::Slice> cut_slice(const tensor::Slice& slice, tensor::DType dtype,
                                     uint64_t max_bytes) {
    const auto most =
        static_cast<int64_t>(std::max<uint64_t>(1, max_bytes / tensor::size_of(dtype)));
    const int64_t parts = (slice.count + most - 1) / most;
    std::vector<tensor::Slice> pieces;
    for (int64_t i = 0; i < parts; ++i) {
        const tensor::Range range = tensor::split_evenly(slice.count, parts, i);
        pieces.push_back({slice.box, slice.first + range.first, range.count});
    }
    return pieces;
}

}  // namespace longhaul::ckpt

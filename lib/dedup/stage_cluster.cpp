// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/dedup/cluster.h"
#include "lib/dedup/cluster_meta.h"
#include "lib/dedup/membership_merge.h"
#include "lib/dedup/stage_units.h"

namespace longhaul::dedup {

namespace {

/// The shingle sets of a unit's candidates, one after the other.
class SetReader {
 public:
    SetReader(const StageReader& file)
        : file_(&file), rows_(file, ShingleSections::kRows), sets_(file, ShingleSections::kSets) {}

    std::span<const uint64_t> read(uint64_t id) {
        SetRow row;
        const bool is_it = rows_.next(row) && row.id == id && row.begin == num_read_ &&
                           row.count <= sets_.num_rows() - num_read_;
        if (!is_it) {
            file_->refuse(format("it lacks the shingles of document {}", id));
        }
        set_.resize(row.count);
        for (uint64_t& shingle : set_) {
            if (!sets_.next(shingle)) file_->refuse("its shingles are cut");
        }
        num_read_ += row.count;
        return set_;
    }
    /// Checks the hashes of what was read.
    void finish() {
        SetRow row;
        uint64_t shingle = 0;
        if (rows_.next(row) || sets_.next(shingle)) file_->refuse("it holds too many documents");
    }

 private:
    const StageReader* file_;
    RecordReader<SetRow> rows_;
    RecordReader<uint64_t> sets_;
    uint64_t num_read_ = 0;
    std::vector<uint64_t> set_;
};

/// --transitive: joins the members of every group.
void join_groups(MembershipMerge& merge, uint64_t num_units, Components& components) {
    std::vector<uint64_t> first_members(merge.counts().num_groups, kMaxId);
    Candidate candidate;
    for (uint64_t unit = 0; unit < num_units; ++unit) {
        merge.open_unit(unit);
        while (merge.next(candidate)) {
            for (const Packed48 packed : candidate.groups) {
                uint64_t& first = first_members[packed.value() >> 1];
                if (first == kMaxId) first = candidate.id;
                components.join(first, candidate.id);
            }
        }
    }
}

/// Feeds the Clusterer in input order and writes what it decides.
class Decider {
 public:
    Decider(const UnitContext& context, const Documents& documents)
        : context_(context),
          documents_(documents),
          exact_(context.work.read(Stage::kExact, 0)),
          has_copies_(read_id_set(exact_, ExactSections::kHasCopies, documents.num_ids)),
          fates_(exact_, ExactSections::kFates),
          merge_(context.work, documents, context.memory.sort_bytes / 8),
          file_(context.work.write(Stage::kCluster, 0,
                                   ClusterSections::kDecisions + documents.units.size(),
                                   context.memory.sort_bytes / 8)) {
        check_memory();
        if (context.options.parameters.is_transitive) {
            components_ = std::make_unique<Components>(documents.num_ids);
            join_groups(merge_, documents.units.size(), *components_);
        }
        clusterer_ =
            std::make_unique<Clusterer>(context.options.parameters, context.options.max_candidates,
                                        has_copies_, merge_.counts().num_groups, context.area,
                                        context.memory.store_bytes, components_.get());
        advance_fate();
    }

    void run() {
        for (uint64_t unit = 0; unit < documents_.units.size(); ++unit) decide_unit(unit);
        if (fate_) exact_.refuse(format("document {}", fate_->id));
        file_->add_text(kMetaSection, to_text({clusterer_->counts(), merge_.counts()}), 0);
        file_->commit();
    }

 private:
    /// 8 bytes a group stay in memory, and a bit a line.
    void check_memory() const {
        const uint64_t needed = merge_.counts().num_groups * sizeof(uint64_t);
        if (needed <= context_.memory.sort_bytes) return;
        throw UsageError(format("--memory {}: {} groups of candidates need {} more",
                                human_bytes(context_.options.memory_bytes),
                                merge_.counts().num_groups,
                                human_bytes((needed - context_.memory.sort_bytes) / 3 * 8)));
    }

    void decide_unit(uint64_t unit) {
        const UnitSpan& span = documents_.units[unit];
        const StageReader shingles = context_.work.read(Stage::kShingles, unit);
        SetReader sets(shingles);
        merge_.open_unit(unit);
        for (Candidate candidate; merge_.next(candidate);) {
            take_fates(unit, candidate.id);
            write(unit, clusterer_->decide_candidate(candidate.id, candidate.groups,
                                                     sets.read(candidate.id)));
        }
        sets.finish();
        take_fates(unit, span.first_id + span.num_lines);
    }

    void take_fates(uint64_t unit, uint64_t end) {
        for (; fate_ && fate_->id < end; advance_fate()) {
            Decision decision = decision_of(*fate_);
            if (decision.verdict == Verdict::kExact) {
                decision = clusterer_->decide_copy(decision.id, decision.match);
            }
            write(unit, decision);
        }
    }

    void advance_fate() {
        FateRow row;
        const bool has_row = fates_.next(row);
        fate_ = has_row ? std::optional<Fate>({row.id, row.kept}) : std::nullopt;
    }

    void write(uint64_t unit, const Decision& decision) {
        if (decision.verdict == Verdict::kKept) return;
        file_->add(ClusterSections::kDecisions + unit,
                   DecisionRow{decision.id, decision.match, decision.jaccard,
                               static_cast<uint64_t>(decision.verdict)});
    }

    const UnitContext& context_;
    const Documents& documents_;
    StageReader exact_;
    IdSet has_copies_;
    RecordReader<FateRow> fates_;
    std::optional<Fate> fate_;
    MembershipMerge merge_;
    std::unique_ptr<StageWriter> file_;
    std::unique_ptr<Components> components_;
    std::unique_ptr<Clusterer> clusterer_;
};

}  // namespace

void cluster_unit(const UnitContext& context, uint64_t) {
    const Documents documents = read_documents(context.work);
    Decider(context, documents).run();
}

}  // namespace longhaul::dedup

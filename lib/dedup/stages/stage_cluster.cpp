// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/dedup/cluster.h"
#include "lib/dedup/external_sort.h"
#include "lib/dedup/stages/cluster_meta.h"
#include "lib/dedup/stages/membership_merge.h"
#include "lib/dedup/stages/stage_units.h"
#include "lib/dedup/stages/staged_order.h"

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

/// What every order of feeding the Clusterer needs.
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
                                        &has_copies_, merge_.counts().num_groups, context.area,
                                        context.memory.store_bytes, components_.get());
        advance_fate();
    }

    void run() {
        if (context_.options.keep.is_input_order()) {
            decide_in_input_order();
        } else {
            decide_by_rule();
        }
        if (fate_) exact_.refuse(format("document {}", fate_->id));
        file_->add_text(kMetaSection, to_text({clusterer_->counts(), merge_.counts()}), 0);
        file_->commit();
    }

 private:
    /// 8 bytes a group stay in memory, 12 under a keep rule.
    void check_memory() const {
        const uint64_t bytes = context_.options.keep.is_input_order() ? 8 : 12;
        const uint64_t needed = merge_.counts().num_groups * bytes;
        if (needed <= context_.memory.sort_bytes) return;
        throw UsageError(format("--memory {}: {} groups of candidates need {} more",
                                human_bytes(context_.options.memory_bytes),
                                merge_.counts().num_groups,
                                human_bytes((needed - context_.memory.sort_bytes) / 3 * 8)));
    }

    void decide_in_input_order() {
        for (size_t unit = 0; unit < documents_.units.size(); ++unit) {
            const UnitSpan& span = documents_.units[unit];
            const StageReader shingles = context_.work.read(Stage::kShingles, unit);
            SetReader sets(shingles);
            merge_.open_unit(unit);
            for (Candidate candidate; merge_.next(candidate);) {
                take_fates(candidate.id, [&](const Decision& copy) { write(unit, copy); });
                write(unit, decide(candidate, sets.read(candidate.id)));
            }
            sets.finish();
            take_fates(span.first_id + span.num_lines,
                       [&](const Decision& copy) { write(unit, copy); });
        }
    }

    /// Decisions come in the order of the rule and are sorted by document.
    void decide_by_rule() {
        ExternalSorter<DecisionRow> decisions(context_.area, context_.memory.sort_bytes / 8);
        const auto add = [&](const Decision& decision) {
            if (decision.verdict != Verdict::kKept) decisions.add(row_of(decision));
        };
        StagedOrder order(context_, documents_, merge_);
        for (Candidate candidate; order.next(candidate);) add(decide(candidate, order.set()));
        take_fates(documents_.num_ids, add);
        decisions.finish();
        size_t unit = 0;
        for (DecisionRow row; decisions.next(row);) {
            while (row.id >= documents_.units[unit].first_id + documents_.units[unit].num_lines) {
                ++unit;
            }
            row.id -= documents_.units[unit].first_id;
            file_->add(ClusterSections::kDecisions + unit, row);
        }
    }

    Decision decide(const Candidate& candidate, std::span<const uint64_t> set) {
        if (candidate.id >= documents_.first_new) {
            return clusterer_->decide_candidate(candidate.id, candidate.groups, set);
        }
        clusterer_->keep_index_document(candidate.id, candidate.groups, set);
        return {candidate.id, Verdict::kKept, 0, 0};
    }

    /// Gives copies and bad records below `end`.
    template <class Take>
    void take_fates(uint64_t end, Take take) {
        for (; fate_ && fate_->id < end; advance_fate()) {
            const Decision known = decision_of(*fate_);
            take(known.verdict == Verdict::kExact ? clusterer_->decide_copy(known.id, known.match)
                                                  : known);
        }
    }

    void advance_fate() {
        FateRow row;
        const bool has_row = fates_.next(row);
        fate_ = has_row ? std::optional<Fate>({row.id, row.kept}) : std::nullopt;
    }

    static DecisionRow row_of(const Decision& decision) {
        return {decision.id, decision.match, decision.jaccard,
                static_cast<uint64_t>(decision.verdict)};
    }

    void write(size_t unit, const Decision& decision) {
        if (decision.verdict == Verdict::kKept) return;
        DecisionRow row = row_of(decision);
        row.id -= documents_.units[unit].first_id;
        file_->add(ClusterSections::kDecisions + unit, row);
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

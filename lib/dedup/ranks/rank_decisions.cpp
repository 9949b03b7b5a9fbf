// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/ranks/rank_decisions.h"

#include <memory>
#include <unordered_map>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/dedup/ranks/record_exchange.h"
#include "lib/dedup/rule_order.h"

namespace longhaul::dedup {

namespace {

DecisionRow row_of(const Decision& decision) {
    return {decision.id, decision.match, decision.jaccard, static_cast<uint64_t>(decision.verdict)};
}

std::vector<int64_t> words_of_ranks(comm::Comm& comm, const CandidateWriter& candidates) {
    std::vector<int64_t> words(static_cast<size_t>(comm.size()));
    words[static_cast<size_t>(comm.rank())] = static_cast<int64_t>(candidates.num_words());
    comm.all_reduce({words.data(), comm.size(), tensor::DType::kI64}, comm::Op::kSum,
                    {-1, -1, "sizes of candidates"});
    return words;
}

/// Rank 0: feeds the Clusterer.
class Decider {
 public:
    Decider(const RankContext& context, RankGroups& groups, const CandidateWriter& own,
            const std::vector<int64_t>& words)
        : context_(context),
          own_(own),
          words_(words),
          num_groups_(groups.counts.num_groups),
          clusterer_(context.options.parameters, context.options.max_candidates, nullptr,
                     num_groups_, context.area, context.memory.store_bytes,
                     groups.components.get()),
          decisions_(context.area, context.memory.sort_bytes / 8) {}

    void run() {
        if (context_.options.keep.is_input_order()) {
            decide_in_input_order();
        } else {
            decide_by_rule();
        }
    }
    const ClusterCounts& counts() const { return clusterer_.counts(); }
    Spool<DecisionRow>& decisions() { return decisions_; }

 private:
    template <class Take>
    void for_each_candidate(Take take) {
        StreamedCandidate candidate;
        for (int rank = 0; rank < context_.comm.size(); ++rank) {
            const auto num_words = static_cast<uint64_t>(words_[static_cast<size_t>(rank)]);
            CandidateReader reader = rank == 0
                                         ? CandidateReader::of(own_)
                                         : CandidateReader::of(context_.comm, rank, num_words);
            while (reader.next(candidate)) take(candidate);
        }
    }

    void decide(const Candidate& candidate, std::span<const uint64_t> set) {
        const Decision decision = clusterer_.decide_candidate(candidate.id, candidate.groups, set);
        if (decision.verdict != Verdict::kKept) decisions_.add(row_of(decision));
    }

    void decide_in_input_order() {
        for_each_candidate([&](const StreamedCandidate& candidate) {
            decide(candidate.candidate, candidate.set);
        });
    }

    /// All sets wait in the temporary folder until their turn.
    void decide_by_rule() {
        SpillFile sets(context_.area);
        RuleOrder order(context_.memory, context_.area, num_groups_,
                        [&](const SetRow& row, std::vector<uint64_t>& shingles) {
                            shingles.resize(row.count);
                            sets.read(std::as_writable_bytes(std::span(shingles)),
                                      row.begin * sizeof(uint64_t));
                        });
        for_each_candidate([&](const StreamedCandidate& candidate) {
            const std::span<const uint64_t> set = candidate.set;
            const uint64_t begin = sets.append(std::as_bytes(set)) / sizeof(uint64_t);
            order.add(candidate.order, {candidate.candidate.id, begin, set.size(), 0},
                      candidate.candidate.groups);
        });
        order.finish();
        for (Candidate candidate; order.next(candidate);) decide(candidate, order.set());
    }

    const RankContext& context_;
    const CandidateWriter& own_;
    const std::vector<int64_t>& words_;
    uint64_t num_groups_;
    Clusterer clusterer_;
    Spool<DecisionRow> decisions_;
};

/// 8 bytes a group stay in the memory of rank 0 while it decides, 12 under a keep rule.
void check_group_memory(const RankContext& context, uint64_t num_groups) {
    const uint64_t needed = num_groups * (context.options.keep.is_input_order() ? 8 : 12);
    std::string problem;
    if (context.is_first() && needed > context.memory.sort_bytes) {
        problem = format("--memory {}: {} groups of candidates need {} more",
                         human_bytes(context.options.memory_bytes), num_groups,
                         human_bytes((needed - context.memory.sort_bytes) / 3 * 8));
    }
    comm::agree(context.comm, problem, ExitCode::kUsage);
}

class DecisionSpreader {
 public:
    DecisionSpreader(const RankContext& context, const RankDocuments& documents, RankGroups& groups)
        : context_(context),
          documents_(documents),
          groups_(groups),
          exchange_bytes_(context.memory.sort_bytes / 8),
          rows_(context.area, context.memory.sort_bytes / 4) {}

    /// Gives every rank the decisions on its candidates.
    void spread(Spool<DecisionRow>* decisions) {
        exchange(
            "decisions",
            [&](DecisionRow& row) { return decisions != nullptr && decisions->next(row); },
            [&](const DecisionRow& row) {
                rows_.add(row);
                if (groups_.has_copies.contains(row.id - documents_.first_own())) {
                    gone_.emplace(row.id, row);
                }
            });
    }
    /// Copies go for the document that stays instead of the first of them.
    void spread_copies() {
        exchange(
            "copies that go",
            [&](DecisionRow& row) {
                Fate copy;
                if (!groups_.copies.next(copy)) return false;
                row = {copy.id, copy.kept, 1, static_cast<uint64_t>(Verdict::kExact)};
                const auto gone = gone_.find(copy.kept);
                if (gone == gone_.end()) return true;
                // The first one has gone itself; its copy has the same shingles.
                row.match = gone->second.match;
                row.jaccard = gone->second.jaccard;
                return true;
            },
            [&](const DecisionRow& row) { rows_.add(row); });
        groups_.copies.clear();
    }
    ExternalSorter<DecisionRow> finish(Spool<Fate>& bad) {
        for (Fate fate; bad.next(fate);) {
            fate.id += documents_.first_own();
            rows_.add(row_of(decision_of(fate)));
        }
        rows_.finish();
        return std::move(rows_);
    }

 private:
    template <class Give, class Take>
    void exchange(const char* what, Give give, Take take) {
        exchange_records<DecisionRow>(
            context_.comm, exchange_bytes_, what,
            [&](DecisionRow& row, int& to) {
                if (!give(row)) return false;
                to = documents_.owner_of(row.id);
                return true;
            },
            [&](int, const DecisionRow& row) { take(row); });
    }

    const RankContext& context_;
    const RankDocuments& documents_;
    RankGroups& groups_;
    uint64_t exchange_bytes_;
    ExternalSorter<DecisionRow> rows_;
    std::unordered_map<uint64_t, DecisionRow> gone_;  // documents of this rank with copies
};

}  // namespace

RankDecisions decide_over_ranks(const RankContext& context, const RankDocuments& documents,
                                RankGroups& groups, const CandidateWriter& candidates,
                                Spool<Fate>& bad) {
    check_group_memory(context, groups.counts.num_groups);
    const std::vector<int64_t> words = words_of_ranks(context.comm, candidates);
    std::unique_ptr<Decider> decider;
    if (context.is_first()) {
        decider = std::make_unique<Decider>(context, groups, candidates, words);
        decider->run();
    } else {
        candidates.send(context.comm, 0);
    }
    DecisionSpreader spreader(context, documents, groups);
    spreader.spread(decider ? &decider->decisions() : nullptr);
    ClusterCounts counts;
    if (decider) counts = decider->counts();
    decider.reset();
    counts.num_exact = groups.num_copies;
    spreader.spread_copies();
    return {spreader.finish(bad), counts};
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/dedup/ranks/rank_decisions.h"
#include "lib/dedup/second_reading.h"

namespace longhaul::dedup {

namespace {

class CandidateCollector {
 public:
    CandidateCollector(const RankContext& context, const RankDocuments& documents,
                       RankGroups& groups, Spool<OrderRow>& orders)
        : context_(context),
          documents_(documents),
          memberships_(groups.memberships),
          orders_(orders),
          writer_(context.area) {
        std::vector<Input> inputs;
        for (size_t i = 0; i < groups.has_candidates.size(); ++i) {
            if (!groups.has_candidates[i]) continue;
            numbers_.push_back(documents.share.begin + i);
            inputs.push_back(context.inputs[numbers_.back()]);
        }
        inputs_.emplace(std::move(inputs));
        advance();
    }

    CandidateWriter run(const std::function<void(uint64_t)>& on_bytes) {
        // Annotations are looked for when the output is written.
        Options options = context_.options;
        options.annotate.clear();
        read_again({*inputs_, options, context_.memory, [&](MarkedBatch& item) { attach(item); },
                    [&](MarkedBatch& item) { take(item); }, on_bytes});
        writer_.finish();
        return std::move(writer_);
    }

 private:
    const Source& source_of(const Batch& batch) const {
        return documents_.sources[numbers_[batch.input]];
    }
    [[noreturn]] void refuse_changed(size_t input) const {
        throw DataError(format("{} has changed since it was read first", (*inputs_)[input].name));
    }

    void attach(MarkedBatch& item) {
        const uint64_t first = source_of(item.batch).first_id + item.batch.first_row;
        const uint64_t end = first + item.batch.lines.size();
        while (membership_ && membership_->id.value() < end) {
            Mark mark;
            const uint64_t id = membership_->id.value();
            if (id < first) refuse_changed(item.batch.input);
            mark.line = id - first;
            mark.is_candidate = true;
            mark.decision.id = id;
            for (; membership_ && membership_->id.value() == id; advance()) {
                mark.groups.push_back(membership_->group);
            }
            item.marks.push_back(std::move(mark));
        }
    }

    void take(MarkedBatch& item) {
        const Batch& batch = item.batch;
        for (Mark& mark : item.marks) {
            StreamedCandidate candidate{{mark.decision.id, std::move(mark.groups)},
                                        order_of(mark.decision.id),
                                        std::move(mark.set)};
            writer_.add(candidate);
        }
        const Source& source = source_of(batch);
        const bool has_changed =
            batch.ends_input && (batch.stored_hash != source.stored_hash ||
                                 batch.first_row + batch.lines.size() != source.num_lines);
        if (has_changed) refuse_changed(batch.input);
    }

    OrderKey order_of(uint64_t id) {
        if (context_.options.keep.is_input_order()) return {};
        OrderRow row;
        while (orders_.next(row)) {
            if (documents_.first_own() + row.id == id) return row.order;
        }
        throw DataError(format("document {} has no place in the order of --keep", id));
    }

    void advance() {
        Membership membership;
        membership_ =
            memberships_.next(membership) ? std::optional<Membership>(membership) : std::nullopt;
    }

    const RankContext& context_;
    const RankDocuments& documents_;
    ExternalSorter<Membership>& memberships_;
    std::optional<Membership> membership_;
    Spool<OrderRow>& orders_;
    std::vector<size_t> numbers_;  // of the inputs that are read
    std::optional<Inputs> inputs_;
    CandidateWriter writer_;
};

}  // namespace

CandidateWriter read_candidates(const RankContext& context, const RankDocuments& documents,
                                RankGroups& groups, Spool<OrderRow>& orders,
                                const std::function<void(uint64_t)>& on_bytes) {
    return CandidateCollector(context, documents, groups, orders).run(on_bytes);
}

}  // namespace longhaul::dedup

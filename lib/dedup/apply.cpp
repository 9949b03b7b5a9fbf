// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/apply.h"

#include <optional>
#include <utility>

#include "lib/dedup/remover.h"
#include "lib/dedup/second_reading.h"

namespace longhaul::dedup {

namespace {

/// Gives the records of a sorter by ids that only grow.
template <class Record>
class RecordCursor {
 public:
    explicit RecordCursor(ExternalSorter<Record>& sorter) : sorter_(sorter) { advance(); }
    /// The next record when its id is below `end`.
    const Record* peek(uint64_t end) const {
        return record_ && id_of(*record_) < end ? &*record_ : nullptr;
    }
    void advance() {
        Record record;
        record_ = sorter_.next(record) ? std::optional<Record>(record) : std::nullopt;
    }
    static uint64_t id_of(const Fate& fate) { return fate.id; }
    static uint64_t id_of(const Membership& membership) { return membership.id.value(); }

 private:
    ExternalSorter<Record>& sorter_;
    std::optional<Record> record_;
};

class MarkReader {
 public:
    MarkReader(ExternalSorter<Fate>& fates, ExternalSorter<Membership>& memberships)
        : fates_(fates), memberships_(memberships) {}

    /// Both kinds never meet in one document: copies and bad records are in no group.
    void attach(MarkedBatch& item) {
        const uint64_t first = item.batch.first_id;
        const uint64_t end = first + item.batch.lines.size();
        while (true) {
            const Fate* fate = fates_.peek(end);
            const Membership* membership = memberships_.peek(end);
            if (fate == nullptr && membership == nullptr) return;
            Mark mark;
            if (membership == nullptr || (fate != nullptr && fate->id < membership->id.value())) {
                mark.line = fate->id - first;
                mark.decision = decision_of(*fate);
                fates_.advance();
            } else {
                const uint64_t id = membership->id.value();
                mark.line = id - first;
                mark.is_candidate = true;
                mark.decision.id = id;
                take_groups(id, end, mark.groups);
            }
            item.marks.push_back(std::move(mark));
        }
    }

 private:
    void take_groups(uint64_t id, uint64_t end, std::vector<Packed48>& groups) {
        for (const Membership* membership = memberships_.peek(end);
             membership != nullptr && membership->id.value() == id;
             membership = memberships_.peek(end)) {
            groups.push_back(membership->group);
            memberships_.advance();
        }
    }

    RecordCursor<Fate> fates_;
    RecordCursor<Membership> memberships_;
};

}  // namespace

void apply(const ApplyContext& context, std::vector<Source>& sources) {
    MarkReader marks(context.exact.fates, context.bands.memberships);
    const auto decide = [&](const Mark& mark) {
        const Decision& known = mark.decision;
        if (mark.is_candidate) {
            return context.clusterer.decide_candidate(known.id, mark.groups, mark.set);
        }
        if (known.verdict == Verdict::kBad) return known;
        return context.clusterer.decide_copy(known.id, known.match);
    };
    const RemoverContext remover_context{
        context.options.annotate,

        context.inputs,           sources, 0, context.output, context.removal_list, decide,
        context.on_removed};
    Remover remover(remover_context);
    read_again({context.inputs, context.options, context.memory,
                [&](MarkedBatch& item) { marks.attach(item); },
                [&](MarkedBatch& item) { remover.take(item); }, context.on_bytes,
                context.output.tasks()});
}

}  // namespace longhaul::dedup

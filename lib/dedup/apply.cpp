// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/apply.h"

#include <memory>
#include <optional>
#include <utility>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/corpus/document_scanner.h"
#include "lib/dedup/batch.h"
#include "lib/dedup/ordered_pipeline.h"
#include "lib/dedup/shingle.h"

namespace longhaul::dedup {

namespace {

/// A line of a batch that needs a decision; all others stay.
struct Mark {
    size_t line = 0;
    bool has_fate = false;  // exact copy or bad record, else a candidate
    uint64_t kept = 0;      // Fate::kept
    std::vector<Packed48> groups;
    std::vector<uint64_t> set;
};

struct ApplyItem {
    Batch batch;
    std::vector<Mark> marks;  // by line
};

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
    void attach(ApplyItem& item) {
        const uint64_t first = item.batch.first_id;
        const uint64_t end = first + item.batch.lines.size();
        while (true) {
            const Fate* fate = fates_.peek(end);
            const Membership* membership = memberships_.peek(end);
            if (fate == nullptr && membership == nullptr) return;
            if (membership == nullptr || (fate != nullptr && fate->id < membership->id.value())) {
                item.marks.push_back({fate->id - first, true, fate->kept, {}, {}});
                fates_.advance();
                continue;
            }
            const uint64_t id = membership->id.value();
            Mark mark;
            mark.line = id - first;
            while (membership != nullptr && membership->id.value() == id) {
                mark.groups.push_back(membership->group);
                memberships_.advance();
                membership = memberships_.peek(end);
            }
            item.marks.push_back(std::move(mark));
        }
    }

 private:
    RecordCursor<Fate> fates_;
    RecordCursor<Membership> memberships_;
};

/// One thread's tools for shingle sets.
class SetMaker {
 public:
    explicit SetMaker(const Options& options)
        : json_(corpus::Layout::kJsonLines, options.reader.text_field),
          shingler_(options.parameters) {}

    void make_sets(ApplyItem& item, corpus::Layout layout, const std::string& name) {
        corpus::DocumentScanner plain(layout);
        for (Mark& mark : item.marks) {
            if (mark.has_fate) continue;
            auto& scanner = layout == corpus::Layout::kJsonLines ? json_ : plain;
            const corpus::ScanResult result = scanner.scan(item.batch.content(mark.line));
            if (result.reason != corpus::Reason::kNone) {
                throw DataError(format("{} has changed while it was read", name));
            }
            shingler_.load(result.text);
            const std::span<const uint64_t> set = shingler_.shingle_set();
            mark.set.assign(set.begin(), set.end());
        }
    }

 private:
    corpus::DocumentScanner json_;
    Shingler shingler_;
};

/// Decides and writes, in input order.
class Applier {
 public:
    Applier(const ApplyContext& context, std::vector<Source>& sources)
        : context_(context), sources_(sources) {}

    void take(ApplyItem& item) {
        const Batch& batch = item.batch;
        size_t next_mark = 0;
        size_t kept_begin = 0;  // of the run of bytes that stay
        uint64_t num_kept = 0;
        const auto flush = [&](size_t end) {
            const auto lines = std::string_view(batch.bytes).substr(kept_begin, end - kept_begin);
            const bool has_mark = kept_begin == 0 && !batch.lines.empty();
            const size_t mark_bytes = has_mark ? batch.lines.front().mark_bytes : 0;
            if (!lines.empty()) context_.output.write(batch.input, lines, num_kept, mark_bytes);
            sources_[batch.input].kept_bytes += lines.size();
            num_kept = 0;
        };
        for (size_t line = 0; line < batch.lines.size(); ++line) {
            const bool is_marked =
                next_mark < item.marks.size() && item.marks[next_mark].line == line;
            const bool stays =
                is_marked ? decide(batch, item.marks[next_mark]) : !is_blank(batch, line);
            next_mark += is_marked ? 1 : 0;
            if (stays) {
                ++num_kept;
                continue;
            }
            flush(batch.lines[line].begin);
            kept_begin = batch.lines[line].begin + batch.raw(line).size();
        }
        flush(batch.bytes.size());
        if (batch.ends_input) end_input(batch);
    }

 private:
    static bool is_blank(const Batch& batch, size_t line) {
        return batch.content(line).find_first_not_of(" \t\r") == std::string_view::npos;
    }

    bool decide(const Batch& batch, const Mark& mark) {
        const uint64_t id = batch.first_id + mark.line;
        if (mark.has_fate && mark.kept >= Fate::kBad) {
            const auto reason = static_cast<corpus::Reason>(mark.kept - Fate::kBad);
            context_.removal_list.add({id, Verdict::kBad}, corpus::reason_key(reason));
            return false;
        }
        const Decision decision =
            mark.has_fate ? context_.clusterer.decide_copy(id, mark.kept)
                          : context_.clusterer.decide_candidate(id, mark.groups, mark.set);
        if (decision.verdict == Verdict::kKept) return true;
        const bool is_exact = decision.verdict == Verdict::kExact;
        ++(is_exact ? sources_[batch.input].num_exact : sources_[batch.input].num_near);
        context_.removal_list.add(decision, is_exact ? "exact" : "near");
        context_.on_removed(decision);
        return false;
    }

    void end_input(const Batch& batch) {
        const Input& input = context_.inputs[batch.input];
        const bool has_changed =
            batch.stored_hash != sources_[batch.input].stored_hash ||
            batch.first_row + batch.lines.size() != sources_[batch.input].num_lines;
        if (!input.is_stream && has_changed) {
            throw DataError(format("{} has changed while it was read", input.name));
        }
        context_.output.end_input(batch.input);
    }

    const ApplyContext& context_;
    std::vector<Source>& sources_;
};

}  // namespace

void apply(const ApplyContext& context, std::vector<Source>& sources) {
    BatchReader reader([&](size_t input) { return context.inputs.open_again(input); },
                       layouts_of(context.inputs), context.options.reader.max_line_bytes,
                       context.memory.batch_bytes, context.on_bytes);
    MarkReader marks(context.exact.fates, context.bands.memberships);
    OrderedPipeline<ApplyItem> pipeline(context.options.threads, context.memory.in_flight_bytes,
                                        context.memory.batch_bytes);
    std::vector<std::unique_ptr<SetMaker>> makers;
    for (size_t i = 0; i < pipeline.num_workers(); ++i) {
        makers.push_back(std::make_unique<SetMaker>(context.options));
    }
    Applier applier(context, sources);
    LineNumbers numbers;
    pipeline.run({reader.num_inputs(),
                  [&](size_t input, ApplyItem& item, bool may_grow) {
                      return reader.next(input, item.batch, may_grow);
                  },
                  [&](ApplyItem& item) {
                      numbers.number(item.batch);
                      marks.attach(item);
                  },
                  [&](ApplyItem& item, size_t worker) {
                      const Input& input = context.inputs[item.batch.input];
                      makers[worker]->make_sets(item, input.layout, input.name);
                  },
                  [&](ApplyItem& item) { applier.take(item); },
                  [](const ApplyItem& item) { return item.batch.bytes.size(); }});
}

}  // namespace longhaul::dedup

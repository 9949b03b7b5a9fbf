// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/span_reader.h"

#include <memory>
#include <string>
#include <utility>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/dedup/batch.h"
#include "lib/dedup/line_scan.h"
#include "lib/dedup/ordered_pipeline.h"
#include "lib/dedup/spans/span_anchors.h"
#include "lib/dedup/spans/span_units.h"

namespace longhaul::dedup {

namespace {

/// A text long enough for substrings: its part of the vectors of a SpanItem ends there.
struct TextEnds {
    uint64_t line = 0;
    size_t text = 0, anchors = 0, repeats = 0;
};

/// A batch and what a worker made of it. Lines are numbered in their batch.
struct SpanItem {
    Batch batch;
    std::vector<UnitRecord> units;
    std::string texts;
    std::vector<TextEnds> ends;
    std::vector<Anchor> anchors;
    std::vector<SelfRepeat> repeats;
    std::vector<std::pair<uint64_t, corpus::BadRecord>> bad;
    Source source;
    SpanCounts counts;
    bool is_cut = false;  // the last of `bad` is half a line at the end of a stream

    /// In the pipeline. Lines have to be paid for with a multiple of their size, results have not.
    uint64_t bytes() const {
        const uint64_t results = units.size() * sizeof(UnitRecord) + texts.size() +
                                 anchors.size() * sizeof(Anchor) + bad.size() * sizeof(bad[0]);
        return batch.bytes.size() + results / MemoryPlan::kBytesPerLineByte;
    }
};

/// One thread's tools.
class SpanWorker {
 public:
    explicit SpanWorker(const SpanOptions& options)
        : options_(options),
          scanner_(options.common.reader),
          hasher_(options.is_exact),
          anchors_(SubstringShape::of(options.min_length)) {}

    void read_batch(SpanItem& item, const Input& input) {
        const Batch& batch = item.batch;
        item.source.num_lines = batch.lines.size();
        for (size_t line = 0; line < batch.lines.size(); ++line) {
            const corpus::ScanResult result = scanner_.scan(batch, line, input.layout);
            if (result.is_blank) {
                ++item.source.num_blank;
            } else if (result.reason != corpus::Reason::kNone) {
                ++item.source.num_bad;
                item.bad.emplace_back(line, bad_record_of(batch, line, result, input.name));
                item.is_cut = is_cut_stream(input, batch.lines[line], result);
            } else {
                ++item.source.num_documents;
                item.source.text_bytes += result.text.size();
                item.source.raw_bytes += batch.raw(line).size();
                item.source.num_lone_surrogates += result.num_lone_surrogates;
                read_text(item, line, result.text);
            }
        }
        item.batch.bytes = Bytes();  // not needed any more
    }

 private:
    void read_text(SpanItem& item, uint64_t line, std::string_view text) {
        if (options_.unit == SpanUnit::kSubstring) {
            if (text.size() < options_.min_length) return;
            anchors_.scan(text, item.anchors, item.repeats);
            item.texts += text;
            item.ends.push_back(
                {line, item.texts.size(), item.anchors.size(), item.repeats.size()});
            return;
        }
        for_each_unit(text, options_.unit, [&](const TextUnit& unit) {
            ++item.counts.num_units;
            const std::string_view content = unit.content(text);
            if (content.size() < options_.min_length) return;  // no less bytes than characters
            if (trimmed_characters(content) < options_.min_length) return;
            ++item.counts.num_long_units;
            item.units.push_back({hasher_.hash(content), static_cast<uint32_t>(unit.begin),
                                  static_cast<uint32_t>(unit.end), Packed48(line)});
        });
    }

    const SpanOptions& options_;
    LineScanner scanner_;
    UnitHasher hasher_;
    AnchorScanner anchors_;
};

void add_texts(const SpanItem& item, RepeatFinder& repeats) {
    TextEnds begin;
    for (const TextEnds& end : item.ends) {
        repeats.add_text(
            item.batch.first_id + end.line,
            std::string_view(item.texts).substr(begin.text, end.text - begin.text),
            std::span(item.anchors).subspan(begin.anchors, end.anchors - begin.anchors),
            std::span(item.repeats).subspan(begin.repeats, end.repeats - begin.repeats));
        begin = end;
    }
}

/// In input order.
void collect(SpanItem& item, LineNumbers& numbers, const corpus::BadRecordPolicy& policy,
             SpanReading& reading) {
    Batch& batch = item.batch;
    numbers.number(batch);
    LH_CHECK(batch.first_id + batch.lines.size() < kMaxId, "more than 2^48 lines");
    Source& source = reading.sources[batch.input];
    if (batch.first_row == 0) source.first_id = batch.first_id;
    source.add_counts(item.source);
    reading.counts[batch.input].add(item.counts);
    reading.num_records += item.source.num_documents + item.source.num_bad;
    for (const auto& [line, bad] : item.bad) {
        if (policy.fail_at_first) throw DataError(bad.describe());
        reading.bad.add(bad);
        reading.bad_ids.add(
            {batch.first_id + line, Fate::kBad + static_cast<uint64_t>(bad.reason)});
    }
    if (item.is_cut) fail_cut_stream(item.bad.back().second);
    for (UnitRecord& unit : item.units) {
        unit.id = Packed48(batch.first_id + unit.id.value());
        reading.units->add(unit);
    }
    if (reading.repeats) add_texts(item, *reading.repeats);
    if (batch.ends_input) {
        source.stored_bytes = batch.stored_bytes;
        source.stored_hash = batch.stored_hash;
    }
}

}  // namespace

void SpanCounts::add(const SpanCounts& other) {
    num_units += other.num_units;
    num_long_units += other.num_long_units;
    num_removed += other.num_removed;
    removed_bytes += other.removed_bytes;
    num_cut_documents += other.num_cut_documents;
    num_dropped_documents += other.num_dropped_documents;
}

SpanReading read_spans(Inputs& inputs, const SpanOptions& options, const MemoryPlan& memory,
                       SpillArea& area, const std::function<void(uint64_t)>& on_bytes) {
    SpanReading reading{std::vector<Source>(inputs.size()),
                        std::vector<SpanCounts>(inputs.size()),
                        {},
                        0,
                        RecordFile<Fate>(area),
                        {},
                        {}};
    if (options.unit == SpanUnit::kSubstring) {
        reading.repeats.emplace(SubstringShape::of(options.min_length), area, memory.sort_bytes,
                                options.common.threads);
    } else {
        reading.units.emplace(area, memory.sort_bytes / 4 * 3, options.common.threads);
    }
    BatchReader reader([&](size_t input) { return inputs.open_first(input, area); },
                       layouts_of(inputs), options.common.reader.max_line_bytes, memory.batch_bytes,
                       on_bytes);
    OrderedPipeline<SpanItem> pipeline(options.common.threads, memory.in_flight_bytes,
                                       memory.batch_bytes);
    std::vector<std::unique_ptr<SpanWorker>> workers;
    for (size_t i = 0; i < pipeline.num_workers(); ++i) {
        workers.push_back(std::make_unique<SpanWorker>(options));
    }
    LineNumbers numbers;
    pipeline.run(
        {reader.num_inputs(),
         [&](size_t input, SpanItem& item, bool may_grow) {
             return reader.next(input, item.batch, may_grow);
         },
         {},
         [&](SpanItem& item, size_t worker) {
             workers[worker]->read_batch(item, inputs[item.batch.input]);
         },
         [&](SpanItem& item) { collect(item, numbers, options.common.reader.policy, reading); },
         [](const SpanItem& item) { return item.bytes(); }});
    return reading;
}

void find_equal_units(ExternalSorter<UnitRecord>& units, uint64_t max_copies, SpillArea& area,
                      uint64_t sort_bytes, SpanFindings& findings) {
    ExternalSorter<OrderedCut> cuts(area, sort_bytes / 4);
    FrequentSpans frequent(FrequentSpans::By::kCopies);
    FrequentSpan span;
    Hash128 hash;
    uint64_t num_copies = 0;  // of `hash` so far
    units.finish();
    for (UnitRecord unit; units.next(unit);) {
        if (num_copies == 0 || unit.hash != hash) {
            frequent.add(span);
            span = {};
            hash = unit.hash;
            num_copies = 0;
        }
        if (++num_copies <= max_copies) continue;
        if (span.num_removed == 0) span.sample = unit.cut();
        ++span.num_removed;
        span.removed_bytes += unit.end - unit.begin;
        cuts.add({unit.cut()});
    }
    frequent.add(span);
    findings.frequent = frequent.spans();
    cuts.finish();
    for (OrderedCut cut; cuts.next(cut);) findings.cuts.add(cut);
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/span_cutter.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "lib/base/error.h"
#include "lib/dedup/line_scan.h"
#include "lib/dedup/ordered_pipeline.h"
#include "lib/dedup/spans/span_units.h"

namespace longhaul::dedup {

namespace {

constexpr size_t kSampleBytes = 300;

/// A line that does not stay as it is.
struct Mark {
    size_t line = 0;
    uint64_t bad = 0;     // Fate::kept of a bad record, else 0
    size_t cuts_end = 0;  // in CutItem::cuts
};

struct CutItem {
    Batch batch;
    std::vector<Cut> cuts;
    std::vector<Mark> marks;  // by line
    // What a worker made of it:
    std::string output;
    bool keeps_mark = false;  // `output` begins with the input's byte order mark
    uint64_t num_kept = 0;
    std::string list;
    uint64_t num_listed = 0;
    SpanCounts counts;
    std::vector<std::pair<size_t, std::string>> samples;  // number of the frequent span, text
};

/// Hands the cuts and bad records to the batches that hold them.
class CutReader {
 public:
    CutReader(RecordFile<Fate>& bad, RecordFile<Cut>& cuts) : bad_(bad), cuts_(cuts) {}

    void attach(CutItem& item) {
        const uint64_t first = item.batch.first_id;
        const uint64_t end = first + item.batch.lines.size();
        while (true) {
            const Fate* const bad = bad_.peek();
            const Cut* const cut = cuts_.peek();
            const uint64_t bad_id = bad != nullptr ? bad->id : ~uint64_t{0};
            const uint64_t cut_id = cut != nullptr ? cut->id.value() : ~uint64_t{0};
            if (std::min(bad_id, cut_id) >= end) return;
            if (bad_id < cut_id) {
                item.marks.push_back({bad_id - first, bad->kept, item.cuts.size()});
                bad_.advance();
                continue;
            }
            if (item.marks.empty() || item.marks.back().line != cut_id - first) {
                item.marks.push_back({cut_id - first, 0, 0});
            }
            item.cuts.push_back(*cut);
            item.marks.back().cuts_end = item.cuts.size();
            cuts_.advance();
        }
    }

 private:
    Lookahead<Fate, RecordFile<Fate>> bad_;
    Lookahead<Cut, RecordFile<Cut>> cuts_;
};

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// One thread's tools.
class LineCutter {
 public:
    LineCutter(const CutContext& context, const std::vector<Source>& sources)
        : context_(context), sources_(sources), scanner_(context.options.common.reader) {}

    void cut_batch(CutItem& item) {
        const Batch& batch = item.batch;
        const corpus::Layout layout = context_.inputs[batch.input].layout;
        item.output.reserve(batch.bytes.size());
        size_t mark = 0, first_cut = 0;
        for (size_t line = 0; line < batch.lines.size(); ++line) {
            const size_t old_size = item.output.size();
            if (mark < item.marks.size() && item.marks[mark].line == line) {
                const size_t end = item.marks[mark].cuts_end;
                const std::span<const Cut> cuts(item.cuts.data() + first_cut, end - first_cut);
                first_cut = end;
                const uint64_t bad = item.marks[mark++].bad;
                if (bad == 0) {
                    cut_line(item, line, cuts);
                } else {
                    list(item, line,
                         corpus::reason_key(static_cast<corpus::Reason>(bad - Fate::kBad)), {});
                }
            } else if (layout == corpus::Layout::kTextFile || !is_blank(batch.content(line))) {
                item.output += batch.raw(line);
                ++item.num_kept;
            }
            if (line == 0) {
                item.keeps_mark = batch.lines[0].mark_bytes > 0 && item.output.size() > old_size;
            }
        }
    }

 private:
    static bool is_blank(std::string_view line) {
        return line.find_first_not_of(" \t\r") == std::string_view::npos;
    }

    void cut_line(CutItem& item, size_t line, std::span<const Cut> cuts) {
        const Input& input = context_.inputs[item.batch.input];
        const corpus::ScanResult result = scanner_.scan(item.batch, line, input.layout);
        if (result.reason != corpus::Reason::kNone || cuts.back().end > result.text.size()) {
            throw DataError(format("{} has changed while it was read", input.name));
        }
        take_samples(item, cuts, result.text);
        find_spans(cuts, result.text);
        const std::string_view raw = item.batch.raw(line);
        if (spans_.empty()) {  // nothing but parts of characters
            item.output += raw;
            ++item.num_kept;
            return;
        }
        item.counts.num_removed +=
            context_.options.unit == SpanUnit::kSubstring ? spans_.size() : cuts.size();
        for (const corpus::TextSpan& span : spans_) {
            item.counts.removed_bytes += span.end - span.begin;
        }
        ++item.counts.num_cut_documents;
        const bool is_dropped = !context_.options.is_empty_kept && is_too_short(result.text);
        list(item, line, is_dropped ? "dropped" : "cut", spans_);
        if (is_dropped) {
            ++item.counts.num_dropped_documents;
            return;
        }
        write_line(item, raw, result.stored, input.layout);
    }

    /// Sets spans_: the cuts, joined where they touch, at borders of characters.
    void find_spans(std::span<const Cut> cuts, std::string_view text) {
        spans_.clear();
        for (const Cut& cut : cuts) {
            corpus::TextSpan span{cut.begin, cut.end};
            while (span.begin < span.end && is_continuation(text[span.begin])) ++span.begin;
            while (span.end > span.begin && span.end < text.size() &&
                   is_continuation(text[span.end])) {
                --span.end;
            }
            if (span.begin == span.end) continue;
            if (!spans_.empty() && spans_.back().end == span.begin) {
                spans_.back().end = span.end;
            } else {
                spans_.push_back(span);
            }
        }
        const SpanUnit unit = context_.options.unit;
        if (unit == SpanUnit::kSubstring || spans_.empty()) return;
        corpus::TextSpan& last = spans_.back();
        const bool ends_text =
            last.end == text.size() && text.back() != '\n' && text.back() != '\r';
        if (!ends_text) return;
        last.begin = begin_of_last_cut(text, unit, last.begin);
        if (spans_.size() < 2 || spans_[spans_.size() - 2].end < last.begin) return;
        spans_[spans_.size() - 2].end = last.end;  // only an empty line was between them
        spans_.pop_back();
    }

    bool is_too_short(std::string_view text) {
        kept_.clear();
        uint64_t begin = 0;
        for (const corpus::TextSpan& span : spans_) {
            kept_ += text.substr(begin, span.begin - begin);
            begin = span.end;
        }
        kept_ += text.substr(begin);
        return trimmed_characters(kept_) < context_.options.min_document;
    }

    void write_line(CutItem& item, std::string_view raw, std::string_view stored,
                    corpus::Layout layout) {
        const auto before = static_cast<size_t>(stored.data() - raw.data());
        item.output += raw.substr(0, before);
        if (layout == corpus::Layout::kJsonLines) {
            corpus::append_cut_json_string(stored, spans_, item.output);
        } else {
            uint64_t begin = 0;
            for (const corpus::TextSpan& span : spans_) {
                item.output += stored.substr(begin, span.begin - begin);
                begin = span.end;
            }
            item.output += stored.substr(begin);
        }
        item.output += raw.substr(before + stored.size());
        ++item.num_kept;
    }

    void list(CutItem& item, size_t line, const char* reason,
              std::span<const corpus::TextSpan> spans) const {
        if (!context_.list.is_wanted()) return;
        append_span_line(sources_[item.batch.input].stored_hash, item.batch.first_row + line,
                         reason, spans, item.list);
        ++item.num_listed;
    }

    void take_samples(CutItem& item, std::span<const Cut> cuts, std::string_view text) const {
        const std::vector<FrequentSpan>& frequent = context_.findings.frequent;
        for (size_t i = 0; i < frequent.size(); ++i) {
            const Cut& sample = frequent[i].sample;
            if (sample.id.value() != cuts.front().id.value()) continue;
            size_t begin = sample.begin;
            size_t end = std::min<size_t>({sample.end, begin + kSampleBytes, text.size()});
            while (begin < end && is_continuation(text[begin])) ++begin;
            while (end > begin && end < text.size() && is_continuation(text[end])) --end;
            item.samples.emplace_back(i, text.substr(begin, end - begin));
        }
    }

    const CutContext& context_;
    const std::vector<Source>& sources_;
    LineScanner scanner_;
    std::vector<corpus::TextSpan> spans_;
    std::string kept_;
};

/// In input order.
void take(const CutItem& item, const CutContext& context, SpanReading& reading,
          std::vector<std::string>& samples) {
    const Batch& batch = item.batch;
    Source& source = reading.sources[batch.input];
    const size_t mark_bytes = item.keeps_mark ? batch.lines.front().mark_bytes : 0;
    if (!item.output.empty()) {
        context.output.write(batch.input, item.output, item.num_kept, mark_bytes);
    }
    context.list.write(item.list, item.num_listed);
    source.kept_bytes += item.output.size();
    reading.counts[batch.input].add(item.counts);
    for (const auto& [number, text] : item.samples) samples[number] = text;
    if (!batch.ends_input) return;
    const Input& input = context.inputs[batch.input];
    const bool has_changed = batch.stored_hash != source.stored_hash ||
                             batch.first_row + batch.lines.size() != source.num_lines;
    if (!input.is_stream && has_changed) {
        throw DataError(format("{} has changed while it was read", input.name));
    }
    context.output.end_input(batch.input);
}

}  // namespace

void cut_spans(const CutContext& context, SpanReading& reading) {
    const Options& common = context.options.common;
    BatchReader reader([&](size_t input) { return context.inputs.open_again(input); },
                       layouts_of(context.inputs), common.reader.max_line_bytes,
                       context.memory.batch_bytes, context.on_bytes);
    reading.bad_ids.rewind();
    context.findings.cuts.rewind();
    CutReader cuts(reading.bad_ids, context.findings.cuts);
    OrderedPipeline<CutItem> pipeline(common.threads, context.memory.in_flight_bytes,
                                      context.memory.batch_bytes);
    std::vector<std::unique_ptr<LineCutter>> cutters;
    for (size_t i = 0; i < pipeline.num_workers(); ++i) {
        cutters.push_back(std::make_unique<LineCutter>(context, reading.sources));
    }
    std::vector<std::string> samples(context.findings.frequent.size());
    LineNumbers numbers;
    pipeline.run({reader.num_inputs(),
                  [&](size_t input, CutItem& item, bool may_grow) {
                      return reader.next(input, item.batch, may_grow);
                  },
                  [&](CutItem& item) {
                      numbers.number(item.batch);
                      cuts.attach(item);
                  },
                  [&](CutItem& item, size_t worker) { cutters[worker]->cut_batch(item); },
                  [&](CutItem& item) { take(item, context, reading, samples); },
                  [](const CutItem& item) { return item.batch.bytes.size(); }},
                 context.output.tasks());
    for (size_t i = 0; i < samples.size(); ++i) context.findings.frequent[i].text = samples[i];
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/span_report.h"

#include <algorithm>
#include <cmath>

#include "lib/base/units.h"
#include "lib/dedup/removal_list.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

using io::Json;

bool is_substring(const SpanFacts& facts) {
    return facts.options.unit == SpanUnit::kSubstring;
}

Json parameters_json(const SpanOptions& options) {
    return {{"unit", span_unit_name(options.unit)}, {"exact", options.is_exact},
            {"min_length", options.min_length},     {"max_copies", options.max_copies},
            {"min_document", options.min_document}, {"keep_empty", options.is_empty_kept}};
}

Json counts_json(const SpanFacts& facts, const Source& source, const SpanCounts& counts) {
    Json json = {{"records", source.num_documents + source.num_bad},
                 {"documents_in", source.num_documents},
                 {"documents_out", source.num_documents - counts.num_dropped_documents},
                 {"documents_cut", counts.num_cut_documents},
                 {"documents_dropped", counts.num_dropped_documents}};
    if (!is_substring(facts)) {
        json["units"] = counts.num_units;
        json["units_long_enough"] = counts.num_long_units;
    }
    json.update({{"units_removed", counts.num_removed},
                 {"text_bytes", source.text_bytes},
                 {"text_bytes_removed", counts.removed_bytes},
                 {"bad_records", source.num_bad},
                 {"blank_lines", source.num_blank},
                 {"lone_surrogates", source.num_lone_surrogates},
                 {"stored_bytes", source.stored_bytes},
                 {"line_bytes_in", source.raw_bytes},
                 {"line_bytes_out", source.kept_bytes}});
    return json;
}

Json frequent_json(const SpanFacts& facts) {
    Json list = Json::array();
    for (const FrequentSpan& span : facts.findings.frequent) {
        const Place place = place_of(span.sample.id.value(), facts.reading.sources);
        list.push_back({{"removed", span.num_removed},
                        {"removed_bytes", span.removed_bytes},
                        {"path", facts.inputs[place.input].path},
                        {"row", place.row},
                        {"begin", span.sample.begin},
                        {"end", span.sample.end},
                        {"text", span.text}});
    }
    return list;
}

Json search_json(const SpanFindings& findings) {
    return {{"anchors", findings.num_anchors},
            {"repeated_anchors", findings.num_repeated_anchors},
            {"windows_compared", findings.num_windows},
            {"matches", findings.num_matches},
            {"unequal_bytes", findings.unequal_bytes}};
}

Json stages_json(const SpanFacts& facts) {
    Json stages = Json::array();
    for (const StageCost& stage : facts.stages) {
        stages.push_back({{"stage", stage.name},
                          {"wall_s", stage.wall_s},
                          {"cpu_s", stage.cpu_s},
                          {"peak_rss_bytes", stage.peak_rss_bytes}});
    }
    return stages;
}

double percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

SpanCounts total_of(const std::vector<SpanCounts>& counts) {
    SpanCounts total;
    for (const SpanCounts& one : counts) total.add(one);
    return total;
}

Json span_report_json(const SpanFacts& facts) {
    const SpanReading& reading = facts.reading;
    Json sources = Json::array();
    for (size_t i = 0; i < reading.sources.size(); ++i) {
        Json source = {{"path", facts.inputs[i].path},
                       {"xxh3_128", reading.sources[i].stored_hash.hex()}};
        source.update(counts_json(facts, reading.sources[i], reading.counts[i]));
        sources.push_back(source);
    }
    Json report = {
        {"schema", 1},
        {"tool", "dedup-minhash spans"},
        {"version", LH_VERSION},
        {"parameters", parameters_json(facts.options)},
        {"total", counts_json(facts, total_of(reading.sources), total_of(reading.counts))},
        {"sources", sources},
        {"bad_records", reading.bad.to_json()},
        {"most_removed", frequent_json(facts)}};
    if (is_substring(facts)) report["search"] = search_json(facts.findings);
    report.update({{"threads", facts.options.common.threads},
                   {"memory_bytes", facts.options.common.memory_bytes},
                   {"spilled_bytes", facts.spilled_bytes},
                   {"stages", stages_json(facts)}});
    return report;
}

std::vector<std::string> span_report_lines(const SpanFacts& facts) {
    const Source total = total_of(facts.reading.sources);
    const SpanCounts counts = total_of(facts.reading.counts);
    const std::string of = is_substring(facts) ? "" : format(" of {}", counts.num_units);
    std::vector<std::string> lines{
        format("{} documents in, {} out; {} were cut, {} of them dropped", total.num_documents,
               total.num_documents - counts.num_dropped_documents, counts.num_cut_documents,
               counts.num_dropped_documents),
        format("removed {}{} {}s, {} of {} of text ({:.1f}%)", counts.num_removed, of,
               span_unit_name(facts.options.unit), human_bytes(counts.removed_bytes),
               human_bytes(total.text_bytes), percent(counts.removed_bytes, total.text_bytes))};
    double wall_s = 0;
    for (const StageCost& stage : facts.stages) wall_s += stage.wall_s;
    const double rate = static_cast<double>(total.text_bytes) / std::max(wall_s, 1e-9);
    lines.push_back(format("{} of text in {}, {}/s", human_bytes(total.text_bytes),
                           human_duration(wall_s), human_bytes(static_cast<uint64_t>(rate))));
    return lines;
}

std::string span_details_json(const SpanReading& reading) {
    const Source total = total_of(reading.sources);
    const SpanCounts counts = total_of(reading.counts);
    const io::Json json = {{"documents", total.num_documents - counts.num_dropped_documents},
                           {"documents_in", total.num_documents},
                           {"documents_cut", counts.num_cut_documents},
                           {"units_removed", counts.num_removed},
                           {"text_bytes_removed", counts.removed_bytes},
                           {"bad_records", total.num_bad},
                           {"line_bytes", total.kept_bytes}};
    return io::to_line(json);
}

}  // namespace longhaul::dedup

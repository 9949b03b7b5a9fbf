// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/report.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "lib/base/units.h"
#include "lib/dedup/options_json.h"
#include "lib/dedup/signature/minhash.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

using io::Json;

constexpr size_t kShownBytes = 300;  // of a text in the report

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

rusage usage() {
    rusage result{};
    ::getrusage(RUSAGE_SELF, &result);
    return result;
}

Json report_parameters(const Options& options) {
    Json json = parameters_json(options);
    json["keep"] = options.keep.words();
    json["simd_target"] = simd_target();
    return json;
}

Json s_curve_json(const Parameters& p) {
    Json curve = Json::array();
    for (int percent = 50; percent <= 100; percent += 5) {
        const double found = candidate_probability(percent / 100.0, p.bands, p.rows);
        curve.push_back({{"jaccard", percent / 100.0}, {"found", std::round(found * 1e6) / 1e6}});
    }
    return curve;
}

Json source_json(const Source& source) {
    return {{"records", source.num_documents + source.num_bad},
            {"documents_in", source.num_documents},
            {"documents_kept", source.num_kept()},
            {"removed_exact", source.num_exact},
            {"removed_near", source.num_near},
            {"bad_records", source.num_bad},
            {"blank_lines", source.num_blank},
            {"short_documents", source.num_short},
            {"lone_surrogates", source.num_lone_surrogates},
            {"without_score", source.num_no_score},
            {"stored_bytes", source.stored_bytes},
            {"text_bytes", source.text_bytes},
            {"line_bytes_in", source.raw_bytes},
            {"line_bytes_kept", source.kept_bytes}};
}

Json place_json(uint64_t id, const RunFacts& facts) {
    const Place place = place_of(id, facts.all_sources);
    const auto text = facts.survey.texts.find(id);
    const std::string shown = text == facts.survey.texts.end() ? "" : text->second;
    return {{"path", facts.all_inputs[place.input].path},
            {"row", place.row},
            {"text", shown.substr(0, kShownBytes)}};
}

Json clusters_json(const RunFacts& facts) {
    Json sizes = Json::array();
    for (const auto& [size, count] : facts.survey.sizes) {
        sizes.push_back({{"size", size}, {"clusters", count}});
    }
    Json largest = Json::array();
    for (const ClusterSample& cluster : facts.survey.largest) {
        Json members = Json::array();
        for (const uint64_t id : cluster.members) members.push_back(place_json(id, facts));
        largest.push_back({{"size", cluster.size},
                           {"kept", place_json(cluster.kept, facts)},
                           {"first_removed", members}});
    }
    Json pairs = Json::array();
    for (const Decision& pair : facts.survey.pairs) {
        pairs.push_back({{"jaccard", pair.jaccard},
                         {"kept", place_json(pair.match, facts)},
                         {"removed", place_json(pair.id, facts)}});
    }
    return {{"size_histogram", sizes}, {"largest", largest}, {"sample_pairs", pairs}};
}

Json candidates_json(const RunFacts& facts) {
    Json histogram = Json::array();
    for (size_t i = 0; i < facts.counts.jaccard_histogram.size(); ++i) {
        if (facts.counts.jaccard_histogram[i] == 0) continue;
        histogram.push_back(
            {{"from", static_cast<double>(i) / 20}, {"pairs", facts.counts.jaccard_histogram[i]}});
    }
    return {{"groups", facts.groups.num_groups},
            {"largest_group", facts.groups.largest_group},
            {"hot_groups", facts.groups.num_hot_groups},
            {"compared_pairs", facts.counts.num_compared},
            {"below_threshold", facts.counts.num_below_threshold},
            {"removed_below_threshold", facts.counts.num_unverified},
            {"estimated_missed_near", std::round(facts.counts.expected_misses * 10) / 10},
            {"jaccard_histogram", histogram}};
}

Json stages_json(const RunFacts& facts) {
    Json stages = Json::array();
    for (const StageCost& stage : facts.stages) {
        const double rate =
            stage.cpu_s > 0 ? static_cast<double>(stage.text_bytes) / stage.cpu_s : 0;
        stages.push_back({{"stage", stage.name},
                          {"wall_s", stage.wall_s},
                          {"cpu_s", stage.cpu_s},
                          {"text_bytes", stage.text_bytes},
                          {"text_bytes_per_cpu_s", std::round(rate)},
                          {"peak_rss_bytes", stage.peak_rss_bytes}});
    }
    return stages;
}

}  // namespace

StageClock::StageClock() : wall_(std::chrono::steady_clock::now()) {
    const rusage now = usage();
    cpu_s_ = seconds(now.ru_utime) + seconds(now.ru_stime);
}

void StageClock::end_stage(const std::string& name, uint64_t text_bytes) {
    const auto wall = std::chrono::steady_clock::now();
    const rusage now = usage();
    const double cpu_s = seconds(now.ru_utime) + seconds(now.ru_stime);
    costs_.push_back({name, std::chrono::duration<double>(wall - wall_).count(), cpu_s - cpu_s_,
                      static_cast<uint64_t>(now.ru_maxrss) * 1024, text_bytes});
    wall_ = wall;
    cpu_s_ = cpu_s;
}

Source total_of(const std::vector<Source>& sources) {
    Source total;
    for (const Source& source : sources) {
        total.num_lines += source.num_lines;
        total.num_documents += source.num_documents;
        total.num_bad += source.num_bad;
        total.num_blank += source.num_blank;
        total.num_short += source.num_short;
        total.num_lone_surrogates += source.num_lone_surrogates;
        total.num_no_score += source.num_no_score;
        total.text_bytes += source.text_bytes;
        total.raw_bytes += source.raw_bytes;
        total.stored_bytes += source.stored_bytes;
        total.num_exact += source.num_exact;
        total.num_near += source.num_near;
        total.kept_bytes += source.kept_bytes;
    }
    return total;
}

Json report_json(const RunFacts& facts) {
    Json sources = Json::array();
    for (size_t i = 0; i < facts.sources.size(); ++i) {
        Json source = {{"path", facts.inputs[i].path},
                       {"xxh3_128", facts.sources[i].stored_hash.hex()}};
        source.update(source_json(facts.sources[i]));
        sources.push_back(source);
    }
    return {{"schema", 1},
            {"tool", "dedup-minhash"},
            {"version", LH_VERSION},
            {"parameters", report_parameters(facts.options)},
            {"s_curve", s_curve_json(facts.options.parameters)},
            {"total", source_json(total_of(facts.sources))},
            {"sources", sources},
            {"bad_records", facts.bad.to_json()},
            {"candidates", candidates_json(facts)},
            {"clusters", clusters_json(facts)},
            {"threads", facts.options.threads},
            {"memory_bytes", facts.options.memory_bytes},
            {"spilled_bytes", facts.spilled_bytes},
            {"stages", stages_json(facts)}};
}

std::vector<std::string> report_lines(const RunFacts& facts) {
    const Source total = total_of(facts.sources);
    const double share = total.num_documents == 0
                             ? 0
                             : 100.0 * static_cast<double>(total.num_exact + total.num_near) /
                                   static_cast<double>(total.num_documents);
    std::vector<std::string> lines{
        format("{} documents in, {} kept; removed {} exact and {} near duplicates ({:.1f}%)",
               total.num_documents, total.num_kept(), total.num_exact, total.num_near, share),
        format("{} pairs compared, {} below Jaccard {}; about {:.0f} near duplicates missed by the "
               "bands (estimate)",
               facts.counts.num_compared, facts.counts.num_below_threshold,
               facts.options.parameters.threshold, facts.counts.expected_misses)};
    if (facts.counts.num_unverified > 0) {
        lines.push_back(
            format("{} documents went although their Jaccard with the kept one is below "
                   "{} (--transitive)",
                   facts.counts.num_unverified, facts.options.parameters.threshold));
    }
    if (total.num_no_score > 0) {
        lines.push_back(format("{} documents have no number in \"{}\": the lowest score",
                               total.num_no_score, facts.options.keep.score_member()));
    }
    if (facts.groups.num_hot_groups > 0) {
        lines.push_back(format("{} candidate groups have more than {} members, the largest {}",
                               facts.groups.num_hot_groups, GroupCounts::kHotGroup,
                               facts.groups.largest_group));
    }
    double wall_s = 0;
    for (const StageCost& stage : facts.stages) wall_s += stage.wall_s;
    lines.push_back(format("{} of text in {}, {}/s", human_bytes(total.text_bytes),
                           human_duration(wall_s),
                           human_bytes(static_cast<uint64_t>(static_cast<double>(total.text_bytes) /
                                                             std::max(wall_s, 1e-9)))));
    return lines;
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/finish.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "lib/tokenize/unit_record.h"

namespace longhaul::tokenize {

namespace {

namespace fs = std::filesystem;

/// The manifest's details out of the units, in order; also the entries of inputs and outputs.
struct Summary {
    shards::ShardDetails details;
    std::vector<record::FileEntry> inputs;
    UnitCounts counts;
    corpus::BadRecords bad;
};

void add_segments(const UnitContext& context, uint64_t unit, const UnitResult& result,
                  std::vector<uint64_t>& lines_of_input, Summary& summary) {
    for (const SegmentResult& segment : result.segments) {
        uint64_t& lines = lines_of_input[segment.input];
        summary.details.segments.push_back(
            {unit, segment.input, segment.begin, segment.end, lines});
        lines += segment.lines;
        const std::string& path = context.job.inputs[segment.input];
        // A hash over parts can not be joined to one of the file: each part is an entry of its own.
        const std::string name =
            segment.is_whole ? path : format("{}[{}-{}]", path, segment.begin, segment.end);
        summary.inputs.push_back(
            {name, segment.end - segment.begin, segment.lines, segment.xxh3_128});
    }
}

Summary summarize(const UnitContext& context, const std::vector<UnitResult>& units) {
    Summary summary;
    shards::ShardDetails& details = summary.details;
    const shards::Container& container = context.job.container;
    details.format = container.format;
    details.token_type = container.token_type(context.tokenizer.vocab_size());
    details.sample_tokens = container.sample_tokens;
    details.has_bare_documents = context.job.empty_documents == EmptyDocuments::kBare;
    details.vocab_size = context.tokenizer.vocab_size();
    details.borders = context.borders;
    details.tokenizer_hash = context.tokenizer.hash();
    details.inputs = context.job.inputs;
    std::vector<uint64_t> lines_of_input(context.job.inputs.size(), 0);
    for (uint64_t unit = 0; unit < units.size(); ++unit) {
        const UnitResult& result = units[unit];
        add_segments(context, unit, result, lines_of_input, summary);
        for (const shards::ShardEntry& shard : result.shards) {
            details.shards.push_back(shard);
            details.num_tokens += shard.num_tokens;
            details.num_documents += shard.num_documents;
        }
        summary.counts.add(result.counts);
        summary.bad.merge(result.bad);
    }
    io::Json counts = counts_to_json(summary.counts);
    counts["bad_records"] = summary.bad.to_json();
    details.counts_json = io::to_line(counts);
    return summary;
}

std::vector<std::string> find_parents(const EncodeJob& job) {
    std::vector<std::string> parents;
    const auto add = [&](const fs::path& path) {
        parents.push_back(record::manifest_hash(record::read_manifest(path)).hex());
    };
    if (!job.parent.empty()) add(job.parent);
    for (const std::string& input : job.inputs) {
        const fs::path path = input + ".manifest.json";
        if (input != "-" && fs::exists(path)) add(path);
    }
    return parents;
}

}  // namespace

void tell_dropped(uint64_t dropped, uint64_t all, uint64_t sample_tokens) {
    if (dropped == 0) return;
    constexpr double kMany = 0.1;
    const bool are_many = static_cast<double>(dropped) > kMany * static_cast<double>(all);
    const std::string text = format(
        "{} of {} tokens, at the ends of units, are too few for a sample of {} "
        "(--mds-sample): left out",
        dropped, all, sample_tokens);
    if (are_many) {
        log::warn("{}", text);
    } else {
        log::info("{}", text);
    }
}

void finish_output(const UnitContext& context, const Plan& plan, const record::Manifest& asked) {
    const fs::path folder(context.job.output);
    std::vector<UnitResult> units;
    for (uint64_t unit = 0; unit < plan.units.size(); ++unit) {
        auto result = read_unit_record(folder, unit);
        if (result) units.push_back(std::move(*result));
    }
    if (units.size() < plan.units.size()) {
        if (fs::exists(folder / "manifest.json")) return;  // another task was faster
        log::info("{} of {} units are done; the task that ends last completes {}", units.size(),
                  plan.units.size(), folder.string());
        return;
    }
    Summary summary = summarize(context, units);
    summary.bad.check(context.job.reader.policy, summary.counts.records);
    if (context.job.container.format == shards::ShardFormat::kMds) {
        summary.details.files.push_back(
            shards::write_mds_index(folder, summary.details, context.job.container.size_limit));
    }
    context.tokenizer.save((folder / "tokenizer").string());
    record::Manifest manifest = asked;
    manifest.inputs = std::move(summary.inputs);
    for (const shards::StoredPart& part : shards::stored_parts(summary.details)) {
        manifest.outputs.push_back({part.file, part.bytes, part.num_documents, part.xxh3_128});
    }
    manifest.parents = find_parents(context.job);
    manifest.details_json = shards::details_to_json(summary.details);
    record::write_manifest(folder / "manifest.json", manifest);
    std::error_code ignored;  // another task may be removing it too
    fs::remove_all(folder / ".units", ignored);
    tell_dropped(summary.counts.dropped_tokens, summary.counts.tokens,
                 context.job.container.sample_tokens);
    if (context.job.task.count > 1) {
        log::info("{} is complete: {} units, {} documents, {} tokens", folder.string(),
                  plan.units.size(), summary.details.num_documents, summary.details.num_tokens);
    }
}

void check_streams(const EncodeJob& job) {
    shards::ShardDetails details;
    const record::Manifest manifest = shards::read_shard_manifest(job.output, details);
    for (const std::string& path : job.inputs) {
        if (path != "-" && fs::is_regular_file(path)) continue;
        const auto input = io::open_input(path);
        std::vector<std::byte> block(1 << 18);
        while (input->read(block) > 0) {
        }
        const bool is_known = std::any_of(
            manifest.inputs.begin(), manifest.inputs.end(), [&](const record::FileEntry& entry) {
                return entry.path == path && entry.xxh3_128 == input->stored_hash();
            });
        if (!is_known) {
            throw UsageError(
                format("{} is complete, but was made from other contents of {}; use "
                       "another output or --force",
                       job.output, input->name()));
        }
    }
}

}  // namespace longhaul::tokenize

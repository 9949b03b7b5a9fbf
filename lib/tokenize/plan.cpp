// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/plan.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/text/unicode.h"

namespace longhaul::tokenize {

namespace {

namespace fs = std::filesystem;

/// True when the file's first bytes are those of gzip or zstd (also of a skippable frame).
bool is_compressed(const std::string& path) {
    std::array<uint8_t, 4> magic{};
    const io::UniqueFd fd = io::open_file(path, O_RDONLY);
    io::read_full(fd.get(), std::as_writable_bytes(std::span(magic)), path);
    const bool is_gzip = magic[0] == 0x1F && magic[1] == 0x8B;
    const bool is_zstd = magic == std::array<uint8_t, 4>{0x28, 0xB5, 0x2F, 0xFD};
    const bool is_skippable =
        (magic[0] & 0xF0) == 0x50 && magic[1] == 0x2A && magic[2] == 0x4D && magic[3] == 0x18;
    return is_gzip || is_zstd || is_skippable;
}

/// Each unit is a shard file and a record at least.
constexpr size_t kMaxUnits = 100000;

/// Fills units one after another.
class Planner {
 public:
    Planner(const EncodeJob& job, Plan& plan) : job_(job), plan_(plan) {}

    void add_whole(uint32_t input, uint64_t bytes) {
        if (used_ > 0 && used_ + bytes > job_.unit_bytes) next_unit();
        append({input, 0, bytes, true}, bytes);
    }
    void add_cut(uint32_t input, uint64_t bytes) {
        if (bytes <= job_.unit_bytes - std::min(used_, job_.unit_bytes)) {
            return add_whole(input, bytes);
        }
        for (uint64_t begin = 0; begin < bytes;) {
            if (used_ >= job_.unit_bytes) next_unit();
            const uint64_t end = std::min(bytes, begin + job_.unit_bytes - used_);
            append({input, begin, end, begin == 0 && end == bytes}, end - begin);
            begin = end;
        }
    }
    /// stdin is a unit of its own.
    void add_stream(uint32_t input) {
        next_unit();
        append({input, 0, 0, true}, 0);
        next_unit();
    }

 private:
    void next_unit() {
        is_open_ = false;
        used_ = 0;
    }
    void append(const PlannedSegment& segment, uint64_t bytes) {
        if (!is_open_ && plan_.units.size() == kMaxUnits) {
            throw UsageError(format("--unit-size {} makes more than {} units; give a larger one",
                                    job_.unit_bytes, kMaxUnits));
        }
        if (!is_open_) plan_.units.emplace_back();
        is_open_ = true;
        plan_.units.back().push_back(segment);
        used_ += bytes;
    }

    const EncodeJob& job_;
    Plan& plan_;
    uint64_t used_ = 0;
    bool is_open_ = false;
};

const char* special_text_name(token::SpecialText value) {
    switch (value) {
        case token::SpecialText::kPlain:
            return "plain";
        case token::SpecialText::kParse:
            return "parse";
        case token::SpecialText::kRefuse:
            break;
    }
    return "refuse";
}

const char* empty_name(EmptyDocuments value) {
    switch (value) {
        case EmptyDocuments::kKeep:
            return "keep";
        case EmptyDocuments::kBare:
            return "bare";
        case EmptyDocuments::kSkip:
            break;
    }
    return "skip";
}

}  // namespace

void add_container_options(const shards::Container& container, io::Json& options) {
    if (container.format == shards::ShardFormat::kHdf5) return;  // older manifests have no member
    options["format"] = shards::shard_format_name(container.format);
    if (container.format != shards::ShardFormat::kMds) return;
    options["mds_type"] = shards::token_type_name(container.mds_type);
    options["mds_sample"] = container.sample_tokens;
    options["mds_size_limit"] = container.size_limit;
}

Plan make_plan(const EncodeJob& job) {
    Plan plan;
    Planner planner(job, plan);
    if (std::count(job.inputs.begin(), job.inputs.end(), "-") > 1) {
        throw UsageError("standard input can be read once only");
    }
    for (uint32_t input = 0; input < job.inputs.size(); ++input) {
        const std::string& path = job.inputs[input];
        record::check_name(path);
        const bool is_stream = path != "-" && !fs::is_regular_file(path) && fs::exists(path);
        if (path == "-" || is_stream) {  // a named pipe must not be opened before its turn
            if (path != "-" && fs::is_directory(path)) {
                throw UsageError(path + " is a folder; name its files");
            }
            plan.input_bytes.push_back(0);
            planner.add_stream(input);
            continue;
        }
        const uint64_t bytes = io::file_size(path);
        plan.input_bytes.push_back(bytes);
        plan.total_bytes += bytes;
        const bool has_lines =
            corpus::parse_layout(job.reader.layout, path) != corpus::Layout::kTextFile;
        if (has_lines && !is_compressed(path)) {
            planner.add_cut(input, bytes);
        } else {
            planner.add_whole(input, bytes);
        }
    }
    return plan;
}

record::Manifest plan_manifest(const EncodeJob& job, const Plan& plan,
                               const token::Tokenizer& tokenizer, const shards::Borders& borders) {
    record::Manifest manifest;
    manifest.tool = "tok-shard";
    manifest.version = LH_VERSION;
    manifest.kind = shards::kManifestKind;
    io::Json options{{"tokenizer", tokenizer.hash().hex()},
                     {"unicode", text::kUnicodeVersion},
                     {"bos_id", shards::border_to_json(borders.bos)},
                     {"eos_id", shards::border_to_json(borders.eos)},
                     {"special_text", special_text_name(job.special_text)},
                     {"empty_documents", empty_name(job.empty_documents)},
                     {"input_format", job.reader.layout},
                     {"text_field", job.reader.text_field},
                     {"max_line_bytes", job.reader.max_line_bytes},
                     {"unit_bytes", job.unit_bytes},
                     {"shard_tokens", job.container.max_tokens},
                     {"input_bytes", plan.input_bytes}};
    // Where nothing is said, records that are not UTF-8 are bad, and lone surrogates replaced.
    const corpus::TextPolicy& policy = job.reader.text_policy;
    if (policy.invalid_utf8 != corpus::InvalidUtf8::kBad) {
        options["invalid_utf8"] = corpus::invalid_utf8_name(policy.invalid_utf8);
    }
    if (policy.refuses_lone_surrogates) options["lone_surrogates"] = "bad";
    add_container_options(job.container, options);
    manifest.options_json = io::to_line(options);
    for (size_t i = 0; i < job.inputs.size(); ++i) {
        manifest.inputs.push_back({job.inputs[i], plan.input_bytes[i], 0, {}});
    }
    return manifest;
}

}  // namespace longhaul::tokenize

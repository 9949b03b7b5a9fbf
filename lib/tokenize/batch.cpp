// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/batch.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "lib/base/error.h"
#include "lib/cli/output.h"
#include "lib/config/toml_values.h"
#include "lib/io/json.h"
#include "lib/io/line_reader.h"
#include "lib/shards/blend.h"
#include "lib/token/load.h"

namespace longhaul::tokenize {

namespace {

/// A step's line of metrics.jsonl, as far as data goes.
struct StepData {
    uint64_t first_sample = 0, last_sample = 0, num_samples = 0;
    int64_t phase = 0;
    std::optional<uint64_t> order_seed;
};

/// The last line of the step: a resumed run may have written several. A torn tail is passed over.
StepData find_step(const std::string& path, uint64_t step) {
    const auto input = io::open_input(path);
    io::LineReader lines(*input);
    io::Line line;
    std::optional<StepData> found;
    while (lines.next(line)) {
        const io::Json json = io::Json::parse(line.text.begin(), line.text.end(), nullptr, false);
        if (json.is_discarded() || !json.is_object() || !json.contains("first_sample")) continue;
        if (io::require<uint64_t>(json, "step", path) != step) continue;
        StepData data;
        data.first_sample = io::require<uint64_t>(json, "first_sample", path);
        data.last_sample = io::require<uint64_t>(json, "last_sample", path);
        data.num_samples = io::require<uint64_t>(json, "num_samples", path);
        data.phase = json.value("phase", int64_t{0});
        if (json.contains("order_seed")) {
            data.order_seed = io::require<uint64_t>(json, "order_seed", path);
        }
        found = data;
    }
    if (!found) throw DataError(format("{}: no line of step {}", path, step));
    return *found;
}

/// True when the sample lies in one of run.toml's data.skip ranges, "first-last" or "n".
bool is_skipped(uint64_t sample, const std::vector<std::string>& ranges) {
    for (const std::string& range : ranges) {
        uint64_t first = 0, last = 0;
        const char* const end = range.data() + range.size();
        const auto parsed = std::from_chars(range.data(), end, first);
        last = first;
        if (parsed.ec == std::errc() && parsed.ptr != end)
            std::from_chars(parsed.ptr + 1, end, last);
        if (parsed.ec == std::errc() && sample >= first && sample <= last) return true;
    }
    return false;
}

std::vector<uint64_t> samples_of(const StepData& step, const config::TomlValues& run) {
    const auto skip = run.texts("data.skip").value_or(std::vector<std::string>{});
    std::vector<uint64_t> samples;
    for (uint64_t sample = step.first_sample; sample <= step.last_sample; ++sample) {
        if (!is_skipped(sample, skip)) samples.push_back(sample);
    }
    if (samples.size() != step.num_samples) {
        throw DataError(
            format("the step showed {} samples, run.toml's data.skip leaves {} of {} to "
                   "{}: it was changed since",
                   step.num_samples, samples.size(), step.first_sample, step.last_sample));
    }
    return samples;
}

shards::Blend open_blend(const config::TomlValues& run, const StepData& step,
                         const std::string& source) {
    const auto folders = run.texts("data.train");
    const auto seq_len = run.integer("data.seq_len");
    if (!folders || !seq_len) throw DataError(source + ": data.train or data.seq_len is missing");
    const int64_t phase = run.integer("data.phase").value_or(0);
    if (phase != step.phase) {
        throw DataError(format("{} describes data phase {}, the step was in phase {}", source,
                               phase, step.phase));
    }
    const auto weights = run.numbers("data.weights").value_or(std::vector<double>{});
    std::vector<shards::BlendPart> parts;
    for (size_t i = 0; i < folders->size(); ++i) {
        parts.push_back({(*folders)[i], i < weights.size() ? weights[i] : 1.0});
    }
    // Each phase shuffles anew (lib/train/cursor.h, order_seed); newer runs write the seed itself.
    const auto seed = static_cast<uint64_t>(run.integer("job.seed").value_or(0));
    const uint64_t order_seed =
        step.order_seed.value_or(seed + 0x9E3779B97F4A7C15ull * static_cast<uint64_t>(phase));
    return shards::Blend(parts, static_cast<uint64_t>(*seq_len), order_seed);
}

/// Shortens to at most `bytes` without cutting a character.
void cut_at_character(std::string& text, size_t bytes) {
    while (bytes > 0 && (text[bytes] & 0xC0) == 0x80) --bytes;
    text.resize(bytes);
}

class BatchPrinter {
 public:
    BatchPrinter(const shards::Blend& blend, const BatchOptions& options)
        : blend_(blend),
          options_(options),
          tokenizer_(token::load_tokenizer(
              {(blend.sets().front().info().folder / "tokenizer").string(), "", {}})) {}

    void print(uint64_t place, uint64_t sample) const {
        const shards::SampleSource source = blend_.locate(sample);
        const shards::Dataset& set = blend_.sets()[source.set];
        if (!options_.as_json) {
            cli::print_line("sample {} (place {}): {} tokens {}-{}, epoch {}", sample, place,
                            set.info().folder.string(), source.first_token,
                            source.first_token + blend_.seq_len(), source.epoch);
        }
        const uint64_t end = source.first_token + blend_.seq_len() + 1;
        for (uint64_t token = source.first_token; token < end;) {
            const shards::DocumentRef document = set.document_at(token);
            const uint64_t document_end = document.first_token + document.num_tokens;
            const uint64_t stop = std::min(end, document_end);
            print_document(set, document, {token, stop}, {place, sample});
            token = stop;
        }
    }

 private:
    struct Range {
        uint64_t begin, end;
    };
    struct Place {
        uint64_t place, sample;
    };

    void print_document(const shards::Dataset& set, const shards::DocumentRef& document,
                        const Range& range, const Place& place) const {
        std::vector<uint32_t> ids(range.end - range.begin);
        set.read(range.begin, std::span<uint32_t>(ids));
        std::string text = tokenizer_.decode(ids, false);
        const bool is_cut = options_.width > 0 && text.size() > options_.width;
        if (is_cut) cut_at_character(text, options_.width);
        const std::string& file = set.input_paths().at(document.input);
        if (options_.as_json) {
            cli::print_line("{}", io::to_line(io::Json{{"schema", 1},
                                                       {"step", options_.step},
                                                       {"place", place.place},
                                                       {"sample", place.sample},
                                                       {"set", set.info().folder.string()},
                                                       {"document", document.index},
                                                       {"file", file},
                                                       {"record", document.record},
                                                       {"first_token_of_document",
                                                        range.begin - document.first_token},
                                                       {"tokens", ids.size()},
                                                       {"text", text}}));
            return;
        }
        cli::print_line("  document {} ({}, record {}), its tokens {}-{}{}", document.index, file,
                        document.record, range.begin - document.first_token,
                        range.end - document.first_token - 1, is_cut ? ", cut" : "");
        cli::print_line("    {}", io::to_line(io::Json(text)));
    }

    const shards::Blend& blend_;
    const BatchOptions& options_;
    token::Tokenizer tokenizer_;
};

}  // namespace

ExitCode run_batch(const BatchOptions& options) {
    const std::string run_file = options.run + "/run.toml";
    const config::TomlValues run{std::filesystem::path(run_file)};
    const StepData step = find_step(options.run + "/metrics.jsonl", options.step);
    const std::vector<uint64_t> samples = samples_of(step, run);
    if (options.sample && *options.sample >= samples.size()) {
        throw UsageError(format("--sample {}: the step has {}", *options.sample, samples.size()));
    }
    const shards::Blend blend = open_blend(run, step, run_file);
    const BatchPrinter printer(blend, options);
    for (uint64_t place = 0; place < samples.size(); ++place) {
        if (!options.sample || *options.sample == place) printer.print(place, samples[place]);
    }
    return ExitCode::kOk;
}

}  // namespace longhaul::tokenize

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/batch.h"

#include <algorithm>
#include <vector>

#include "lib/base/error.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/io/line_reader.h"
#include "lib/token/load.h"
#include "lib/tokenize/run_data.h"

namespace longhaul::tokenize {

namespace {

/// A step's line of metrics.jsonl, as far as data goes.
struct StepData {
    uint64_t first_sample = 0, last_sample = 0, num_samples = 0;
    int64_t phase = 0;
    std::optional<uint64_t> order_seed;  // older runs did not write it
    int64_t blend_version = shards::kOldBlend;
    std::optional<uint64_t> seq_len;  // nor these
    std::optional<std::string> data_hash;
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
        if (json.contains("seq_len")) data.seq_len = io::require<uint64_t>(json, "seq_len", path);
        if (json.contains("data_xxh3_128")) {
            data.data_hash = io::require<std::string>(json, "data_xxh3_128", path);
        }
        if (json.contains("blend_version")) {
            data.blend_version = io::require<int64_t>(json, "blend_version", path);
        }
        found = data;
    }
    if (!found) throw DataError(format("{}: no line of step {}", path, step));
    return *found;
}

/// The samples of the step, by the ranges that run.toml leaves out.
std::vector<uint64_t> samples_of(const StepData& step, const RunData& run) {
    std::vector<uint64_t> samples;
    for (uint64_t sample = step.first_sample; sample <= step.last_sample; ++sample) {
        const bool is_skipped =
            std::any_of(run.skip.begin(), run.skip.end(), [&](const shards::SkipRange& range) {
                return sample >= range.first && sample <= range.last;
            });
        if (!is_skipped) samples.push_back(sample);
    }
    if (samples.size() != step.num_samples) {
        throw DataError(
            format("the step showed {} samples, run.toml's data.skip leaves {} of {} to "
                   "{}: it was changed since",
                   step.num_samples, samples.size(), step.first_sample, step.last_sample));
    }
    return samples;
}

/// @throws DataError: what is there now is not what the step was made from
void check_data(const shards::Blend& blend, const RunData& run, const StepData& step,
                const std::string& source) {
    if (!step.data_hash) return;
    std::vector<std::string> hashes;
    std::vector<double> weights;
    for (size_t i = 0; i < run.parts.size(); ++i) {
        hashes.push_back(blend.sets()[i].info().manifest_hash.hex());
        weights.push_back(run.parts[i].weight);
    }
    if (shards::data_fingerprint(hashes, weights).hex() == *step.data_hash) return;
    throw DataError(
        format("{}: the step was made from other data or weights than its data.train and "
               "data.weights are now",
               source));
}

shards::Blend open_step(RunData run, const StepData& step, const std::string& source) {
    if (run.phase != step.phase) {
        throw DataError(format("{} describes data phase {}, the step was in phase {}", source,
                               run.phase, step.phase));
    }
    if (step.seq_len && *step.seq_len != run.options.seq_len) {
        throw DataError(format("{} says seq_len = {}, the step had {}", source, run.options.seq_len,
                               *step.seq_len));
    }
    if (step.order_seed) run.options.seed = *step.order_seed;
    run.options.settings.blend_version = step.blend_version;
    shards::Blend blend = open_blend(run, source);
    check_data(blend, run, step, source);
    return blend;
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
            cli::print_line("sample {} (place {}): {} {}, epoch {}", sample, place,
                            set.info().folder.string(), places_of(source.pieces), source.epoch);
        }
        for (const shards::Piece& piece : source.pieces) print_piece(set, piece, {place, sample});
    }

 private:
    struct Range {
        uint64_t begin, end;
    };
    struct Place {
        uint64_t place, sample;
    };

    /// "tokens 5-9, 20-24".
    static std::string places_of(const std::vector<shards::Piece>& pieces) {
        std::string text = "tokens";
        for (const shards::Piece& piece : pieces) {
            text += format("{} {}-{}", &piece == &pieces.front() ? "" : ",", piece.first_token,
                           piece.first_token + piece.count - 1);
        }
        return text;
    }

    void print_piece(const shards::Dataset& set, const shards::Piece& piece,
                     const Place& place) const {
        const uint64_t end = piece.first_token + piece.count;
        for (uint64_t token = piece.first_token; token < end;) {
            const shards::DocumentRef document = set.document_at(token);
            const uint64_t document_end = document.first_token + document.num_tokens;
            const uint64_t stop = std::min(end, document_end);
            print_document(set, document, {token, stop}, place);
            token = stop;
        }
    }

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
    const RunData run =
        read_run_data(config::TomlValues{std::filesystem::path(run_file)}, run_file);
    const StepData step = find_step(options.run + "/metrics.jsonl", options.step);
    const std::vector<uint64_t> samples = samples_of(step, run);
    if (options.sample && *options.sample >= samples.size()) {
        throw UsageError(format("--sample {}: the step has {}", *options.sample, samples.size()));
    }
    const shards::Blend blend = open_step(run, step, run_file);
    const BatchPrinter printer(blend, options);
    for (uint64_t place = 0; place < samples.size(); ++place) {
        if (!options.sample || *options.sample == place) printer.print(place, samples[place]);
    }
    return ExitCode::kOk;
}

}  // namespace longhaul::tokenize

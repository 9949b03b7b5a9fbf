// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/loader.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/shards/replay.h"

namespace longhaul::tokenize {

namespace {

struct Buffers {
    std::vector<int32_t> tokens, targets, begins;
    explicit Buffers(size_t size) : tokens(size), targets(size), begins(size) {}
    shards::SampleBuffers all() { return {tokens, targets, begins}; }
};

shards::DataCursor cursor_of(const RunData& data) {
    return {shards::DataPhase{}, data.skip};
}

/// One line a sample: where it comes from and what a model sees of it.
void list(const shards::Blend& blend, const LoaderOptions& options) {
    Buffers made(blend.seq_len());
    shards::DataCursor cursor = cursor_of(options.data);
    if (options.from > 0) cursor.advance({options.from - 1});
    for (const uint64_t sample : cursor.peek(options.steps * options.data.global_batch)) {
        const shards::SampleSource source = blend.locate(sample);
        blend.read(sample, made.all());
        const auto targets = std::count_if(made.targets.begin(), made.targets.end(),
                                           [](int32_t target) { return target >= 0; });
        const std::string folder = blend.sets()[source.set].info().folder.string();
        if (options.as_json) {
            io::Json pieces = io::Json::array();
            for (const shards::Piece& piece : source.pieces) {
                pieces.push_back({piece.first_token, piece.count});
            }
            cli::print_line("{}",
                            io::to_line(io::Json{{"schema", 1},
                                                 {"sample", sample},
                                                 {"set", folder},
                                                 {"own", source.sample},
                                                 {"epoch", source.epoch},
                                                 {"pieces", std::move(pieces)},
                                                 {"cu_seqlens", shards::cu_seqlens(made.begins)},
                                                 {"targets", targets}}));
            continue;
        }
        cli::print_line(
            "sample {}: {} sample {}, epoch {}, from token {} on in {} piece{}, {} "
            "documents, {} targets",
            sample, folder, source.sample, source.epoch, source.pieces.front().first_token,
            source.pieces.size(), source.pieces.size() == 1 ? "" : "s",
            shards::cu_seqlens(made.begins).size() - 1, targets);
    }
}

ExitCode check(const shards::Blend& blend, const LoaderOptions& options) {
    shards::ReplayOptions replay;
    replay.steps = options.steps;
    replay.global_batch = options.data.global_batch;
    replay.micro_batch = options.data.micro_batch;
    replay.skip = options.data.skip;
    const shards::ReplayResult result = shards::replay(blend, replay);
    if (options.as_json) {
        cli::print_line("{}",
                        io::to_line(io::Json{{"schema", 1},
                                             {"tool", "tok-shard loader"},
                                             {"samples", result.samples},
                                             {"order_xxh3_128", result.order.hex()},
                                             {"blend_error_samples", result.blend_error},
                                             {"findings", record::to_json(result.findings)}}));
    } else {
        cli::print(record::to_text(result.findings));
        cli::print_line("order of {} samples: {}", result.samples, result.order.hex());
    }
    return record::exit_code(result.findings);
}

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Of the same samples read twice on one thread: the first time brings them into the page cache.
struct Speed {
    size_t samples = 0;
    double cpu_s[2] = {}, wall_s[2] = {};
};

Speed measure(const shards::Blend& blend, const LoaderOptions& options) {
    using Clock = std::chrono::steady_clock;
    const auto samples = cursor_of(options.data).peek(options.steps * options.data.global_batch);
    Buffers made(blend.seq_len());
    shards::SampleBuffers out = made.all();
    if (!blend.settings().attends_document) out.document_begins = {};
    Speed speed{samples.size(), {}, {}};
    for (int pass = 0; pass < 2; ++pass) {
        const double cpu_start = cpu_seconds();
        const auto start = Clock::now();
        for (const uint64_t sample : samples) blend.read(sample, out);
        speed.cpu_s[pass] = cpu_seconds() - cpu_start;
        speed.wall_s[pass] = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return speed;
}

void bench(const shards::Blend& blend, const LoaderOptions& options) {
    const Speed speed = measure(blend, options);
    const double tokens = static_cast<double>(speed.samples) * static_cast<double>(blend.seq_len());
    const auto size = static_cast<double>(token_bytes(blend.sets().front().info().token_type));
    if (options.as_json) {
        cli::print_line("{}", io::to_line(io::Json{{"schema", 1},
                                                   {"tool", "tok-shard loader"},
                                                   {"samples", speed.samples},
                                                   {"tokens", tokens},
                                                   {"token_bytes", size},
                                                   {"first_wall_s", speed.wall_s[0]},
                                                   {"cached_cpu_s", speed.cpu_s[1]},
                                                   {"cached_wall_s", speed.wall_s[1]}}));
        return;
    }
    const auto line = [&](const char* what, double seconds, const char* of) {
        cli::print_line("{:<21} {} tokens/s, {}/s{}", what, human_count(tokens / seconds),
                        human_bytes(static_cast<uint64_t>(tokens * size / seconds)), of);
    };
    cli::print_line("{} samples of {} tokens, {} bytes a token", speed.samples, blend.seq_len(),
                    size);
    line("first pass", speed.wall_s[0], "");
    line("from the page cache", speed.cpu_s[1], " of a core");
}

}  // namespace

ExitCode run_loader(LoaderOptions options) {
    std::string file;
    if (!options.run.empty()) {
        file = options.run + "/run.toml";
        options.data = read_run_data(config::TomlValues{std::filesystem::path(file)}, file);
    }
    if (options.data.parts.empty()) throw UsageError("name folders of token shards, or --run");
    if (options.data.global_batch < 1 || options.data.micro_batch < 1) {
        throw UsageError(file.empty()
                             ? "--global-batch and --micro-batch are at least 1"
                             : file + ": data.global_batch and data.micro_batch are at least 1");
    }
    options.data.options.open.may_lack_vocab_size = true;  // of Megatron's and MDS' files
    const shards::Blend blend = open_blend(options.data, file);
    if (options.checks) return check(blend, options);
    if (options.benches) {
        bench(blend, options);
    } else {
        list(blend, options);
    }
    return ExitCode::kOk;
}

}  // namespace longhaul::tokenize

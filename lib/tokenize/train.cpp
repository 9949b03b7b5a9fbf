// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/train.h"

#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cli/progress.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "lib/record/manifest.h"
#include "lib/text/normalization_forms.h"
#include "lib/tokenize/output_check.h"
#include "lib/tokenize/worker_pool.h"

namespace longhaul::tokenize {

namespace {

constexpr size_t kBatchBytes = 4 << 20;

struct Count {
    uint64_t left_out = 0;
};

/// Counts of all workers; each has its own table until the end.
class WordCounter {
 public:
    explicit WordCounter(const TrainJob& job) : job_(job) {}

    /// One more table for one more worker.
    token::WordCounts& add_table() {
        return *tables_.emplace_back(std::make_unique<token::WordCounts>());
    }

    Count count(const std::vector<std::string>& texts, token::WordCounts& table) const {
        Count result;
        for (const std::string& text : texts) {
            const bool nfc = token::normalizes_to_nfc(job_.train.scheme);
            result.left_out += token::count_words(
                job_.train.scheme, nfc ? text::nfc(text, text::UnicodeData::k9) : text, table);
        }
        return result;
    }

    token::WordCounts merge() {
        token::WordCounts all = std::move(*tables_.front());
        for (size_t i = 1; i < tables_.size(); ++i) {
            for (const auto& [word, count] : *tables_[i]) all[word] += count;
            tables_[i].reset();
        }
        return all;
    }

 private:
    const TrainJob& job_;
    std::vector<std::unique_ptr<token::WordCounts>> tables_;
};

using Workers = WorkerPool<std::vector<std::string>, Count>;

/// Hands the documents of all inputs to the workers.
void read_inputs(const TrainJob& job, const io::ReadAhead& ahead, Workers::Lane& lane,
                 cli::Progress& progress, record::Manifest& manifest) {
    corpus::ReaderOptions options = job.reader;
    options.ahead = ahead;
    corpus::BadRecords bad;
    uint64_t num_records = 0;
    std::vector<std::string> batch;
    size_t batch_bytes = 0;
    const auto submit = [&] {
        lane.submit(std::exchange(batch, {}), batch_bytes);
        batch_bytes = 0;
    };
    for (const std::string& path : job.inputs) {
        record::check_name(path);
        corpus::DocumentReader reader(path, options);
        corpus::Document document;
        uint64_t reported = 0;
        while (reader.next(document)) {
            batch.emplace_back(document.text);
            batch_bytes += document.text.size();
            if (batch_bytes < kBatchBytes) continue;
            submit();
            progress.add(reader.stored_bytes() - std::exchange(reported, reader.stored_bytes()));
        }
        submit();
        bad.merge(reader.bad_records());
        num_records += reader.num_records();
        if (path == "-" && reader.num_records() == 0) {
            throw DataError(
                "standard input: no documents; see why the program that writes it ended");
        }
        manifest.inputs.push_back(
            {path, reader.stored_bytes(), reader.num_records(), reader.stored_hash()});
    }
    bad.warn();
    bad.check(job.reader.policy, num_records);
}

record::Manifest begin_manifest(const TrainJob& job) {
    record::Manifest manifest;
    manifest.tool = "tok-shard train";
    manifest.version = LH_VERSION;
    manifest.kind = "tokenizer";
    manifest.options_json = io::to_line(
        io::Json{{"vocab_size", job.train.vocab_size},
                 {"min_frequency", job.train.min_frequency},
                 {"pattern", token::scheme_info(job.train.scheme).name},
                 {"specials", job.train.specials},
                 {"input_format", job.reader.layout},
                 {"text_field", job.reader.text_field},
                 {"invalid_utf8", corpus::invalid_utf8_name(job.reader.text_policy.invalid_utf8)}});
    return manifest;
}

/// Hash of an input as stored, for comparison only.
record::FileEntry hash_input(const std::string& path) {
    const auto input = io::open_input(path);
    std::vector<std::byte> block(1 << 18);
    while (input->read(block) > 0) {
    }
    return {path, input->stored_bytes(), 0, input->stored_hash()};
}

/// For an output that exists. @return when it is complete with these options and inputs.
/// @throws UsageError: made differently, not by us, or damaged
void check_existing(const TrainJob& job) {
    record::Manifest asked = begin_manifest(job);
    const std::filesystem::path path = record::manifest_path(job.output);
    if (!std::filesystem::is_regular_file(job.output) || !std::filesystem::exists(path)) {
        throw UsageError(format("{} exists already, without {}; use another name or --force",
                                job.output, path.filename().string()));
    }
    record::Manifest made;
    try {
        made = record::read_manifest(path);
    } catch (const Error& error) {
        throw UsageError(format("{}; --force trains again", error.describe()));
    }
    for (const std::string& input : job.inputs) asked.inputs.push_back(hash_input(input));
    record::check_output(job.output, asked, false);
    const bool is_whole =
        made.outputs.size() == 1 && hash_input(job.output).xxh3_128 == made.outputs[0].xxh3_128;
    if (is_whole) return;
    throw UsageError(format("{} is not what its manifest says; --force trains again", job.output));
}

/// What can not be written is told before hours of counting.
void check_output_file(const TrainJob& job) {
    check_output_path(job.output, "--output", job.inputs);
    check_output_path(job.output + ".manifest.json", "--output", job.inputs);
    if (std::filesystem::is_directory(job.output)) {
        throw UsageError(format("--output {} is a folder; name a file in it, such as {}",
                                job.output,
                                (std::filesystem::path(job.output) / "tokenizer.json").string()));
    }
}

/// The pieces of all inputs, which the manifest then names.
token::WordCounts count_inputs(const TrainJob& job, record::Manifest& manifest) {
    uint64_t total_bytes = 0, left_out = 0;
    for (const std::string& path : job.inputs) {
        if (std::filesystem::is_regular_file(path)) total_bytes += io::file_size(path);
    }
    cli::Progress progress("count", total_bytes, job.progress);
    WordCounter counter(job);
    const auto make_work = [&counter]() -> Workers::Work {
        token::WordCounts& table = counter.add_table();
        return [&counter, &table](std::vector<std::string>& texts) {
            return counter.count(texts, table);
        };
    };
    {
        Workers workers(job.threads, kBatchBytes * 2 * static_cast<uint64_t>(job.threads + 1),
                        make_work);
        Workers::Lane lane(workers, [&](Count& count) { left_out += count.left_out; });
        constexpr uint64_t kAheadBytes = uint64_t{64} << 20;
        read_inputs(job, {&workers.tasks(), kAheadBytes}, lane, progress, manifest);
        lane.finish();
    }
    progress.finish();
    if (left_out > 0) {
        log::warn("{} in pieces longer than {} bytes are not counted", human_bytes(left_out),
                  token::kMaxTrainingPieceBytes);
    }
    return counter.merge();
}

}  // namespace

ExitCode run_train(const TrainJob& job) {
    token::check_train_options(job.train);
    check_output_file(job);
    if (std::filesystem::exists(job.output) && !job.force) {
        check_existing(job);
        log::info("{} is complete already", job.output);
        return ExitCode::kOk;
    }
    with_context([&] { const io::AtomicFile probe(job.output); }, "--output");
    record::Manifest manifest = begin_manifest(job);
    const token::WordCounts words = count_inputs(job, manifest);
    log::info("{} distinct pieces", words.size());
    const token::TrainedBpe trained = token::train_bpe(words, job.train);
    const size_t size = trained.specials.size() + trained.tokens.size();
    if (size < job.train.vocab_size) {
        log::warn("only {} tokens: no further pair occurs {} times", size, job.train.min_frequency);
    }
    const std::string text = token::to_tokenizer_json(trained, job.train.scheme);
    io::write_file_atomically(job.output, text);
    manifest.outputs = {
        {std::filesystem::path(job.output).filename().string(), text.size(), size, xxh3_128(text)}};
    record::write_manifest(record::manifest_path(job.output), manifest);
    return ExitCode::kOk;
}

}  // namespace longhaul::tokenize

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/convert.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include "lib/base/error.h"
#include "lib/cli/progress.h"
#include "lib/io/atomic_file.h"
#include "lib/io/hash_file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "lib/shards/mds_format.h"
#include "lib/tokenize/convert_plan.h"
#include "lib/tokenize/convert_writer.h"
#include "lib/tokenize/finish.h"
#include "lib/tokenize/output_check.h"
#include "lib/tokenize/output_folder.h"
#include "lib/tokenize/output_lock.h"
#include "lib/tokenize/plan.h"
#include "lib/tokenize/source_hashes.h"

namespace longhaul::tokenize {

namespace {

namespace fs = std::filesystem;
using shards::ShardEntry;
using shards::ShardFormat;

/// The options of the run that made the source stay, for `verify` needs them; what says how tokens
/// lie is that of this run.
io::Json target_options(const ConvertJob& job, const OpenedData& data, uint64_t max_tokens) {
    io::Json options = io::Json::object();
    if (data.set.manifest) {
        options = io::parse_json(data.set.manifest->options_json, "options");
        for (const char* key :
             {"format", "mds_type", "mds_sample", "mds_size_limit", "merged", "converted"}) {
            options.erase(key);
        }
    } else {
        options["tokenizer"] = data.tokenizer->hash().hex();
        options["bos_id"] = shards::border_to_json(data.options.borders.bos);
        options["eos_id"] = shards::border_to_json(data.options.borders.eos);
    }
    options["shard_tokens"] = max_tokens;
    add_container_options(job.container, options);
    if (job.is_merged) options["merged"] = true;
    options["converted"] = true;
    return options;
}

/// What the source is named by: its manifest, or the index of another program's files.
record::FileEntry source_entry(const ConvertJob& job, const OpenedData& data) {
    fs::path path = fs::path(job.source.path) / "manifest.json";
    if (data.set.details.is_foreign) {
        path = data.set.details.inputs.front();
        if (data.set.details.format == ShardFormat::kMegatron) path.replace_extension(".idx");
    }
    record::check_name(path.string());
    return {path.string(), io::file_size(path), data.set.details.num_documents,
            io::hash_file(path.string())};
}

void check_output_place(const ConvertJob& job, const OpenedData& data) {
    const fs::path source = data.set.folder.empty() ? "." : data.set.folder;
    if (fs::exists(job.output) && fs::equivalent(job.output, source)) {
        throw UsageError(format("--output {}: it is the source", job.output));
    }
    if (data.set.manifest && is_inside(job.output, source.string())) {
        throw UsageError(format("--output {}: it lies in the source", job.output));
    }
}

void check_source(const ConvertJob& job, const OpenedData& data) {
    if (!data.tokenizer) {
        throw UsageError(
            format("{}: a folder of shards holds its tokenizer: name it by "
                   "--tokenizer",
                   job.source.path));
    }
    if (!data.set.details.is_foreign && data.set.details.sample_tokens > 0) {
        throw UsageError(
            format("{}: its samples have cut the documents; convert the shards that "
                   "it was made from",
                   job.source.path));
    }
}

uint64_t max_tokens_of(const ConvertJob& job, const OpenedData& data) {
    if (job.has_max_tokens || !data.set.manifest) return job.container.max_tokens;
    const io::Json options = io::parse_json(data.set.manifest->options_json, "options");
    return options.value("shard_tokens", job.container.max_tokens);
}

class Converter {
 public:
    Converter(const ConvertJob& job, const OpenedData& data)
        : job_(job), data_(data), source_(data.set.details), reader_(data.set), hashes_(data.set) {
        container_ = job.container;
        container_.max_tokens = max_tokens_of(job, data);
        type_ = container_.token_type(source_.vocab_size);
        target_ = {job.output,
                   job.tmp_dir,
                   container_,
                   {data.tokenizer->hash(), source_.vocab_size, source_.borders}};
    }

    /// @throws UsageError: nothing would be left
    void check_samples() const {
        const uint64_t length = container_.sample_tokens;
        const bool has_sample =
            std::any_of(reader_.units().begin(), reader_.units().end(),
                        [&](const UnitRange& unit) { return unit.num_tokens >= length; });
        if (length == 0 || has_sample || reader_.num_tokens() == 0) return;
        throw UsageError(
            format("--mds-sample {}: no unit of {} has so many tokens, nothing would "
                   "be left",
                   length, job_.source.path));
    }

    record::Manifest asked() const {
        record::Manifest manifest;
        manifest.tool = "tok-shard";
        manifest.version = LH_VERSION;
        manifest.kind = shards::kManifestKind;
        manifest.options_json = io::to_line(target_options(job_, data_, container_.max_tokens));
        manifest.inputs.push_back(source_entry(job_, data_));
        return manifest;
    }

    void run() {
        const bool are_documents =
            container_.format != ShardFormat::kMds && source_.format != ShardFormat::kMds;
        const bool is_same_rule = are_documents && data_.set.manifest && !job_.has_max_tokens;
        plan_ = plan_conversion(reader_, container_, source_.vocab_size,
                                is_same_rule ? &source_.shards : nullptr);
        tell_dropped(plan_.dropped_tokens, reader_.num_tokens(), container_.sample_tokens);
        io::create_directories(folder() / ".units");
        if (job_.is_merged && !fs::exists(folder() / "tokens.bin")) {
            const uint64_t bytes = reader_.num_tokens() * shards::token_bytes(type_);
            forget_parts_of_lost_bin(bytes);
            prepare_merged(folder() / kPartialBin, bytes);
        }
        convert_shards();
    }

    /// Completes the folder when every shard has its record.
    void finish(record::Manifest manifest) {
        shards::ShardDetails details = target_details();
        size_t num_done = 0;
        for (const PlannedShard& planned : plan_.shards) {
            auto entry = read_record(planned);
            if (!entry) continue;
            ++num_done;
            details.num_tokens += entry->num_tokens;
            details.num_documents += entry->num_documents;
            details.shards.push_back(std::move(*entry));
        }
        if (num_done < plan_.shards.size()) {
            if (fs::exists(folder() / "manifest.json")) return;  // another task was faster
            log::info("{} of {} shards are done; the task that ends last completes {}", num_done,
                      plan_.shards.size(), job_.output);
            return;
        }
        write_indexes(details);
        data_.tokenizer->save((folder() / "tokenizer").string());
        for (const shards::StoredPart& part : shards::stored_parts(details)) {
            manifest.outputs.push_back({part.file, part.bytes, part.num_documents, part.xxh3_128});
        }
        if (data_.set.manifest) manifest.parents.push_back(data_.set.hash.hex());
        manifest.details_json = shards::details_to_json(details);
        record::write_manifest(folder() / "manifest.json", manifest);
        std::error_code ignored;  // another task may be removing it too
        fs::remove_all(folder() / ".units", ignored);
        log::info("{} is complete: {} shards, {} documents, {} tokens", job_.output,
                  details.shards.size(), details.num_documents, details.num_tokens);
    }

 private:
    fs::path folder() const { return job_.output; }
    /// Under its last name when a run was killed just before the manifest.
    fs::path merged_bin() const {
        return folder() / (fs::exists(folder() / "tokens.bin") ? "tokens.bin" : kPartialBin);
    }
    fs::path record_path(const PlannedShard& planned) const {
        return folder() / ".units" / format("shard-{:05}-{:03}.json", planned.unit, planned.number);
    }

    shards::ShardDetails target_details() const {
        shards::ShardDetails details;
        details.token_type = type_;
        details.vocab_size = source_.vocab_size;
        details.borders = source_.borders;
        details.tokenizer_hash = data_.tokenizer->hash();
        details.inputs = source_.inputs;
        details.segments = source_.segments;
        details.format = container_.format;
        details.sample_tokens = container_.sample_tokens;
        details.merged = job_.is_merged ? "tokens" : "";
        details.has_bare_documents = source_.has_bare_documents;
        io::Json counts = io::parse_json(source_.counts_json, "counts");
        if (plan_.dropped_tokens > 0) counts["dropped_tokens"] = plan_.dropped_tokens;
        details.counts_json = io::to_line(counts);
        return details;
    }

    /// A killed run's .bin may be gone with the machine, its records not.
    void forget_parts_of_lost_bin(uint64_t bytes) const {
        const fs::path bin = folder() / kPartialBin;
        if (fs::exists(bin) && fs::file_size(bin) == bytes) return;
        for (const PlannedShard& planned : plan_.shards) fs::remove(record_path(planned));
    }

    std::optional<ShardEntry> read_record(const PlannedShard& planned) const {
        const fs::path path = record_path(planned);
        if (!fs::exists(path)) return std::nullopt;
        ShardEntry entry;
        try {
            entry = shards::shard_from_json(io::read_json_file(path), path.string());
        } catch (const Error& error) {
            log::warn("{}; the shard is converted again", error.describe());
            return std::nullopt;
        }
        shards::ShardDetails made;
        made.shards = {entry};
        for (const auto& [file, bytes] : shards::stored_files(made)) {
            if (job_.is_merged && file == entry.file) continue;  // a part of a larger file
            std::error_code error;
            if (fs::file_size(folder() / file, error) == bytes && !error) continue;
            log::warn("{}: missing or cut; the shard is converted again",
                      (folder() / file).string());
            return std::nullopt;
        }
        return entry;
    }

    void convert(const PlannedShard& planned) {
        if (read_record(planned)) return;
        hashes_.check(planned.first_token, planned.num_tokens);
        const ShardEntry entry = job_.is_merged
                                     ? write_merged_part(reader_, planned, target_, merged_bin())
                                     : write_shard(reader_, planned, target_);
        io::write_file_atomically(record_path(planned), io::to_line(to_json(entry)) + "\n");
    }

    void convert_shards() {
        uint64_t total = 0;
        for (size_t i = job_.task.index; i < plan_.shards.size(); i += job_.task.count) {
            total += plan_.shards[i].num_tokens * shards::token_bytes(type_);
        }
        cli::Progress progress("convert", total, job_.progress);
        std::atomic<size_t> next{job_.task.index};
        std::mutex mutex;
        std::exception_ptr failure;
        const auto work = [&] {
            try {
                for (size_t i = next.fetch_add(job_.task.count); i < plan_.shards.size();
                     i = next.fetch_add(job_.task.count)) {
                    convert(plan_.shards[i]);
                    progress.add(plan_.shards[i].num_tokens * shards::token_bytes(type_));
                }
            } catch (...) {
                next = plan_.shards.size();  // the others end after their shard
                const std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        };
        {
            std::vector<std::jthread> threads;
            for (int i = 1; i < job_.threads; ++i) threads.emplace_back(work);
            work();
        }
        if (failure) std::rethrow_exception(failure);
        progress.finish();
    }

    void write_indexes(shards::ShardDetails& details) const {
        if (container_.format == ShardFormat::kMds) {
            details.files.push_back(
                shards::write_mds_index(folder(), details, container_.size_limit));
        }
        if (!job_.is_merged) return;
        details.files.push_back(write_merged_index(reader_, type_, folder() / "tokens.idx"));
        std::error_code error;
        fs::rename(folder() / kPartialBin, folder() / "tokens.bin", error);
        if (error && !fs::exists(folder() / "tokens.bin")) {
            throw IoError("cannot rename " + (folder() / kPartialBin).string(), error.value());
        }
        io::sync_directory(folder());
    }

    const ConvertJob& job_;
    const OpenedData& data_;
    const shards::ShardDetails& source_;
    SetReader reader_;
    SourceHashes hashes_;
    shards::Container container_;
    shards::TokenType type_ = shards::TokenType::kU16;
    ShardTarget target_;
    ConvertPlan plan_;
};

}  // namespace

ExitCode run_convert(const ConvertJob& job) {
    const OpenedData data = open_data(job.source);
    check_source(job, data);
    Converter converter(job, data);
    const record::Manifest asked = converter.asked();
    check_output_place(job, data);
    converter.check_samples();
    io::create_directories(job.output);
    if (job.force) check_outside(job.source.tokenizer.path, "--tokenizer", job.output);
    const OutputLock lock(job.output, job.task);
    const bool is_complete = prepare_output(job.output, job.force, job.task, asked);
    // Tasks share units here: what one of several has left stays until the folder is complete.
    if (job.task.count == 1 || is_complete) remove_leftovers(job.output, {});
    if (is_complete) {
        check_complete_folder(job.output, *data.tokenizer);
        log::info("{} is complete already", job.output);
        return ExitCode::kOk;
    }
    converter.run();
    converter.finish(asked);
    if (fs::exists(fs::path(job.output) / "manifest.json")) remove_leftovers(job.output, {});
    return ExitCode::kOk;
}

}  // namespace longhaul::tokenize

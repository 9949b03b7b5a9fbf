// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/filter.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cli/progress.h"
#include "lib/dedup/check_paths.h"
#include "lib/dedup/manifest.h"
#include "lib/dedup/remover.h"
#include "lib/dedup/stages/staged.h"
#include "lib/io/atomic_file.h"
#include "lib/io/hash_file.h"
#include "lib/io/json.h"
#include "lib/io/line_reader.h"
#include "lib/log/log.h"
#include "lib/record/manifest.h"

namespace longhaul::dedup {

namespace {

namespace fs = std::filesystem;

void add_line(const std::string& line, const std::string& place, RemovalRows& rows) {
    const io::Json json = io::parse_json(line, place);
    const auto file = Hash128::from_hex(io::require<std::string>(json, "file", place));
    if (!file) throw DataError(format("{}: file: not 32 hexadecimal digits", place));
    if (json.contains("spans")) {  // most of the record stays
        throw DataError(
            format("{}: a list of passages, which only dedup-minhash spans writes and "
                   "filter does not apply",
                   place));
    }
    rows[*file].push_back(io::require<uint64_t>(json, "row", place));
}

/// Files that the list's manifest names: they were read, even if nothing of them goes.
std::set<Hash128> listed_inputs(const std::string& list) {
    std::set<Hash128> files;
    const fs::path path = list + ".manifest.json";
    if (!fs::exists(path)) return files;
    for (const record::FileEntry& input : record::read_manifest(path).inputs) {
        files.insert(input.xxh3_128);
    }
    return files;
}

class Filter {
 public:
    Filter(const Options& options, bool takes_unlisted)
        : options_(options),
          takes_unlisted_(takes_unlisted),
          inputs_(options.inputs, options.reader),
          target_(resolve_target(options.output, inputs_, false)),
          memory_(plan_memory(options)),
          sources_(inputs_.size()) {}

    ExitCode execute() {
        Options outputs = options_;  // the list is read, not written
        outputs.removal_list.clear();
        check_paths(outputs, inputs_, target_);
        rows_ = read_removal_rows(options_.removal_list, memory_.sort_bytes);
        listed_ = listed_inputs(options_.removal_list);
        hash_inputs();
        record::Manifest manifest = asked_manifest();
        if (is_complete(manifest)) {
            log::info("{} is complete already", options_.output);
            return ExitCode::kOk;
        }
        probe_paths(outputs, target_);
        write(manifest);
        return ExitCode::kOk;
    }

 private:
    /// The list knows files by the hash of their bytes, so each is read once before.
    void hash_inputs() {
        cli::Progress progress("hashing", inputs_.total_bytes(), options_.progress);
        std::string unlisted;
        for (size_t i = 0; i < inputs_.size(); ++i) {
            if (inputs_[i].is_stream) {
                throw UsageError(
                    format("{} can be read only once; filter needs files", inputs_[i].name));
            }
            sources_[i].stored_hash = io::hash_file(inputs_[i].path);
            sources_[i].stored_bytes = inputs_[i].bytes;
            progress.add(inputs_[i].bytes);
            const Hash128& hash = sources_[i].stored_hash;
            const bool is_listed = rows_.contains(hash) || listed_.contains(hash);
            if (!is_listed && unlisted.empty()) unlisted = inputs_[i].name;
        }
        if (unlisted.empty() || takes_unlisted_) return;
        throw UsageError(
            format("{}: {} does not know a file of these bytes; has it changed? "
                   "--allow-unlisted keeps such files whole",
                   unlisted, options_.removal_list));
    }

    record::Manifest asked_manifest() const {
        record::Manifest manifest;
        manifest.tool = "dedup-minhash";
        manifest.version = LH_VERSION;
        manifest.kind = "documents";
        manifest.options_json =
            io::to_line({{"removal_list", io::hash_file(options_.removal_list).hex()},
                         {"input_format", options_.reader.layout},
                         {"max_line_bytes", options_.reader.max_line_bytes}});
        for (size_t i = 0; i < inputs_.size(); ++i) {
            manifest.inputs.push_back(
                {inputs_[i].path, inputs_[i].bytes, 0, sources_[i].stored_hash});
        }
        return manifest;
    }

    bool is_complete(const record::Manifest& asked) const {
        const bool has_manifest = (target_ == Target::kFile || target_ == Target::kFolder) &&
                                  fs::exists(record::manifest_path(options_.output));
        return has_manifest && record::check_output(options_.output, asked, options_.is_forced) ==
                                   record::OutputState::kComplete;
    }

    void write(record::Manifest& manifest) {
        retract_earlier_output(options_without_list(), inputs_, target_);
        std::optional<io::AtomicFile> begun;
        if (target_ == Target::kFile) begun.emplace(options_.output + ".manifest.json");
        OutputWriter output(target_, options_.output, inputs_, options_.threads);
        RemovalList no_list({}, sources_);
        cli::Progress progress("filter", inputs_.total_bytes(), options_.progress);
        for (size_t i = 0; i < inputs_.size(); ++i) {
            filter_input(i, output, no_list, [&](uint64_t n) { progress.add(n); });
        }
        progress.finish();
        manifest.outputs = output.finish();
        uint64_t num_removed = 0;
        for (const Source& source : sources_) num_removed += source.num_near;
        manifest.details_json = io::to_line({{"removed", num_removed}});
        if (!options_.manifest.empty()) record::write_manifest(options_.manifest, manifest);
        if (target_ == Target::kFile || target_ == Target::kFolder) {
            record::write_manifest(record::manifest_path(options_.output), manifest);
        }
        log::info("{} records of {} inputs removed", num_removed, inputs_.size());
    }

    Options options_without_list() const {
        Options options = options_;
        options.removal_list.clear();
        return options;
    }

    void filter_input(size_t index, OutputWriter& output, RemovalList& no_list,
                      const std::function<void(uint64_t)>& on_bytes) {
        const Inputs input = inputs_.slice(index, index + 1);
        static const std::vector<uint64_t> kNone;
        const auto found = rows_.find(sources_[index].stored_hash);
        const std::vector<uint64_t>& rows = found == rows_.end() ? kNone : found->second;
        auto next = rows.begin();
        uint64_t num_lines = 0;
        const RemoverContext context{options_.annotate,
                                     input,
                                     std::span(&sources_[index], 1),
                                     index,
                                     output,
                                     no_list,
                                     [](const Mark& mark) { return mark.decision; },
                                     [](const Decision&) {}};
        Remover remover(context);
        read_again({input, options_, memory_,
                    [&](MarkedBatch& item) {
                        const uint64_t end = item.batch.first_row + item.batch.lines.size();
                        for (; next != rows.end() && *next < end; ++next) {
                            Mark mark;
                            mark.line = *next - item.batch.first_row;
                            mark.decision.verdict = Verdict::kNear;
                            item.marks.push_back(std::move(mark));
                        }
                        num_lines = end;
                        sources_[index].num_lines = end;
                    },
                    [&](MarkedBatch& item) { remover.take(item); }, on_bytes, output.tasks()});
        if (next != rows.end()) {
            throw DataError(format("{}: {} removes row {}, but there are {}", input[0].name,
                                   options_.removal_list, *next, num_lines));
        }
    }

    const Options& options_;
    bool takes_unlisted_;
    Inputs inputs_;
    Target target_;
    MemoryPlan memory_;
    std::vector<Source> sources_;
    RemovalRows rows_;
    std::set<Hash128> listed_;
};

}  // namespace

RemovalRows read_removal_rows(const std::string& path, uint64_t max_bytes) {
    const auto stream = io::open_input(path);
    constexpr size_t kLongest = 1 << 20;
    io::LineReader lines(*stream, kLongest);
    RemovalRows rows;
    uint64_t num_rows = 0;
    for (io::Line line; lines.next(line);) {
        if (line.text.empty()) continue;
        const std::string place = format("{}:{}", path, line.number);
        if (line.is_too_long) throw DataError(format("{}: no line of a removal list", place));
        add_line(std::string(line.text), place, rows);
        if (++num_rows * sizeof(uint64_t) <= max_bytes) continue;
        throw UsageError(
            format("--memory: the rows of {} need more than {}", path, human_bytes(max_bytes)));
    }
    for (auto& [file, its_rows] : rows) {
        std::sort(its_rows.begin(), its_rows.end());
        its_rows.erase(std::unique(its_rows.begin(), its_rows.end()), its_rows.end());
    }
    return rows;
}

ExitCode run_filter(const Options& options, bool takes_unlisted) {
    refuse_several_ranks("start one");
    return Filter(options, takes_unlisted).execute();
}

}  // namespace longhaul::dedup

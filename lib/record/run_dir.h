// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The run directory (longhaul-run-directory.5): names of its files, and the small records in it
// that programs exchange.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "lib/io/json_fwd.h"

namespace longhaul::record {

/// Paths inside RUN. Makes nothing.
class RunDirectory {
 public:
    explicit RunDirectory(std::filesystem::path root) : root_(std::move(root)) {}

    const std::filesystem::path& root() const { return root_; }
    std::filesystem::path config() const { return root_ / "run.toml"; }
    std::filesystem::path lock() const { return root_ / "lock"; }
    std::filesystem::path checkpoints() const { return root_ / "ckpt"; }
    std::filesystem::path checkpoint(int64_t step) const;
    std::filesystem::path metrics() const { return root_ / "metrics.jsonl"; }
    std::filesystem::path faults() const { return root_ / "faults.jsonl"; }
    std::filesystem::path exit_record() const { return root_ / "exit.json"; }
    std::filesystem::path progress() const { return root_ / "progress.json"; }
    std::filesystem::path ring(int rank) const;
    std::filesystem::path stop_file() const { return root_ / "stop"; }
    std::filesystem::path tokenizer() const { return root_ / "tokenizer"; }
    std::filesystem::path tensorboard() const { return root_ / "tensorboard"; }

 private:
    std::filesystem::path root_;
};

/// exit.json: how a start of a run ended. job-guard believes it before the launcher's exit code,
/// but only for the same `restart`.
struct ExitRecord {
    int code = 0;
    std::string cause;  // "finished", "notice", "non-finite", "data", "disk", "memory", ...
    int64_t step = 0;   // updates done
    int64_t committed_step = -1;  // of the newest checkpoint; -1: none
    int64_t restart = 0;
    std::string host;    // where the cause was seen; "" when it is no host's
    std::string detail;  // the error, as on stderr
};
/// @throws IoError
void write_exit_record(const RunDirectory& run, const ExitRecord& record);
/// @return nothing when there is none or it is torn.
std::optional<ExitRecord> read_exit_record(const RunDirectory& run);

/// progress.json: where the run is now.
struct ProgressRecord {
    int64_t step = 0, total_steps = 0, committed_step = -1, restart = 0;
    double loss = 0, tokens_per_s = 0, eta_s = 0;
    double written_s = 0;  // Unix time
};
void write_progress(const RunDirectory& run, const ProgressRecord& record);
std::optional<ProgressRecord> read_progress(const RunDirectory& run);

/// Number of this start: LONGHAUL_RESTART, else SLURM_RESTART_COUNT, else 0.
int64_t restart_number();

/// Appends one JSON object as a line in one write (O_APPEND), so that several writers do not mix.
/// @throws IoError
void append_json_line(const std::filesystem::path& file, const io::Json& object);

}  // namespace longhaul::record

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/record/run_dir.h"

#include <fcntl.h>

#include <cstdlib>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/io/json.h"

namespace longhaul::record {

namespace {

/// A small record that another program may be replacing: absent or torn is "none".
std::optional<io::Json> read_record(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) return std::nullopt;
    try {
        io::Json record = io::read_json_file(path);
        return record.is_object() ? std::optional(std::move(record)) : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

std::filesystem::path RunDirectory::checkpoint(int64_t step) const {
    return checkpoints() / format("step-{:08d}", step);
}

std::filesystem::path RunDirectory::ring(int rank) const {
    return root_ / "ring" / format("rank-{:05d}.json", rank);
}

void write_exit_record(const RunDirectory& run, const ExitRecord& record) {
    io::Json json;
    json["schema"] = 1;
    json["code"] = record.code;
    json["cause"] = record.cause;
    json["step"] = record.step;
    json["committed_step"] = record.committed_step;
    json["restart"] = record.restart;
    if (!record.host.empty()) json["host"] = record.host;
    if (!record.detail.empty()) json["detail"] = record.detail;
    io::write_file_atomically(run.exit_record(), io::to_line(json) + "\n");
}

std::optional<ExitRecord> read_exit_record(const RunDirectory& run) {
    const auto json = read_record(run.exit_record());
    if (!json) return std::nullopt;
    ExitRecord record;
    record.code = json->value("code", -1);
    record.cause = json->value("cause", "");
    record.step = json->value("step", int64_t{0});
    record.committed_step = json->value("committed_step", int64_t{-1});
    record.restart = json->value("restart", int64_t{0});
    record.host = json->value("host", "");
    record.detail = json->value("detail", "");
    return record;
}

void write_progress(const RunDirectory& run, const ProgressRecord& record) {
    io::Json json;
    json["schema"] = 1;
    json["step"] = record.step;
    json["total_steps"] = record.total_steps;
    json["committed_step"] = record.committed_step;
    json["restart"] = record.restart;
    json["loss"] = record.loss;
    json["tokens_per_s"] = record.tokens_per_s;
    json["eta_s"] = record.eta_s;
    json["written_s"] = record.written_s;
    io::write_file_atomically(run.progress(), io::to_line(json) + "\n");
}

std::optional<ProgressRecord> read_progress(const RunDirectory& run) {
    const auto json = read_record(run.progress());
    if (!json) return std::nullopt;
    ProgressRecord record;
    record.step = json->value("step", int64_t{0});
    record.total_steps = json->value("total_steps", int64_t{0});
    record.committed_step = json->value("committed_step", int64_t{-1});
    record.restart = json->value("restart", int64_t{0});
    record.loss = json->value("loss", 0.0);
    record.tokens_per_s = json->value("tokens_per_s", 0.0);
    record.eta_s = json->value("eta_s", 0.0);
    record.written_s = json->value("written_s", 0.0);
    return record;
}

int64_t restart_number() {
    for (const char* variable : {"LONGHAUL_RESTART", "SLURM_RESTART_COUNT"}) {
        const char* text = std::getenv(variable);
        if (text == nullptr || *text == '\0') continue;
        char* end = nullptr;
        const long long number = std::strtoll(text, &end, 10);
        if (*end != '\0' || number < 0) {
            throw UsageError(format("environment variable {}={} is no number", variable, text));
        }
        return number;
    }
    return 0;
}

void append_json_line(const std::filesystem::path& file, const io::Json& object) {
    const io::UniqueFd fd = io::open_file(file, O_WRONLY | O_CREAT | O_APPEND);
    io::write_full(fd.get(), io::to_line(object) + "\n", file.string());
}

}  // namespace longhaul::record

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/exit_cause.h"

#include <cerrno>
#include <new>

#include "lib/io/json.h"

namespace longhaul::train {

namespace {

bool is_disk_error(int error_number) {
    switch (error_number) {
        case ENOSPC:
        case EDQUOT:
        case EIO:
        case EROFS:
            return true;
        default:
            return false;
    }
}

io::Json describe(const std::exception& error) {
    io::Json json;
    json["cause"] = cause_of(error);
    const auto* known = dynamic_cast<const Error*>(&error);
    json["text"] = known != nullptr ? known->describe() : std::string(error.what());
    json["code"] = to_int(known != nullptr ? known->exit_code() : ExitCode::kFailed);
    return json;
}

}  // namespace

std::string cause_of(const std::exception& error) {
    if (const auto* known = dynamic_cast<const TrainError*>(&error)) return known->cause();
    if (dynamic_cast<const UsageError*>(&error) != nullptr) return "configuration";
    if (dynamic_cast<const DataError*>(&error) != nullptr) return "data";
    if (const auto* io_error = dynamic_cast<const IoError*>(&error)) {
        return is_disk_error(io_error->error_number()) ? "disk" : "data";
    }
    if (dynamic_cast<const StoreError*>(&error) != nullptr) return "data";
    if (dynamic_cast<const GpuError*>(&error) != nullptr) return "gpu";
    if (dynamic_cast<const comm::TimeoutError*>(&error) != nullptr) return "hang";
    if (dynamic_cast<const CommError*>(&error) != nullptr) return "network";
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "memory";
    return "code";
}

void run_agreed(comm::Comm& comm, const std::function<void()>& body) {
    std::string problem;
    try {
        body();
    } catch (const std::exception& error) {
        problem = io::to_line(describe(error));
    }
    const comm::Tag tag{-1, -1, "agree"};
    double num_problems = problem.empty() ? 0 : 1;
    comm.all_reduce(std::span(&num_problems, 1), comm::Op::kSum, tag);
    if (num_problems == 0) return;
    std::string first;
    const auto problems = comm.gather_bytes(problem, 0, tag);
    for (size_t rank = 0; rank < problems.size() && first.empty(); ++rank) {
        if (problems[rank].empty()) continue;
        io::Json json = io::parse_json(problems[rank], "agree");
        if (num_problems < static_cast<double>(comm.size())) {
            json["text"] = format("rank {}: {}", rank, json["text"].get<std::string>());
        }
        first = io::to_line(json);
    }
    const io::Json json = io::parse_json(comm.broadcast_bytes(first, 0, tag), "agree");
    throw TrainError(json["cause"], json["text"], static_cast<ExitCode>(json["code"].get<int>()));
}

}  // namespace longhaul::train

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/cause.h"

#include <array>

namespace longhaul::guard {
namespace {

struct Row {
    Cause cause;
    const char* name;
    const char* meaning;
    const char* remedy;
};

constexpr std::array kRows{
    Row{Cause::kFinished, "finished", "the run is complete", ""},
    Row{Cause::kStopped, "stopped", "the stop file asked for it",
        "remove RUN/stop and submit again to go on"},
    Row{Cause::kNotice, "notice", "a signal asked it to save and end", ""},
    Row{Cause::kTimeLimit, "time-limit", "the job's time limit was near",
        "nothing; a longer --time saves restarts"},
    Row{Cause::kPreemption, "preemption", "a job of higher priority needed the nodes", "nothing"},
    Row{Cause::kCancelled, "cancelled", "someone cancelled the job (scancel)",
        "submit again if that was not wanted"},
    Row{Cause::kNode, "node", "a host or one of its processes was lost",
        "ask the administrators about the host if it is named twice; run gpu-health there"},
    Row{Cause::kGpu, "gpu", "a GPU or its driver failed",
        "run gpu-health on the host; drain it when it fails there"},
    Row{Cause::kNetwork, "network", "the connection between ranks failed",
        "run nccl-probe pairs over the hosts; read nccl-probe diagnose LOG"},
    Row{Cause::kHang, "hang", "no rank made progress any more",
        "read RUN/ring/rank-*.json for the collective that did not end"},
    Row{Cause::kMemory, "memory", "a process ran out of memory",
        "lower micro_batch or raise --mem; train-run --dry-run prints what a rank needs"},
    Row{Cause::kDisk, "disk", "the file system was full or over quota",
        "free space or quota; ckpt-reshard gc removes old checkpoints"},
    Row{Cause::kData, "data", "an input is damaged or missing",
        "run tok-shard verify or ckpt-reshard verify on what the message names"},
    Row{Cause::kNonFinite, "non-finite", "loss or gradients were no longer finite",
        "resume from an earlier step with a lower rate, or leave the samples out: [data] skip"},
    Row{Cause::kConfiguration, "configuration", "the command line or a setting is wrong",
        "correct it and submit again"},
    Row{Cause::kCode, "code", "the program failed",
        "read the end of the job's output; report a crash of Longhaul as a bug"},
};

const Row& row_of(Cause cause) {
    for (const Row& row : kRows) {
        if (row.cause == cause) return row;
    }
    return kRows.back();
}

}  // namespace

const char* cause_name(Cause cause) {
    return row_of(cause).name;
}
const char* cause_meaning(Cause cause) {
    return row_of(cause).meaning;
}
const char* cause_remedy(Cause cause) {
    return row_of(cause).remedy;
}

std::optional<Cause> parse_cause(std::string_view name) {
    for (const Row& row : kRows) {
        if (name == row.name) return row.cause;
    }
    return std::nullopt;
}

const std::vector<Cause>& all_causes() {
    static const std::vector<Cause> causes = [] {
        std::vector<Cause> list;
        list.reserve(std::size(kRows));
        for (const Row& row : kRows) list.push_back(row.cause);
        return list;
    }();
    return causes;
}

bool is_host_fault(Cause cause) {
    return cause == Cause::kNode || cause == Cause::kGpu || cause == Cause::kNetwork;
}

bool is_orderly(Cause cause) {
    switch (cause) {
        case Cause::kFinished:
        case Cause::kStopped:
        case Cause::kNotice:
        case Cause::kTimeLimit:
        case Cause::kPreemption:
        case Cause::kCancelled:
            return true;
        default:
            return false;
    }
}

}  // namespace longhaul::guard

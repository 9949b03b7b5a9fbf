// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/state.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/health/gpu_keys.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"

namespace longhaul::health {

namespace {

constexpr uint64_t kMaxBytes = 64 << 20;
// Counters whose rise is judged.
constexpr const char* kCounters[] = {key::kEccVolatileCorrected, key::kEccAggregateUncorrected,
                                     key::kPcieReplays, key::kNvlinkErrors};

State state_from_json(const io::Json& json, const std::string& source) {
    State state;
    state.exists = true;
    state.boot_id = io::require<std::string>(json, "boot_id", source);
    state.unix_s = io::require<double>(json, "unix_s", source);
    state.last_sequence = io::require<int64_t>(json, "last_sequence", source);
    state.last_boot_us = io::require<int64_t>(json, "last_boot_us", source);
    state.counters.boot_id = state.boot_id;
    state.counters.unix_s = state.unix_s;
    state.counters.ports =
        io::require<decltype(state.counters.ports)>(json, "port_counters", source);
    state.gpus = io::require<decltype(state.gpus)>(json, "gpus", source);
    return state;
}

}  // namespace

bool State::is_new(const LogLine& line, const std::string& boot_id_now) const {
    if (!exists || boot_id != boot_id_now) return true;
    if (line.sequence >= 0) return line.sequence > last_sequence;
    if (line.boot_us >= 0) return line.boot_us > last_boot_us;
    return true;
}

std::string default_state_path() {
    if (::geteuid() == 0) return "/var/lib/longhaul/gpu-health.json";
    if (const char* base = std::getenv("XDG_STATE_HOME")) {
        return std::string(base) + "/longhaul/gpu-health.json";
    }
    const char* home = std::getenv("HOME");
    return home == nullptr ? "" : std::string(home) + "/.local/state/longhaul/gpu-health.json";
}

State load_state(const std::string& path) {
    State state;
    if (path.empty() || !std::filesystem::exists(path)) return state;
    try {
        return state_from_json(io::read_json_file(path, kMaxBytes), path);
    } catch (const Error& error) {
        state.problem = error.describe();
        return state;
    }
}

State next_state(const Snapshot& now, const State& before) {
    State next;
    next.exists = true;
    next.boot_id = now.boot_id;
    next.unix_s = now.unix_s;
    const bool same_boot = before.boot_id == now.boot_id;
    next.last_sequence =
        std::max(now.kernel_log.last_sequence, same_boot ? before.last_sequence : -1);
    next.last_boot_us = std::max(now.kernel_log.last_boot_us, same_boot ? before.last_boot_us : -1);
    next.counters = now.counters;
    if (next.counters.ports.empty() && same_boot) next.counters = before.counters;
    next.gpus = before.gpus;  // a GPU that did not answer keeps its old counts
    for (const Gpu& gpu : now.gpus) {
        const std::string uuid = gpu.text(key::kUuid);
        if (uuid.empty()) continue;
        for (const char* counter : kCounters) {
            if (const auto count = gpu.number(counter)) next.gpus[uuid][counter] = *count;
        }
    }
    return next;
}

void save_state(const std::string& path, const State& state) {
    const io::Json json{{"schema", 1},
                        {"boot_id", state.boot_id},
                        {"unix_s", state.unix_s},
                        {"last_sequence", state.last_sequence},
                        {"last_boot_us", state.last_boot_us},
                        {"port_counters", state.counters.ports},
                        {"gpus", state.gpus}};
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!folder.empty()) io::create_directories(folder);
    io::write_file_atomically(path, io::to_line(json) + "\n");
}

}  // namespace longhaul::health

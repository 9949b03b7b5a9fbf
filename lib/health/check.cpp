// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/check.h"

#include <algorithm>

#include "lib/base/format.h"
#include "lib/health/gpu_keys.h"

namespace longhaul::health {

Checks all_checks() {
    Checks checks;
    add_driver_checks(checks);
    add_memory_checks(checks);
    add_clock_checks(checks);
    add_link_checks(checks);
    add_use_checks(checks);
    add_log_checks(checks);
    add_node_checks(checks);
    return checks;
}

bool has_gpus(const World& world) {
    return !world.now.gpus.empty();
}

std::string needs_gpus(const World& world) {
    return has_gpus(world) ? "" : "NVML shows no GPU here";
}

bool is_topic_read(const World& world, std::string_view topic) {
    return std::any_of(world.now.gpus.begin(), world.now.gpus.end(), [&](const Gpu& gpu) {
        return world.now.group(format("gpu.{}.{}", gpu.index, topic)).state == GroupState::kRead;
    });
}

std::string all_gpus(const World& world) {
    return format("{} GPUs", world.now.gpus.size());
}

std::optional<Rise> rise_of(const World& world, const Gpu& gpu, const char* counter) {
    const auto now = gpu.number(counter);
    const auto old = world.before.gpus.find(gpu.text(key::kUuid));
    if (!now || !world.before.exists || old == world.before.gpus.end()) return std::nullopt;
    const auto last = old->second.find(counter);
    if (last == old->second.end()) return std::nullopt;
    Rise rise;
    // A smaller value: the driver was reloaded and counts from zero.
    rise.count = *now < last->second ? *now : *now - last->second;
    // At least a minute, so that one event in a short interval is no flood.
    rise.hours = std::max(world.now.unix_s - world.before.unix_s, 60.0) / 3600;
    return rise;
}

}  // namespace longhaul::health

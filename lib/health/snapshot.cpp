// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/snapshot.h"

#include <algorithm>

#include "lib/base/format.h"
#include "lib/health/gpu_keys.h"

namespace longhaul::health {

namespace {

const Value* find(const Values& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? nullptr : &found->second;
}

}  // namespace

const char* group_state_name(GroupState state) {
    switch (state) {
        case GroupState::kRead:
            return "read";
        case GroupState::kFailed:
            return "failed";
        case GroupState::kTimedOut:
            return "timed out";
        case GroupState::kCrashed:
            return "crashed";
        case GroupState::kNotTried:
            break;
    }
    return "not tried";
}

std::optional<int64_t> Gpu::number(const std::string& key) const {
    const Value* const value = find(values, key);
    return value == nullptr || value->error != 0 ? std::nullopt : value->number;
}

std::string Gpu::text(const std::string& key) const {
    const Value* const value = find(values, key);
    return value == nullptr || value->error != 0 ? "" : value->text;
}

int Gpu::error(const std::string& key) const {
    const Value* const value = find(values, key);
    return value == nullptr ? -1 : value->error;
}

std::string Gpu::subject() const {
    std::string bus_id = text(key::kBusId);
    // NVML writes 00000000:4E:00.0, the kernel 0000:4e:00.0.
    std::transform(bus_id.begin(), bus_id.end(), bus_id.begin(),
                   [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
    if (bus_id.size() == 16 && bus_id.rfind("0000", 0) == 0) bus_id.erase(0, 4);
    return bus_id.empty() ? format("GPU {}", index) : format("GPU {} {}", index, bus_id);
}

const Group& Snapshot::group(const std::string& name) const {
    static const Group kMissing;
    const auto found = groups.find(name);
    return found == groups.end() ? kMissing : found->second;
}

}  // namespace longhaul::health

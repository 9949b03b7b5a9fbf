// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads NVML group by group. Runs in a child of the collector: any call may hang or crash.

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "lib/health/snapshot.h"

namespace longhaul::health {

/// What is read of each GPU, in this order: cheap and telling things first.
inline constexpr std::array<std::string_view, 8> kGpuTopics = {
    "identity", "recovery", "remap", "ecc", "clocks", "pcie", "nvlink", "use"};

class NvmlReader {
 public:
    NvmlReader();
    ~NvmlReader();
    NvmlReader(const NvmlReader&) = delete;
    NvmlReader& operator=(const NvmlReader&) = delete;

    /// Loads and starts NVML (once) and reads versions and the number of GPUs into `system`.
    /// @return "" or why there is no NVML here, in words for people.
    std::string start(Values& system);
    /// GPUs that NVML counts; 0 before a successful start().
    int num_gpus() const;
    /// Reads one topic of one GPU. Errors of single calls are part of the values.
    void read(int gpu, std::string_view topic, Values& values);

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace longhaul::health

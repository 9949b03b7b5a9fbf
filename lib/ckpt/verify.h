// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Is a checkpoint loadable, and is all of it intact? Findings instead of the first exception.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "lib/ckpt/load.h"
#include "lib/record/finding.h"

namespace longhaul::ckpt {

/// Why `directory` can be loaded or not, without reading payload: manifest, self hash, files and
/// their sizes, HDF5 containers agreeing with the manifest, slices tiling their tensors, wrecks of
/// interrupted saves. One ok finding when all is well.
std::vector<record::Finding> diagnose(const std::filesystem::path& directory);

struct VerifyOptions {
    int threads = 1;
    std::function<void(uint64_t bytes)> on_progress;  // thread-safe
};

/// Reads all payload: every slice's hash, every tensor's fingerprint. One fail for each damaged
/// slice, naming tensor, file and offset; empty when all is well.
std::vector<record::Finding> verify_payload(const Checkpoint& checkpoint,
                                            const VerifyOptions& options);

}  // namespace longhaul::ckpt

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Comparing two checkpoints tensor by tensor, whatever their layouts.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/ckpt/load.h"

namespace longhaul::ckpt {

enum class DiffStatus { kEqual, kDifferent, kOnlyFirst, kOnlySecond, kOtherShape };
const char* status_name(DiffStatus status);

struct TensorDiff {
    std::string name;
    Kind kind = Kind::kMaster;
    DiffStatus status = DiffStatus::kEqual;
    bool is_read = false;  // its bytes were compared, not only the recorded fingerprints
    // For kDifferent with float types: how far apart.
    int64_t num_elements = 0;
    int64_t num_different = 0;
    double max_abs = 0;            // largest |a - b|; infinity when only one is not a number
    double max_magnitude = 0;      // largest |b|, for a relative measure
    int64_t first_different = -1;  // row-major index
};

struct DiffOptions {
    std::vector<Kind> kinds;  // empty: all
    bool read_all = false;    // compare bytes even where the manifests' fingerprints agree
    int threads = 1;
    std::function<void(uint64_t bytes)> on_progress;
};

/// In order of (name, kind). Equal fingerprints and types count as equal without reading; tensors
/// of different types are compared by value.
std::vector<TensorDiff> diff(const Checkpoint& first, const Checkpoint& second,
                             const DiffOptions& options);

}  // namespace longhaul::ckpt

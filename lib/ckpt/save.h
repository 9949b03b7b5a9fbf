// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Saving a checkpoint from all ranks of a run, so that it exists completely or not at all.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "lib/base/error.h"
#include "lib/ckpt/manifest.h"
#include "lib/tensor/box.h"
#include "lib/tensor/dtype.h"

namespace longhaul::comm {
class Comm;
}

namespace longhaul::ckpt {

/// A part of a global tensor that lies in this rank's memory.
struct LocalSlice {
    std::string tensor;  // HF name
    Kind kind = Kind::kMaster;
    tensor::DType dtype = tensor::DType::kF32;
    tensor::Shape shape;  // of the global tensor
    tensor::Slice slice;
    std::span<const std::byte> bytes;  // slice.count * size_of(dtype), packed
};

/// A save failed on some rank; thrown on all ranks with the same text. The previous checkpoint is
/// untouched and nothing that counts was left behind, so a run may go on and try again.
class SaveError : public StoreError {
 public:
    SaveError(const std::string& cause, int error_number)
        : StoreError(cause), error_number_(error_number) {}
    /// ENOSPC, EDQUOT, EIO ... of the rank that failed first; 0: not a system call.
    int error_number() const { return error_number_; }

 private:
    int error_number_;
};

struct SaveResult {
    Hash128 self;        // of the manifest
    uint64_t bytes = 0;  // payload of all ranks
    double seconds = 0;  // from the call to the commit
};

/// Collective: all ranks of `comm` call it with the same `directory` and header (rank 0's counts).
/// Replicas may be handed in by every rank that has them: one writer is picked for each distinct
/// slice, and copies whose fingerprints differ are refused (silent corruption, lost sync). Distinct
/// slices of a tensor must be disjoint and cover it.
/// @param directory final name, RUN/ckpt/step-%08d; an existing one is replaced.
/// @throws SaveError
SaveResult save(const std::filesystem::path& directory, const Header& header,
                std::span<const LocalSlice> slices, comm::Comm& comm);

}  // namespace longhaul::ckpt

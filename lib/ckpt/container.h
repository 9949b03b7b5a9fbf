// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One HDF5 container of a checkpoint being written.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/ckpt/manifest.h"
#include "lib/io/file.h"

namespace longhaul::ckpt {

/// A slice that a container will hold.
struct PieceSpec {
    std::string tensor;
    Kind kind = Kind::kMaster;
    tensor::DType dtype = tensor::DType::kF32;
    int64_t count = 0;  // elements, above 0
};

/// "rank-00003.h5"
std::string container_name(int64_t rank);

/// Where `pieces` lie in a container with these pieces: "/kind/tensor/ordinal", in order.
std::vector<std::string> dataset_paths(const std::vector<PieceSpec>& pieces);

/// Creates the container with all its datasets and reserves its space, so that a full disk shows
/// before any payload is written; then takes the payload in any order.
class ContainerWriter {
 public:
    /// @throws H5Error, IoError (ENOSPC, EDQUOT)
    ContainerWriter(std::filesystem::path file, const std::vector<PieceSpec>& pieces);

    /// Takes over a container that an interrupted run created whole.
    /// @return nothing when it is not exactly what the constructor would make.
    static std::optional<ContainerWriter> reopen(const std::filesystem::path& file,
                                                 const std::vector<PieceSpec>& pieces);

    uint64_t byte_offset(size_t piece) const { return offsets_[piece]; }
    /// Thread-safe for different places. @param at byte inside the piece.
    void write(size_t piece, uint64_t at, std::span<const std::byte> bytes) const;
    /// Writes a whole piece and hashes it on the way, in steps that stay in the cache.
    Hash128 write_hashed(size_t piece, std::span<const std::byte> bytes) const;
    /// fsync and close. @return the file's size.
    uint64_t close();

 private:
    ContainerWriter() = default;

    std::filesystem::path file_;
    std::vector<uint64_t> offsets_;
    io::UniqueFd fd_;
};

}  // namespace longhaul::ckpt

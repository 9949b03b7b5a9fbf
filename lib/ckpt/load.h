// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Opening checkpoints and reading any slice of any tensor from any layout, verified.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/ckpt/manifest.h"
#include "lib/tensor/box.h"
#include "lib/tensor/dtype.h"

namespace longhaul::comm {
class Comm;
}

namespace longhaul::ckpt {

/// An open checkpoint. Cheap to copy; read() is thread-safe.
class Checkpoint {
 public:
    /// Parses the manifest and checks that every file is there with its size.
    /// @throws DataError, IoError naming the file.
    static Checkpoint open(const std::filesystem::path& directory);

    const std::filesystem::path& directory() const;
    const Manifest& manifest() const;
    const Header& header() const { return manifest().header; }

    /// @return null when the checkpoint has no such tensor.
    const TensorEntry* find(const std::string& tensor, Kind kind) const;

    /// Fills `out` with the elements of `slice`. Every stored slice that is touched is hashed
    /// whole; a mismatch is a DataError naming tensor, file and offset.
    /// @param dtype must be the stored one. @param out slice.count * size_of(dtype) bytes.
    void read(const std::string& tensor, Kind kind, const tensor::Slice& slice, tensor::DType dtype,
              std::span<std::byte> out) const;

    /// Reads one stored slice (a number in manifest().slices) whole, and checks its hash.
    /// @param out slice_bytes() bytes. @throws DataError naming tensor, file and offset.
    void read_stored(uint32_t slice_number, std::span<std::byte> out) const;
    /// The same in pieces of at most 1 MiB that are in the processor's cache when `visit` gets
    /// them; the hash is checked after the last.
    using Visit = std::function<void(uint64_t byte, std::span<const std::byte> piece)>;
    void stream_stored(uint32_t slice_number, const Visit& visit) const;
    /// Numbers of the stored slices of a tensor (an index in manifest().tensors) that may share
    /// elements with `wanted`.
    std::vector<uint32_t> overlapping(uint32_t tensor, const tensor::Slice& wanted) const;

 private:
    struct Impl;
    explicit Checkpoint(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
    std::shared_ptr<const Impl> impl_;
};

/// A directory that was looked at: loadable, or why not.
struct Candidate {
    std::filesystem::path directory;
    int64_t step = -1;   // of the manifest, or of the name when there is none
    std::string reason;  // "" when loadable
    Hash128 self;        // of the manifest, when it parses
    bool is_loadable() const { return reason.empty(); }
};

/// What to do about a checkpoint that cannot be examined now (permission, I/O error): it may be
/// sound, so programs that choose or delete stop there; those that only show go on.
enum class Unreadable { kThrow, kReport };

/// All step-* directories under `run_checkpoints`, newest first; empty when it does not exist.
/// @throws IoError
std::vector<Candidate> list_checkpoints(const std::filesystem::path& run_checkpoints,
                                        Unreadable unreadable = Unreadable::kThrow);

/// Collective. The newest loadable checkpoint: rank 0 chooses, logs what it skipped and why, and
/// broadcasts; every rank then checks that it read the same manifest. A commit that was interrupted
/// between its last two renames is finished first.
/// @return nothing on all ranks when there is none. @throws DataError on all ranks.
std::optional<Checkpoint> latest(const std::filesystem::path& run_checkpoints, comm::Comm& comm);

}  // namespace longhaul::ckpt

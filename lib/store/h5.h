// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// HDF5 containers of contiguous datasets: created and closed first, payload written and read with
// pwrite/pread at fixed byte offsets. The library never sees payload and never converts it, so a
// file is readable by any HDF5 tool and a crash can not leave an open container behind.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/error.h"
#include "lib/tensor/dtype.h"

namespace longhaul::store {

/// HDF5 failed; keeps the errno that the library met (0: unknown) for those who handle ENOSPC.
class H5Error : public StoreError {
 public:
    H5Error(const std::string& cause, int error_number)
        : StoreError(cause), error_number_(error_number) {}
    int error_number() const { return error_number_; }

 private:
    int error_number_;
};

/// One 1-D dataset to create. `path` is absolute, "/master/wte.weight/0"; groups are made.
struct DatasetSpec {
    std::string path;
    tensor::DType dtype = tensor::DType::kF32;
    uint64_t count = 0;  // elements; 0 is legal and has no storage
};

/// Attributes of the root group: text and integers.
struct Attributes {
    std::map<std::string, std::string> text;
    std::map<std::string, int64_t> integers;
};

/// Payloads of at least kAlignFrom bytes start at multiples of kAlignment (O_DIRECT, GPUDirect).
constexpr uint64_t kAlignment = 4096;
constexpr uint64_t kAlignFrom = 4096;

/// Creates `file` (which must not exist) with all datasets allocated and unfilled, and closes it.
/// @return the byte offset of each dataset's payload, in order (0 where count is 0).
/// @throws H5Error, also for a path given twice.
std::vector<uint64_t> create_contiguous(const std::filesystem::path& file,
                                        const std::vector<DatasetSpec>& datasets,
                                        const Attributes& attributes = {});

/// A dataset found in a file, with where its payload lies.
struct DatasetInfo {
    std::string path;
    tensor::DType dtype = tensor::DType::kF32;
    std::vector<uint64_t> shape;
    uint64_t byte_offset = 0;
    uint64_t bytes = 0;
};

/// What a container holds, read once at construction; no HDF5 handle stays open.
/// Thread-safe after construction.
class H5Reader {
 public:
    /// @throws H5Error "FILE: not an HDF5 file", or naming a dataset that is chunked, compressed,
    /// big-endian, of another type, or reaches past the end of the file (a cut file).
    explicit H5Reader(const std::filesystem::path& file);

    const std::filesystem::path& file() const { return file_; }
    /// In order of path.
    const std::vector<DatasetInfo>& datasets() const { return datasets_; }
    /// @return null when there is no such dataset.
    const DatasetInfo* find(const std::string& path) const;
    /// @throws H5Error naming the file and the missing dataset.
    const DatasetInfo& require(const std::string& path) const;
    const Attributes& attributes() const { return attributes_; }

 private:
    std::filesystem::path file_;
    std::vector<DatasetInfo> datasets_;
    Attributes attributes_;
};

}  // namespace longhaul::store

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Toy tensors for the checkpoint tests: every element is a pure function of (tensor, kind, index),
// so any slice in any layout can be made and checked by itself.

#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/ckpt/save.h"
#include "lib/tensor/box.h"

namespace longhaul::ckpt::test {

class TempDir {
 public:
    TempDir() {
        std::string name = (std::filesystem::temp_directory_path() / "ckpt_test.XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~TempDir() { std::filesystem::remove_all(path_); }
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
    std::filesystem::path path_;
};

inline float element(const std::string& tensor, Kind kind, int64_t index, uint64_t salt) {
    const uint64_t key = xxh3_64(tensor, salt * 4 + static_cast<uint64_t>(kind));
    const auto mixed =
        static_cast<uint32_t>(((key ^ static_cast<uint64_t>(index)) * 0x9E3779B97F4A7C15u) >> 41);
    return std::bit_cast<float>(0x3F000000u | mixed);  // 0.5 to 2: no NaN
}

inline std::vector<std::byte> slice_values(const std::string& tensor, Kind kind,
                                           const tensor::Shape& shape, const tensor::Slice& slice,
                                           uint64_t salt) {
    std::vector<float> values(static_cast<size_t>(slice.count));
    tensor::for_each_copy_run(slice, tensor::Slice::whole(tensor::Box::whole(shape)),
                              [&](const tensor::CopyRun& run) {
                                  for (int64_t i = 0; i < run.count; ++i) {
                                      values[static_cast<size_t>(run.source_index + i)] =
                                          element(tensor, kind, run.destination_index + i, salt);
                                  }
                              });
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

struct ToyTensor {
    std::string name;
    tensor::Shape shape;
    int tp_axis = -1;  // -1: replicated
};

/// A small model with odd sizes: vocabulary 101, a column-parallel, a row-parallel, a norm, a
/// scalar.
inline std::vector<ToyTensor> toy_tensors() {
    return {{"embed.weight", {101, 6}, 0},
            {"layers.0.down.weight", {6, 14}, 1},
            {"layers.0.up.weight", {14, 6}, 0},
            {"norm.weight", {6}, -1},
            {"scale", {}, -1}};
}

/// What one rank of a tp x zero layout holds; keeps the bytes alive.
struct ToyRank {
    std::vector<std::vector<std::byte>> storage;
    std::vector<LocalSlice> slices;
};

inline tensor::Slice toy_slice(const ToyTensor& tensor, int tp, int zero, int tp_index,
                               int zero_index) {
    tensor::Box box = tensor::Box::whole(tensor.shape);
    if (tensor.tp_axis >= 0) {
        const auto axis = static_cast<size_t>(tensor.tp_axis);
        const auto range = tensor::split_evenly(tensor.shape[axis], tp, tp_index);
        box.offset[axis] = range.first;
        box.extent[axis] = range.count;
    }
    const auto range = tensor::split_evenly(box.num_elements(), zero, zero_index);
    return {box, range.first, range.count};
}

inline ToyRank toy_rank(int tp, int zero, int rank, uint64_t salt) {
    ToyRank result;
    for (const ToyTensor& tensor : toy_tensors()) {
        const tensor::Slice slice = toy_slice(tensor, tp, zero, rank % tp, rank / tp);
        for (const Kind kind : {Kind::kMaster, Kind::kM, Kind::kV}) {
            result.storage.push_back(slice_values(tensor.name, kind, tensor.shape, slice, salt));
            result.slices.push_back({tensor.name, kind, tensor::DType::kF32, tensor.shape, slice,
                                     result.storage.back()});
        }
    }
    return result;
}

inline Header toy_header(int64_t step) {
    Header header;
    header.step = step;
    header.seed = 42;
    header.cursor_json = R"({"sample":1234,"skip":[[5,9]]})";
    header.config = "[job]\nname = \"toy\"\n";
    header.hf_config_json = R"({"model_type":"toy"})";
    header.data = {{"shards", Hash128{1, 2}}};
    header.writer = "test";
    return header;
}

}  // namespace longhaul::ckpt::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The safetensors container: u64 little-endian N, N bytes of JSON, then tensors back to back.
// @source huggingface/safetensors README.md and safetensors/src/tensor.rs

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/tensor/box.h"
#include "lib/tensor/dtype.h"

namespace longhaul::ckpt {

struct SafeTensor {
    std::string name;
    std::string dtype;  // as spelt there: "F32", "BF16", "F8_E4M3", ...
    tensor::Shape shape;
    uint64_t begin = 0;  // bytes from the start of the data
    uint64_t end = 0;
    bool operator==(const SafeTensor&) const = default;
};

struct SafetensorsHeader {
    std::vector<SafeTensor> tensors;  // in order of `begin`
    std::map<std::string, std::string> metadata;
    uint64_t data_offset = 0;  // of the data in the file
};

/// Nothing for types that Longhaul has no DType for.
std::optional<tensor::DType> dtype_of_safetensors(std::string_view dtype);
/// "F32", "BF16", ...
std::string_view safetensors_name(tensor::DType dtype);

/// Parses and checks a header strictly: known types, no doubled names, offsets contiguous from 0,
/// sizes that fit shape and type, and a file of exactly the right length.
/// @param json the N bytes. @param file_bytes size of the whole file.
/// @throws DataError "SOURCE: byte N: what"
SafetensorsHeader parse_safetensors(std::string_view json, uint64_t file_bytes,
                                    const std::string& source);
SafetensorsHeader read_safetensors_header(const std::filesystem::path& file);

/// Puts tensors into the order in which the reference library writes them (by falling alignment,
/// then name) and sets their offsets.
void lay_out_safetensors(std::vector<SafeTensor>& tensors);
/// The start of a file with these tensors: length, JSON, padding to a multiple of 8.
std::string safetensors_prefix(const std::vector<SafeTensor>& tensors,
                               const std::map<std::string, std::string>& metadata);

}  // namespace longhaul::ckpt

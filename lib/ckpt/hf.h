// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Hugging Face model folders in and out: config.json, safetensors (one file or shards with an
// index), tokenizer files. Tensors keep their names and shapes, so both ways stream.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "lib/ckpt/load.h"

namespace longhaul::ckpt {

struct HfExportOptions {
    std::optional<tensor::DType> dtype;        // else what config.json says, else as stored
    uint64_t max_shard_bytes = 5'000'000'000;  // as huggingface_hub cuts
    std::filesystem::path tokenizer;           // folder to copy from; empty: the data's tokenizer
    bool force = false;                        // replace an existing folder
    std::function<void(uint64_t bytes)> on_progress;
};

struct HfExportResult {
    uint64_t bytes = 0;
    size_t num_files = 0;             // safetensors files
    std::filesystem::path tokenizer;  // folder the tokenizer came from, empty: none found
};

/// Writes the master weights of `source` as a folder that transformers loads.
/// @throws UsageError when the checkpoint has no hf_config, the folder exists, or may not be
/// replaced (check_destination); DataError when tensors are missing or damaged.
HfExportResult export_hf(const Checkpoint& source, const std::filesystem::path& folder,
                         const HfExportOptions& options);

struct HfImportOptions {
    std::optional<tensor::DType> dtype = tensor::DType::kF32;  // of the masters; nothing: as there
    int64_t step = 0;
    bool force = false;
    std::function<void(uint64_t bytes)> on_progress;
};

/// Makes a checkpoint (class "import", masters only: moments start at zero) of an HF folder.
/// @return its manifest's hash. @throws DataError naming file and place for bad safetensors, a
/// missing shard, missing or unexpected tensors, a config.json that does not describe them;
/// UsageError as above.
Hash128 import_hf(const std::filesystem::path& folder, const std::filesystem::path& directory,
                  const HfImportOptions& options);

}  // namespace longhaul::ckpt

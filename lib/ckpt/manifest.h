// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MANIFEST.json of a checkpoint (longhaul-checkpoint.5): what it holds and where each slice lies.
// The text is canonical: equal content gives equal bytes, and it ends with its own hash. A file
// that does not parse, does not hash to itself or is not canonical is not a manifest.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash.h"
#include "lib/ckpt/fingerprint.h"
#include "lib/tensor/box.h"
#include "lib/tensor/dtype.h"

namespace longhaul::ckpt {

inline constexpr std::string_view kManifestName = "MANIFEST.json";

/// What a stored tensor is: fp32 master weight, Adam's first and second moment, anything else.
enum class Kind : uint8_t { kMaster, kM, kV, kState };
std::string_view name_of(Kind kind);
std::optional<Kind> kind_from_name(std::string_view name);

/// The mesh that wrote the checkpoint; for information and for ckpt-reshard, never for loading.
struct Layout {
    int64_t tp = 1, pp = 1, cp = 1, ep = 1, dp_replicate = 1, dp_shard = 1, zero = 0;
    auto operator<=>(const Layout&) const = default;
    int64_t world_size() const { return tp * pp * cp * dp_replicate * dp_shard; }
};

/// The checkpoint that this run was loaded from, or a resharded one was made of.
struct Parent {
    std::string directory;  // "step-00001000" or a path; "" when there is none
    Hash128 self;           // of its manifest
    auto operator<=>(const Parent&) const = default;
};

/// The manifest of a data set that the model was trained on.
struct DataManifest {
    std::string path;  // of the shard folder (which has tokenizer/)
    Hash128 hash;
    auto operator<=>(const DataManifest&) const = default;
};

/// Everything but tensors. `*_json` are JSON values kept as one canonical line; "" means null.
struct Header {
    int64_t step = 0;
    uint64_t seed = 0;
    std::string cursor_json;     // data phases and skip ranges
    std::string schedule_json;   // learning rate schedule and its state
    std::string hf_config_json;  // the model, as HF's config.json says it
    std::string changes_json;    // what a resumed run changed, with steps
    std::string config;          // effective run.toml
    Layout layout;
    Parent parent;
    std::vector<DataManifest> data;
    std::string health = "unknown";            // "ok", "suspect", "unknown", ...
    std::string checkpoint_class = "regular";  // "regular", "milestone", "notice", "import", ...
    std::string writer;                        // "train-run 0.1.0"
    bool operator==(const Header&) const = default;
};

struct FileEntry {
    std::string name;  // relative to the checkpoint, no folders
    uint64_t bytes = 0;
    auto operator<=>(const FileEntry&) const = default;
};

/// One global tensor of one kind.
struct TensorEntry {
    std::string name;  // HF name
    Kind kind = Kind::kMaster;
    tensor::DType dtype = tensor::DType::kF32;
    tensor::Shape shape;
    Fingerprint fingerprint;
    auto operator<=>(const TensorEntry&) const = default;
};

/// Where a part of a tensor lies. Its bytes are packed, row-major, little-endian.
struct SliceEntry {
    uint32_t tensor = 0;  // index in Manifest::tensors
    tensor::Slice slice;
    uint32_t file = 0;  // index in Manifest::files
    uint64_t byte_offset = 0;
    Hash128 hash;  // XXH3-128 of its bytes
    auto operator<=>(const SliceEntry&) const = default;
};

struct Manifest {
    Header header;
    std::vector<FileEntry> files;
    std::vector<TensorEntry> tensors;  // sorted by (name, kind), no two alike
    std::vector<SliceEntry> slices;    // sorted by (tensor, first global element, file, offset)
    Hash128 self;                      // set by manifest_text() and parse_manifest()
};

uint64_t slice_bytes(const Manifest& manifest, const SliceEntry& slice);
/// Bytes of all tensors.
uint64_t total_bytes(const Manifest& manifest);
/// "/master/wte.weight/0": the dataset of a tensor's `ordinal`-th slice in one container.
std::string dataset_path(Kind kind, const std::string& tensor, size_t ordinal);

/// Sorts tensors and slices into canonical order and renumbers.
void canonicalize(Manifest& manifest);
/// The canonical text, and sets `manifest.self`. @throws DataError for a JSON member that is none.
std::string manifest_text(Manifest& manifest);
/// @param source file name for messages. @throws DataError "SOURCE: byte N: what".
/// Checks syntax, order, ranges and the self hash; not that slices cover tensors (see cover.h).
Manifest parse_manifest(std::string_view text, const std::string& source);
/// Reads DIRECTORY/MANIFEST.json.
Manifest read_manifest(const std::filesystem::path& directory);

}  // namespace longhaul::ckpt

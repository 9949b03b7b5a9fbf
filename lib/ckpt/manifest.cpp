// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/manifest.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/ckpt/manifest_header.h"
#include "lib/io/file.h"
#include "lib/io/json.h"

namespace longhaul::ckpt {
namespace {

constexpr std::array<std::string_view, 4> kKindNames{"master", "m", "v", "state"};

void append_list(std::string& text, const std::vector<int64_t>& values) {
    text += '[';
    for (size_t i = 0; i < values.size(); ++i) {
        if (i > 0) text += ',';
        fmt::format_to(std::back_inserter(text), "{}", values[i]);
    }
    text += ']';
}

void append_slice(std::string& text, const SliceEntry& entry) {
    fmt::format_to(std::back_inserter(text), "[{},", entry.tensor);
    append_list(text, entry.slice.box.offset);
    text += ',';
    append_list(text, entry.slice.box.extent);
    fmt::format_to(std::back_inserter(text), ",{},{},{},{},\"{}\"]", entry.slice.first,
                   entry.slice.count, entry.file, entry.byte_offset, entry.hash.hex());
}

/// ",\n" between the rows of a table, each row on its own line.
template <class Rows, class Append>
void append_table(std::string& text, std::string_view name, const Rows& rows, Append append) {
    text += ",\n\"";
    text += name;
    text += "\":[";
    const char* separator = "\n";
    for (const auto& row : rows) {
        text += separator;
        append(row);
        separator = ",\n";
    }
    text += "\n]";
}

}  // namespace

std::string_view name_of(Kind kind) {
    return kKindNames[static_cast<size_t>(kind)];
}

std::optional<Kind> kind_from_name(std::string_view name) {
    const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
    if (found == kKindNames.end()) return std::nullopt;
    return static_cast<Kind>(found - kKindNames.begin());
}

uint64_t slice_bytes(const Manifest& manifest, const SliceEntry& slice) {
    return static_cast<uint64_t>(slice.slice.count) *
           tensor::size_of(manifest.tensors[slice.tensor].dtype);
}

uint64_t total_bytes(const Manifest& manifest) {
    uint64_t total = 0;
    for (const TensorEntry& entry : manifest.tensors) {
        total +=
            static_cast<uint64_t>(tensor::num_elements(entry.shape)) * tensor::size_of(entry.dtype);
    }
    return total;
}

std::string dataset_path(Kind kind, const std::string& tensor, size_t ordinal) {
    return format("/{}/{}/{}", name_of(kind), tensor, ordinal);
}

void canonicalize(Manifest& manifest) {
    std::vector<uint32_t> order(manifest.tensors.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        const TensorEntry& left = manifest.tensors[a];
        const TensorEntry& right = manifest.tensors[b];
        return std::tie(left.name, left.kind) < std::tie(right.name, right.kind);
    });
    std::vector<uint32_t> renumbered(order.size());
    std::vector<TensorEntry> sorted;
    for (const uint32_t old : order) {
        renumbered[old] = static_cast<uint32_t>(sorted.size());
        sorted.push_back(std::move(manifest.tensors[old]));
    }
    manifest.tensors = std::move(sorted);
    for (SliceEntry& entry : manifest.slices) entry.tensor = renumbered[entry.tensor];
    std::sort(manifest.slices.begin(), manifest.slices.end());
}

std::string manifest_text(Manifest& manifest) {
    std::string text = "{\"format\":\"longhaul-checkpoint\",\"version\":1,\n\"header\":";
    text += header_json(manifest.header);
    append_table(text, "files", manifest.files, [&](const FileEntry& file) {
        text += io::to_line(io::Json::array({file.name, file.bytes}));
    });
    append_table(text, "tensors", manifest.tensors, [&](const TensorEntry& tensor) {
        text += io::to_line(io::Json::array({tensor.name, std::string(name_of(tensor.kind)),
                                             std::string(tensor::name_of(tensor.dtype)),
                                             io::Json(tensor.shape), tensor.fingerprint.hex()}));
    });
    append_table(text, "slices", manifest.slices,
                 [&](const SliceEntry& slice) { append_slice(text, slice); });
    text += '\n';
    manifest.self = xxh3_128(text);
    text += ",\"self\":\"" + manifest.self.hex() + "\"}";
    return text;
}

Manifest read_manifest(const std::filesystem::path& directory) {
    const std::filesystem::path file = directory / kManifestName;
    return parse_manifest(io::read_text_file(file, 8ull << 30), file.string());
}

}  // namespace longhaul::ckpt

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <tuple>

#include "lib/base/error.h"
#include "lib/ckpt/json_cursor.h"
#include "lib/ckpt/manifest.h"
#include "lib/ckpt/manifest_header.h"

namespace longhaul::ckpt {
namespace {

// `,"self":"` + 32 digits + `"}`
constexpr std::string_view kSelfKey = ",\"self\":\"";
constexpr size_t kTailBytes = kSelfKey.size() + 32 + 2;
constexpr int64_t kMaxElements = int64_t{1} << 56;
constexpr size_t kMaxRank = 16;

/// Checks the trailing hash first: a torn or damaged text is told apart from a wrong one.
Hash128 check_self(std::string_view text, const std::string& source) {
    if (text.size() < kTailBytes || !text.ends_with("\"}") ||
        text.substr(text.size() - kTailBytes, kSelfKey.size()) != kSelfKey) {
        throw DataError(source, text.size(), "does not end in its own hash: it was cut or edited");
    }
    const std::string_view body = text.substr(0, text.size() - kTailBytes);
    const auto told = Hash128::from_hex(text.substr(text.size() - 34, 32));
    const Hash128 found = xxh3_128(body);
    if (!told || *told != found) {
        throw DataError(
            format("{}: its content hashes to {}, not to the \"self\" that it ends in: "
                   "it was damaged or edited",
                   source, found.hex()));
    }
    return found;
}

std::vector<int64_t> parse_list(JsonCursor& in) {
    std::vector<int64_t> values;
    in.expect("[");
    if (in.accept(']')) return values;
    do {
        values.push_back(in.size());
        if (values.size() > kMaxRank) in.fail("more than 16 dimensions");
    } while (in.accept(','));
    in.expect("]");
    return values;
}

/// Calls `row` for each "[...]" of the table `name`.
template <class Row>
void parse_table(JsonCursor& in, std::string_view name, Row row) {
    in.expect(",");
    in.expect(format("\"{}\":", name));
    in.expect("[");
    if (in.accept(']')) return;
    do {
        in.expect("[");
        row();
        in.expect("]");
    } while (in.accept(','));
    in.expect("]");
}

int64_t checked_elements(JsonCursor& in, const tensor::Shape& shape) {
    int64_t total = 1;
    for (const int64_t extent : shape) {
        if (extent != 0 && total > kMaxElements / extent) in.fail("absurd shape");
        total *= extent;
    }
    return total;
}

FileEntry parse_file(JsonCursor& in) {
    FileEntry file;
    file.name = in.string();
    const bool is_plain = !file.name.empty() && file.name[0] != '.' &&
                          file.name.find('/') == std::string::npos &&
                          file.name.find('\0') == std::string::npos;
    if (!is_plain) in.fail("file name with a folder or a leading dot");
    in.expect(",");
    file.bytes = in.unsigned_integer();
    return file;
}

TensorEntry parse_tensor(JsonCursor& in) {
    TensorEntry entry;
    entry.name = in.string();
    in.expect(",");
    const auto kind = kind_from_name(in.string());
    if (!kind) in.fail("unknown kind");
    in.expect(",");
    const auto dtype = tensor::dtype_from_name(in.string());
    if (!dtype) in.fail("unknown dtype");
    in.expect(",");
    entry.kind = *kind;
    entry.dtype = *dtype;
    entry.shape = parse_list(in);
    checked_elements(in, entry.shape);
    in.expect(",");
    const auto print = Fingerprint::from_hex(in.string());
    if (!print) in.fail("fingerprint is not 32 hex digits");
    entry.fingerprint = *print;
    return entry;
}

void check_box(JsonCursor& in, const tensor::Box& box, const TensorEntry& tensor) {
    const size_t rank = tensor.shape.size();
    bool fits = box.offset.size() == rank && box.extent.size() == rank;
    for (size_t d = 0; fits && d < rank; ++d) {
        fits = box.extent[d] > 0 && box.offset[d] < tensor.shape[d] &&
               box.extent[d] <= tensor.shape[d] - box.offset[d];
    }
    if (!fits) in.fail(format("slice outside of tensor {}", tensor.name));
}

SliceEntry parse_slice(JsonCursor& in, const Manifest& manifest) {
    SliceEntry entry;
    const uint64_t index = in.unsigned_integer();
    if (index >= manifest.tensors.size()) in.fail("no such tensor");
    entry.tensor = static_cast<uint32_t>(index);
    const TensorEntry& tensor = manifest.tensors[index];
    in.expect(",");
    entry.slice.box.offset = parse_list(in);
    in.expect(",");
    entry.slice.box.extent = parse_list(in);
    check_box(in, entry.slice.box, tensor);
    in.expect(",");
    entry.slice.first = in.size();
    in.expect(",");
    entry.slice.count = in.size();
    const int64_t total = entry.slice.box.num_elements();
    if (entry.slice.first > total || entry.slice.count > total - entry.slice.first ||
        entry.slice.count == 0) {
        in.fail(format("range outside of its box in tensor {}", tensor.name));
    }
    in.expect(",");
    const uint64_t file = in.unsigned_integer();
    if (file >= manifest.files.size()) in.fail("no such file");
    entry.file = static_cast<uint32_t>(file);
    in.expect(",");
    entry.byte_offset = in.unsigned_integer();
    const uint64_t file_bytes = manifest.files[file].bytes;
    if (entry.byte_offset > file_bytes ||
        slice_bytes(manifest, entry) > file_bytes - entry.byte_offset) {
        in.fail(format("slice behind the end of {}", manifest.files[file].name));
    }
    in.expect(",");
    const auto hash = Hash128::from_hex(in.string());
    if (!hash) in.fail("hash is not 32 hex digits");
    entry.hash = *hash;
    return entry;
}

}  // namespace

Manifest parse_manifest(std::string_view text, const std::string& source) {
    Manifest manifest;
    manifest.self = check_self(text, source);
    JsonCursor in(text.substr(0, text.size() - kTailBytes), source);
    in.expect("{\"format\":\"longhaul-checkpoint\",\"version\":");
    if (const uint64_t version = in.unsigned_integer(); version != 1) {
        in.fail(format("format version {}; this program reads version 1", version));
    }
    in.expect(",");
    in.expect("\"header\":");
    manifest.header = parse_header(in.raw_value(), source + ": header");
    parse_table(in, "files", [&] { manifest.files.push_back(parse_file(in)); });
    parse_table(in, "tensors", [&] {
        manifest.tensors.push_back(parse_tensor(in));
        const size_t n = manifest.tensors.size();
        if (n < 2) return;
        const TensorEntry& last = manifest.tensors[n - 2];
        const TensorEntry& now = manifest.tensors[n - 1];
        if (std::tie(last.name, last.kind) >= std::tie(now.name, now.kind)) {
            in.fail(format("tensor {} out of order", now.name));
        }
    });
    parse_table(in, "slices", [&] {
        manifest.slices.push_back(parse_slice(in, manifest));
        const size_t n = manifest.slices.size();
        if (n > 1 && manifest.slices[n - 2] >= manifest.slices[n - 1])
            in.fail("slice out of order");
    });
    in.end();
    if (manifest_text(manifest) != text) throw DataError(source + ": not in canonical form");
    return manifest;
}

}  // namespace longhaul::ckpt

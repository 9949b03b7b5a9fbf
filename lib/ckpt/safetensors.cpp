// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/safetensors.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>

#include "lib/base/error.h"
#include "lib/ckpt/json_cursor.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/text/unicode.h"

namespace longhaul::ckpt {
namespace {

using tensor::DType;

constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // limit of the reference library

struct TypeInfo {
    std::string_view name;
    uint64_t bits;
    std::optional<DType> dtype;
};
// In the library's order of rising alignment.
const std::array<TypeInfo, 22> kTypes{{{"BOOL", 8, {}},
                                       {"F4", 4, {}},
                                       {"F6_E2M3", 6, {}},
                                       {"F6_E3M2", 6, {}},
                                       {"U8", 8, DType::kU8},
                                       {"I8", 8, {}},
                                       {"F8_E5M2", 8, {}},
                                       {"F8_E4M3", 8, {}},
                                       {"F8_E8M0", 8, {}},
                                       {"F8_E4M3FNUZ", 8, {}},
                                       {"F8_E5M2FNUZ", 8, {}},
                                       {"I16", 16, {}},
                                       {"U16", 16, DType::kU16},
                                       {"F16", 16, DType::kF16},
                                       {"BF16", 16, DType::kBF16},
                                       {"I32", 32, DType::kI32},
                                       {"U32", 32, DType::kU32},
                                       {"F32", 32, DType::kF32},
                                       {"C64", 64, {}},
                                       {"F64", 64, DType::kF64},
                                       {"I64", 64, DType::kI64},
                                       {"U64", 64, DType::kU64}}};

const TypeInfo* find_type(std::string_view name) {
    const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                    [&](const TypeInfo& type) { return type.name == name; });
    return found == kTypes.end() ? nullptr : &*found;
}

ptrdiff_t alignment_rank(std::string_view name) {
    return find_type(name) - kTypes.data();
}

std::optional<uint64_t> bytes_of(const tensor::Shape& shape, uint64_t bits) {
    uint64_t total = bits;
    for (const int64_t extent : shape) {
        const auto factor = static_cast<uint64_t>(extent);
        if (factor != 0 && total > UINT64_MAX / factor) return std::nullopt;
        total *= factor;
    }
    if (total % 8 != 0) return std::nullopt;
    return total / 8;
}

void parse_metadata(JsonCursor& in, SafetensorsHeader& header) {
    in.expect("{");
    if (in.accept('}')) return;
    do {
        const std::string key = in.string();
        in.expect(":");
        if (!header.metadata.emplace(key, in.string()).second) in.fail("doubled metadata key");
    } while (in.accept(','));
    in.expect("}");
}

tensor::Shape parse_shape(JsonCursor& in) {
    tensor::Shape shape;
    in.expect("[");
    if (in.accept(']')) return shape;
    do {
        shape.push_back(in.size());
        if (shape.size() > 32) in.fail("more than 32 dimensions");
    } while (in.accept(','));
    in.expect("]");
    return shape;
}

/// The members may come in any order, each once.
SafeTensor parse_entry(JsonCursor& in, std::string name) {
    SafeTensor entry;
    entry.name = std::move(name);
    std::set<std::string> seen;
    in.expect("{");
    do {
        const std::string key = in.string();
        in.expect(":");
        if (!seen.insert(key).second) in.fail(format("\"{}\" twice in {}", key, entry.name));
        if (key == "dtype") {
            entry.dtype = in.string();
            if (find_type(entry.dtype) == nullptr) in.fail("unknown dtype " + entry.dtype);
        } else if (key == "shape") {
            entry.shape = parse_shape(in);
        } else if (key == "data_offsets") {
            in.expect("[");
            entry.begin = in.unsigned_integer();
            in.expect(",");
            entry.end = in.unsigned_integer();
            in.expect("]");
        } else {
            in.fail(format("unknown member \"{}\" of {}", key, entry.name));
        }
    } while (in.accept(','));
    in.expect("}");
    if (seen.size() != 3) in.fail(entry.name + " lacks dtype, shape or data_offsets");
    return entry;
}

void check_layout(SafetensorsHeader& header, uint64_t data_bytes, const std::string& source) {
    std::sort(header.tensors.begin(), header.tensors.end(),
              [](const SafeTensor& a, const SafeTensor& b) {
                  return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
              });
    uint64_t next = 0;
    for (const SafeTensor& entry : header.tensors) {
        if (entry.begin != next || entry.end < entry.begin) {
            throw DataError(
                format("{}: tensor {} lies at {} to {}, expected from {} on: holes and "
                       "overlaps are not allowed",
                       source, entry.name, entry.begin, entry.end, next));
        }
        const auto bytes = bytes_of(entry.shape, find_type(entry.dtype)->bits);
        if (!bytes || *bytes != entry.end - entry.begin) {
            throw DataError(format("{}: tensor {}: {} bytes do not fit its shape and type {}",
                                   source, entry.name, entry.end - entry.begin, entry.dtype));
        }
        next = entry.end;
    }
    if (next != data_bytes) {
        throw DataError(
            format("{}: {} bytes of data, the header speaks of {}: the file was cut or "
                   "has a tail",
                   source, data_bytes, next));
    }
}

}  // namespace

std::optional<DType> dtype_of_safetensors(std::string_view dtype) {
    const TypeInfo* type = find_type(dtype);
    return type == nullptr ? std::nullopt : type->dtype;
}

std::string_view safetensors_name(DType dtype) {
    for (const TypeInfo& type : kTypes) {
        if (type.dtype == dtype) return type.name;
    }
    throw DataError(format("safetensors has no type for {}", tensor::name_of(dtype)));
}

SafetensorsHeader parse_safetensors(std::string_view json, uint64_t file_bytes,
                                    const std::string& source) {
    SafetensorsHeader header;
    header.data_offset = 8 + json.size();
    JsonCursor in(json, source, 8);
    if (json.empty() || json[0] != '{') in.fail("the header does not begin with '{'");
    if (header.data_offset > file_bytes) in.fail("the header is longer than the file");
    if (const size_t at = text::find_invalid_utf8(json); at < json.size()) {
        throw DataError(source, 8 + at, "the header is not UTF-8");
    }
    std::set<std::string> names;
    in.expect("{");
    if (!in.accept('}')) {
        do {
            std::string name = in.string();
            if (!names.insert(name).second) in.fail(format("tensor {} twice", name));
            in.expect(":");
            if (name == "__metadata__") {
                parse_metadata(in, header);
            } else {
                header.tensors.push_back(parse_entry(in, std::move(name)));
            }
        } while (in.accept(','));
        in.expect("}");
    }
    in.end();
    check_layout(header, file_bytes - header.data_offset, source);
    return header;
}

SafetensorsHeader read_safetensors_header(const std::filesystem::path& file) {
    static_assert(std::endian::native == std::endian::little);
    const std::string name = file.string();
    const uint64_t file_bytes = io::file_size(file);
    const io::UniqueFd fd = io::open_file(file, O_RDONLY);
    uint64_t length = 0;
    io::pread_exact(fd.get(), std::as_writable_bytes(std::span(&length, 1)), 0, name);
    if (length > kMaxHeaderBytes || length > file_bytes - 8) {
        throw DataError(name, 0, format("no safetensors file: header of {} bytes", length));
    }
    std::string json(length, '\0');
    io::pread_exact(fd.get(), std::as_writable_bytes(std::span(json)), 8, name);
    return parse_safetensors(json, file_bytes, name);
}

void lay_out_safetensors(std::vector<SafeTensor>& tensors) {
    std::sort(tensors.begin(), tensors.end(), [](const SafeTensor& a, const SafeTensor& b) {
        const ptrdiff_t rank_a = alignment_rank(a.dtype);
        const ptrdiff_t rank_b = alignment_rank(b.dtype);
        return rank_a != rank_b ? rank_a > rank_b : a.name < b.name;
    });
    uint64_t next = 0;
    for (SafeTensor& entry : tensors) {
        const auto bytes = bytes_of(entry.shape, find_type(entry.dtype)->bits);
        if (!bytes) throw DataError(format("tensor {} is too large", entry.name));
        entry.begin = next;
        next += *bytes;
        entry.end = next;
    }
}

std::string safetensors_prefix(const std::vector<SafeTensor>& tensors,
                               const std::map<std::string, std::string>& metadata) {
    io::Json json = io::Json::object();
    if (!metadata.empty()) json["__metadata__"] = metadata;
    for (const SafeTensor& entry : tensors) {
        json[entry.name] = {{"dtype", entry.dtype},
                            {"shape", entry.shape},
                            {"data_offsets", {entry.begin, entry.end}}};
    }
    std::string text = io::to_line(json);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const uint64_t length = text.size();
    std::string prefix(sizeof(length), '\0');
    std::memcpy(prefix.data(), &length, sizeof(length));
    return prefix + text;
}

}  // namespace longhaul::ckpt

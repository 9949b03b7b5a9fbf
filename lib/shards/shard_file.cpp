// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/shard_file.h"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "lib/base/error.h"
#include "lib/store/h5.h"

namespace longhaul::shards {

namespace {

using tensor::DType;

uint64_t check_dataset(const store::H5Reader& reader, const char* path, DType dtype,
                       uint64_t count) {
    const store::DatasetInfo& info = reader.require(path);
    if (info.dtype != dtype) {
        throw DataError(format("{}: {} is {}, expected {}", reader.file().string(), path,
                               tensor::name_of(info.dtype), tensor::name_of(dtype)));
    }
    if (info.shape.size() != 1 || info.shape[0] != count) {
        throw DataError(format("{}: {} has {} elements, the manifest says {}",
                               reader.file().string(), path, info.shape.empty() ? 0 : info.shape[0],
                               count));
    }
    return info.byte_offset;
}

void check_attributes(const store::H5Reader& reader, const ShardDetails& details) {
    const auto& [text, integers] = reader.attributes();
    const std::string name = reader.file().string();
    const auto format_text = text.find("format");
    if (format_text == text.end() || format_text->second != kShardFormat) {
        throw DataError(format("{}: not a Longhaul token shard", name));
    }
    const auto version = integers.find("version");
    if (version == integers.end() || version->second != kShardVersion) {
        throw DataError(format("{}: version {} of the format, this program reads {}", name,
                               version == integers.end() ? 0 : version->second, kShardVersion));
    }
    const auto tokenizer = text.find("tokenizer");
    if (tokenizer == text.end() || tokenizer->second != details.tokenizer_hash.hex()) {
        throw DataError(format("{}: made by another tokenizer ({}) than the manifest says ({})",
                               name, tokenizer == text.end() ? "none" : tokenizer->second,
                               details.tokenizer_hash.hex()));
    }
}

}  // namespace

ShardFile::ShardFile(const std::filesystem::path& folder, const ShardEntry& entry,
                     const ShardDetails& details)
    : name_((folder / entry.file).string()),
      num_tokens_(entry.num_tokens),
      num_documents_(entry.num_documents),
      token_type_(details.token_type) {
    fd_ = io::open_file(name_, O_RDONLY);
    const uint64_t size = io::file_size(name_);
    if (size != entry.bytes) {
        throw DataError(format("{}: {} bytes, the manifest says {}: cut or replaced", name_, size,
                               entry.bytes));
    }
    const store::H5Reader reader(name_);
    check_attributes(reader, details);
    const DType dtype = token_type_ == TokenType::kU16 ? DType::kU16 : DType::kU32;
    tokens_at_ = check_dataset(reader, kTokensPath, dtype, num_tokens_);
    offsets_at_ = check_dataset(reader, kOffsetsPath, DType::kU64, num_documents_ + 1);
    sources_at_ = check_dataset(reader, kSourcePath, DType::kU64, num_documents_ * 2);
}

template <class Out>
void ShardFile::read_tokens_as(uint64_t first, std::span<Out> out) const {
    if (token_type_ == TokenType::kU32) {
        io::pread_exact(fd_.get(), std::as_writable_bytes(out), tokens_at_ + first * 4, name_);
        return;
    }
    std::array<uint16_t, 8192> block;
    while (!out.empty()) {
        const auto part = std::span(block).first(std::min(block.size(), out.size()));
        io::pread_exact(fd_.get(), std::as_writable_bytes(part), tokens_at_ + first * 2, name_);
        std::copy(part.begin(), part.end(), out.begin());
        out = out.subspan(part.size());
        first += part.size();
    }
}

void ShardFile::read_tokens(uint64_t first, std::span<uint32_t> out) const {
    read_tokens_as(first, out);
}
void ShardFile::read_tokens(uint64_t first, std::span<int32_t> out) const {
    read_tokens_as(first, out);
}

void ShardFile::will_need(uint64_t first, uint64_t count) const {
    const uint64_t size = token_bytes(token_type_);
    posix_fadvise(fd_.get(), static_cast<off_t>(tokens_at_ + first * size),
                  static_cast<off_t>(count * size), POSIX_FADV_WILLNEED);
}

void ShardFile::read_offsets(uint64_t first, std::span<uint64_t> out) const {
    io::pread_exact(fd_.get(), std::as_writable_bytes(out), offsets_at_ + first * 8, name_);
}

void ShardFile::read_sources(uint64_t first, std::span<uint64_t> out) const {
    io::pread_exact(fd_.get(), std::as_writable_bytes(out), sources_at_ + first * 16, name_);
}

uint64_t ShardFile::find_document(uint64_t token) const {
    // Binary search on disk down to one block: about log2(n / 512) small reads.
    constexpr uint64_t kBlock = 512;
    uint64_t low = 0, high = num_documents_;  // offset[low] <= token < offset[high]
    while (high - low > kBlock) {
        const uint64_t middle = low + (high - low) / 2;
        uint64_t offset = 0;
        read_offsets(middle, {&offset, 1});
        (offset <= token ? low : high) = middle;
    }
    std::array<uint64_t, kBlock + 1> offsets;
    const auto part = std::span(offsets).first(high - low + 1);
    read_offsets(low, part);
    const auto after = std::upper_bound(part.begin(), part.end(), token);
    // Empty documents share an offset: the last of them that begins at or before the token.
    return low + static_cast<uint64_t>(after - part.begin()) - 1;
}

}  // namespace longhaul::shards

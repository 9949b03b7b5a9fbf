// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/hdf5_shard.h"

#include <fcntl.h>

#include "lib/base/error.h"
#include "lib/shards/token_io.h"
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

Hdf5Shard::Hdf5Shard(const std::filesystem::path& folder, const ShardDetails& details, size_t index)
    : ShardFile((folder / details.shards[index].file).string(), details.shards[index].num_tokens,
                details.shards[index].num_documents),
      token_type_(details.token_type) {
    const ShardEntry& entry = details.shards[index];
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

void Hdf5Shard::read_tokens(uint64_t first, std::span<uint32_t> out) const {
    shards::read_tokens({fd_.get(), name_, token_type_, tokens_at_}, first, out);
}
void Hdf5Shard::read_tokens(uint64_t first, std::span<int32_t> out) const {
    shards::read_tokens({fd_.get(), name_, token_type_, tokens_at_}, first, out);
}

void Hdf5Shard::will_need(uint64_t first, uint64_t count) const {
    shards::will_need({fd_.get(), name_, token_type_, tokens_at_}, first, count);
}

void Hdf5Shard::read_offsets(uint64_t first, std::span<uint64_t> out) const {
    io::pread_exact(fd_.get(), std::as_writable_bytes(out), offsets_at_ + first * 8, name_);
}

void Hdf5Shard::read_sources(uint64_t first, std::span<uint64_t> out) const {
    io::pread_exact(fd_.get(), std::as_writable_bytes(out), sources_at_ + first * 16, name_);
}

void DocumentTable::open() const {
    std::call_once(opened_, [this] {
        const store::H5Reader reader(name_);
        sources_at_ = check_dataset(reader, kSourcePath, DType::kU64, num_documents_ * 2);
        if (reader.find(kOffsetsPath) != nullptr) {
            offsets_at_ = check_dataset(reader, kOffsetsPath, DType::kU64, num_documents_ + 1);
        }
        fd_ = io::open_file(name_, O_RDONLY);
    });
}

void DocumentTable::read_sources(uint64_t first, std::span<uint64_t> out) const {
    open();
    io::pread_exact(fd_.get(), std::as_writable_bytes(out), sources_at_ + first * 16, name_);
}

void DocumentTable::read_offsets(uint64_t first, std::span<uint64_t> out) const {
    open();
    if (offsets_at_ == 0) throw DataError(format("{}: no {}", name_, kOffsetsPath));
    io::pread_exact(fd_.get(), std::as_writable_bytes(out), offsets_at_ + first * 8, name_);
}

}  // namespace longhaul::shards

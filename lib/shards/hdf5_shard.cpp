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

/// @throws DataError: a file that is none of a set of `identity`.
void check_attributes(const store::H5Reader& reader, const SetIdentity& identity) {
    const auto& [text, integers] = reader.attributes();
    const std::string name = reader.file().string();
    const auto format_text = text.find("format");
    if (format_text == text.end() || format_text->second != kShardFormat) {
        throw DataError(format("{}: not a Longhaul token shard", name));
    }
    const auto integer = [&integers = integers](const char* key) {
        const auto found = integers.find(key);
        return found == integers.end() ? 0 : found->second;
    };
    const int64_t version = integer("version");
    if (version < kShardVersion || version > kManyBordersVersion) {
        throw DataError(format("{}: version {} of the format, this program reads {} to {}", name,
                               version, kShardVersion, kManyBordersVersion));
    }
    const auto tokenizer = text.find("tokenizer");
    if (tokenizer == text.end() || tokenizer->second != identity.tokenizer_hash.hex()) {
        throw DataError(format("{}: made by another tokenizer ({}) than the manifest says ({})",
                               name, tokenizer == text.end() ? "none" : tokenizer->second,
                               identity.tokenizer_hash.hex()));
    }
    if (integer("vocab_size") != identity.vocab_size) {
        throw DataError(format("{}: a vocabulary of {}, the manifest says {}", name,
                               integer("vocab_size"), identity.vocab_size));
    }
    if (version != shard_version(identity.borders)) {
        throw DataError(format("{}: version {} of the format, the manifest says {}", name, version,
                               shard_version(identity.borders)));
    }
    if (version == kShardVersion) return;  // says no ids of borders
    for (const auto& [key, ids] : {std::pair("bos_ids", &identity.borders.bos),
                                   std::pair("eos_ids", &identity.borders.eos)}) {
        const auto found = text.find(key);
        const std::string said = found == text.end() ? "" : found->second;
        if (said == ids_to_text(*ids)) continue;
        throw DataError(
            format("{}: {} \"{}\", the manifest says \"{}\"", name, key, said, ids_to_text(*ids)));
    }
}

}  // namespace

Hdf5Shard::Hdf5Shard(const std::filesystem::path& folder, const ShardDetails& details, size_t index)
    : ShardFile((folder / details.shards[index].file).string(), details.shards[index].num_tokens,
                details.shards[index].num_documents),
      token_type_(details.token_type) {
    const ShardEntry& entry = details.shards[index];
    file_ = ReadFile(io::open_file(name_, O_RDONLY), name_);
    const uint64_t size = io::file_size(name_);
    if (size != entry.bytes) {
        throw DataError(format("{}: {} bytes, the manifest says {}: cut or replaced", name_, size,
                               entry.bytes));
    }
    const store::H5Reader reader(name_);
    check_attributes(reader, identity_of(details));
    const DType dtype = token_type_ == TokenType::kU16 ? DType::kU16 : DType::kU32;
    tokens_at_ = check_dataset(reader, kTokensPath, dtype, num_tokens_);
    offsets_at_ = check_dataset(reader, kOffsetsPath, DType::kU64, num_documents_ + 1);
    sources_at_ = check_dataset(reader, kSourcePath, DType::kU64, num_documents_ * 2);
}

void Hdf5Shard::read_tokens(uint64_t first, std::span<uint32_t> out) const {
    shards::read_tokens({file_, token_type_, tokens_at_}, first, out);
}
void Hdf5Shard::read_tokens(uint64_t first, std::span<int32_t> out) const {
    shards::read_tokens({file_, token_type_, tokens_at_}, first, out);
}

void Hdf5Shard::will_need(uint64_t first, uint64_t count) const {
    shards::will_need({file_, token_type_, tokens_at_}, first, count);
}

const std::byte* Hdf5Shard::mapped(uint64_t first, uint64_t count) const {
    const uint64_t size = token_bytes(token_type_);
    return file_.mapped(tokens_at_ + first * size, count * size);
}

void Hdf5Shard::read_offsets(uint64_t first, std::span<uint64_t> out) const {
    file_.read(offsets_at_ + first * 8, std::as_writable_bytes(out));
}

void Hdf5Shard::read_sources(uint64_t first, std::span<uint64_t> out) const {
    file_.read(sources_at_ + first * 16, std::as_writable_bytes(out));
}

void DocumentTable::open() const {
    std::call_once(opened_, [this] {
        const store::H5Reader reader(name_);
        check_attributes(reader, identity_);
        sources_at_ = check_dataset(reader, kSourcePath, DType::kU64, num_documents_ * 2);
        if (reader.find(kOffsetsPath) != nullptr) {
            offsets_at_ = check_dataset(reader, kOffsetsPath, DType::kU64, num_documents_ + 1);
        }
        file_ = ReadFile(io::open_file(name_, O_RDONLY), name_);
        if (is_mapped_) file_.map();
    });
}

void DocumentTable::read_sources(uint64_t first, std::span<uint64_t> out) const {
    open();
    file_.read(sources_at_ + first * 16, std::as_writable_bytes(out));
}

void DocumentTable::read_offsets(uint64_t first, std::span<uint64_t> out) const {
    open();
    if (offsets_at_ == 0) throw DataError(format("{}: no {}", name_, kOffsetsPath));
    file_.read(offsets_at_ + first * 8, std::as_writable_bytes(out));
}

}  // namespace longhaul::shards

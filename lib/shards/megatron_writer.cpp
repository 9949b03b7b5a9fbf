// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/shards/megatron_index.h"
#include "lib/shards/shard_containers.h"

namespace longhaul::shards {

namespace {

constexpr uint64_t kBlock = 1 << 14;  // documents

template <class T>
void write_value(const WriteBytes& write, T value) {
    write(std::as_bytes(std::span(&value, 1)));
}

/// Calls visit(number, begin, length) for each document, block by block.
template <class Visit>
void for_each_document(uint64_t num_documents, const ReadOffsets& read_offsets, Visit&& visit) {
    std::vector<uint64_t> offsets(kBlock + 1);
    for (uint64_t first = 0; first < num_documents; first += kBlock) {
        const uint64_t count = std::min(kBlock, num_documents - first);
        read_offsets(first, std::span(offsets).first(count + 1));
        for (uint64_t i = 0; i < count; ++i) {
            visit(first + i, offsets[i], offsets[i + 1] - offsets[i]);
        }
    }
}

}  // namespace

void write_megatron_index(TokenType type, uint64_t num_documents, const ReadOffsets& read_offsets,
                          const WriteBytes& write) {
    uint64_t num_sequences = 0;
    for_each_document(num_documents, read_offsets, [&](uint64_t number, uint64_t, uint64_t length) {
        num_sequences += length > 0 ? 1 : 0;
        if (length <= kMegatronMaxLength) return;
        throw DataError(
            format("document {} has {} tokens; Megatron's index holds lengths up to {}: "
                   "cut it, or write another format",
                   number, length, kMegatronMaxLength));
    });
    const std::string header = megatron_header(type, num_sequences, num_documents);
    write(std::as_bytes(std::span(header)));
    for_each_document(num_documents, read_offsets, [&](uint64_t, uint64_t, uint64_t length) {
        if (length > 0) write_value(write, static_cast<int32_t>(length));
    });
    const uint64_t size = token_bytes(type);
    for_each_document(num_documents, read_offsets, [&](uint64_t, uint64_t begin, uint64_t length) {
        if (length > 0) write_value(write, begin * size);
    });
    uint64_t sequence = 0;
    for_each_document(num_documents, read_offsets, [&](uint64_t, uint64_t, uint64_t length) {
        write_value(write, sequence);
        sequence += length > 0 ? 1 : 0;
    });
    write_value(write, sequence);
}

ShardEntry write_megatron_shard(const ShardContent& content) {
    const std::string bin_name = shard_name(content.unit, content.number, ShardFormat::kMegatron);
    std::filesystem::path index_path = content.folder / bin_name;
    index_path.replace_extension(".idx");
    ContainerFile index(index_path), bin(content.folder / bin_name);

    io::UniqueFd index_fd = io::open_file(index.temporary(), O_WRONLY | O_CREAT | O_EXCL);
    BlockWriter writer(index_fd.get(), index.temporary());
    write_megatron_index(
        content.token_type, content.num_documents,
        [&](uint64_t first, std::span<uint64_t> out) {
            content.offsets.read(first * 8, std::as_writable_bytes(out));
        },
        [&](std::span<const std::byte> bytes) { writer.write(bytes); });
    writer.flush();

    io::UniqueFd bin_fd = io::open_file(bin.temporary(), O_WRONLY | O_CREAT | O_EXCL);
    content.tokens.copy_to(bin_fd.get(), 0, bin.temporary());
    const SideFile index_file = index.commit(std::move(index_fd));
    const SideFile documents = write_documents_file(content, false);
    const SideFile file = bin.commit(std::move(bin_fd));
    return {file.file,  content.unit,   content.num_tokens, content.num_documents,
            file.bytes, content.max_id, file.xxh3_128,      {index_file, documents}};
}

}  // namespace longhaul::shards

// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/shards/mds_format.h"
#include "lib/shards/shard_containers.h"

namespace longhaul::shards {

namespace {

/// Samples one after another: documents, or stretches of equal length.
class SampleLengths {
 public:
    explicit SampleLengths(const ShardContent& content) : content_(content) {}

    uint64_t count() const {
        return content_.sample_tokens > 0 ? content_.num_tokens / content_.sample_tokens
                                          : content_.num_documents;
    }
    /// Calls visit(first token, tokens) for each sample.
    template <class Visit>
    void for_each(Visit&& visit) const {
        constexpr uint64_t kBlock = 1 << 14;
        if (content_.sample_tokens > 0) {
            for (uint64_t i = 0; i < count(); ++i) {
                visit(i * content_.sample_tokens, content_.sample_tokens);
            }
            return;
        }
        std::vector<uint64_t> offsets(kBlock + 1);
        for (uint64_t first = 0; first < content_.num_documents; first += kBlock) {
            const uint64_t n = std::min(kBlock, content_.num_documents - first);
            content_.offsets.read(first * 8,
                                  std::as_writable_bytes(std::span(offsets).first(n + 1)));
            for (uint64_t i = 0; i < n; ++i) visit(offsets[i], offsets[i + 1] - offsets[i]);
        }
    }

 private:
    const ShardContent& content_;
};

void copy_tokens(Spool& tokens, uint64_t begin, uint64_t bytes, BlockWriter& writer) {
    std::vector<std::byte> block(std::min<uint64_t>(bytes, 1 << 20));
    while (bytes > 0) {
        const auto part = std::span(block).first(std::min<uint64_t>(block.size(), bytes));
        tokens.read(begin, part);
        writer.write(part);
        begin += part.size();
        bytes -= part.size();
    }
}

void write_u32(BlockWriter& writer, uint64_t value) {
    const auto narrow = static_cast<uint32_t>(value);
    writer.write(std::as_bytes(std::span(&narrow, 1)));
}

}  // namespace

SideFile write_mds_index(const std::filesystem::path& folder, const ShardDetails& details,
                         uint64_t size_limit) {
    std::vector<MdsShardInfo> shards;
    for (const ShardEntry& shard : details.shards) {
        const uint64_t samples = details.sample_tokens > 0
                                     ? shard.num_tokens / details.sample_tokens
                                     : shard.num_documents;
        shards.push_back({shard.file, shard.bytes, samples, "", shard.xxh3_128});
    }
    const MdsColumns columns = token_columns(details.token_type, details.sample_tokens);
    const std::string text = mds_index(columns, size_limit, shards);
    io::write_file_atomically(folder / "index.json", text);
    return {"index.json", text.size(), xxh3_128(text)};
}

ShardEntry write_mds_shard(const ShardContent& content) {
    const SampleLengths samples(content);
    const uint64_t size = token_bytes(content.token_type);
    const bool is_open = content.sample_tokens == 0;
    const std::string config =
        mds_config(token_columns(content.token_type, content.sample_tokens), content.size_limit);
    ContainerFile target(content.folder /
                         shard_name(content.unit, content.number, ShardFormat::kMds));
    io::UniqueFd fd = io::open_file(target.temporary(), O_WRONLY | O_CREAT | O_EXCL);
    BlockWriter writer(fd.get(), target.temporary());
    write_u32(writer, samples.count());
    uint64_t at = 4 * (samples.count() + 2) + config.size();
    write_u32(writer, at);
    samples.for_each([&](uint64_t, uint64_t length) {
        at += is_open ? 4 + open_array_bytes(length, size) : length * size;
        if (at > kMdsMaxShardBytes) {
            throw DataError(
                format("{}: a sample of {} tokens does not fit into the 4 GiB of an MDS "
                       "shard: cut the document, or write another format",
                       shard_name(content.unit, content.number, ShardFormat::kMds), length));
        }
        write_u32(writer, at);
    });
    writer.write(config);
    samples.for_each([&](uint64_t begin, uint64_t length) {
        if (is_open) {
            write_u32(writer, open_array_bytes(length, size));
            writer.write(open_array_header(length));
        }
        copy_tokens(content.tokens, begin * size, length * size, writer);
    });
    writer.flush();
    const SideFile documents = write_documents_file(content, !is_open);
    const SideFile file = target.commit(std::move(fd));
    return {file.file,  content.unit,   content.num_tokens, content.num_documents,
            file.bytes, content.max_id, file.xxh3_128,      {documents}};
}

}  // namespace longhaul::shards

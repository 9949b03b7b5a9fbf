// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/convert_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/shards/megatron_index.h"
#include "lib/shards/shard_containers.h"

namespace longhaul::tokenize {

using shards::ShardEntry;

ShardEntry write_shard(const SetReader& reader, const PlannedShard& planned,
                       const ShardTarget& target) {
    shards::ShardWriter writer({target.folder, target.tmp_dir, target.container, planned.unit,
                                planned.number, target.identity});
    const uint64_t end = planned.first_token + planned.num_tokens;
    DocumentCursor documents(reader, planned.first_document, planned.num_documents);
    TokenCursor tokens(reader, planned.first_token, end);
    for (DocumentCursor::Document document; documents.next(document);) {
        const uint64_t begin = std::max(document.first_token, planned.first_token);
        const uint64_t stop = std::min(document.first_token + document.num_tokens, end);
        writer.begin_document(stop - begin, document.input, document.record);
        for (uint64_t done = begin; done < stop;) {
            const auto ids = tokens.next(stop - done);
            writer.append(ids);
            done += ids.size();
        }
    }
    const std::vector<ShardEntry> entries = writer.close();
    LH_CHECK(entries.size() == 1 && entries[0].num_tokens == planned.num_tokens,
             "{} shards where one of {} tokens was planned", entries.size(), planned.num_tokens);
    return entries[0];
}

void prepare_merged(const std::filesystem::path& bin, uint64_t bytes) {
    const io::UniqueFd fd = io::open_file(bin, O_RDWR | O_CREAT);
    if (io::file_size(bin) == bytes) return;
    if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
        throw IoError("cannot set the size of " + bin.string());
    }
}

namespace {

/// Ids of the part into the .bin; counts, hashes.
class PartWriter {
 public:
    PartWriter(const std::filesystem::path& bin, shards::TokenType type, uint64_t first_token)
        : name_(bin.string()),
          fd_(io::open_file(bin, O_WRONLY)),
          is_narrow_(type == shards::TokenType::kU16),
          offset_(first_token * shards::token_bytes(type)) {}

    void write(std::span<const uint32_t> ids) {
        max_id_ = std::max(max_id_, *std::max_element(ids.begin(), ids.end()));
        if (is_narrow_) {
            narrow_.assign(ids.begin(), ids.end());
            put(std::as_bytes(std::span(narrow_)));
        } else {
            put(std::as_bytes(ids));  // i32: ids are below 2^31
        }
    }
    /// Durable on return: the record that says so comes after it.
    void finish(ShardEntry& entry) {
        if (::fdatasync(fd_.get()) != 0) throw IoError("cannot write " + name_);
        entry.bytes = bytes_;
        entry.max_id = max_id_;
        entry.xxh3_128 = hasher_.digest();
    }

 private:
    void put(std::span<const std::byte> bytes) {
        io::pwrite_full(fd_.get(), bytes, offset_ + bytes_, name_);
        hasher_.update(bytes);
        bytes_ += bytes.size();
    }

    std::string name_;
    io::UniqueFd fd_;
    bool is_narrow_;
    uint64_t offset_, bytes_ = 0;
    uint32_t max_id_ = 0;
    Hasher128 hasher_;
    std::vector<uint16_t> narrow_;
};

/// Where the documents of the part come from.
/// @throws DataError: a document longer than Megatron's index can say
void spool_sources(const SetReader& reader, const PlannedShard& planned, shards::Spool& sources) {
    DocumentCursor documents(reader, planned.first_document, planned.num_documents);
    for (DocumentCursor::Document document; documents.next(document);) {
        if (document.num_tokens > shards::kMegatronMaxLength) {
            throw DataError(format(
                "input {}, record {} of its part: {} tokens; Megatron's index "
                "holds lengths up to {}",
                document.input, document.record, document.num_tokens, shards::kMegatronMaxLength));
        }
        const uint64_t source[2] = {document.input, document.record};
        sources.write(std::as_bytes(std::span(source)));
    }
}

}  // namespace

ShardEntry write_merged_part(const SetReader& reader, const PlannedShard& planned,
                             const ShardTarget& target, const std::filesystem::path& bin) {
    const shards::TokenType type = target.container.token_type(target.identity.vocab_size);
    ShardEntry entry;
    entry.file = "tokens.bin";
    entry.unit = planned.unit;
    entry.num_tokens = planned.num_tokens;
    entry.num_documents = planned.num_documents;
    PartWriter part(bin, type, planned.first_token);
    TokenCursor tokens(reader, planned.first_token, planned.first_token + planned.num_tokens);
    for (auto ids = tokens.next(planned.num_tokens); !ids.empty();
         ids = tokens.next(planned.num_tokens)) {
        part.write(ids);
    }
    part.finish(entry);
    shards::Spool sources(target.tmp_dir), none(target.tmp_dir);
    spool_sources(reader, planned, sources);
    const shards::ShardContent content{target.folder,
                                       target.identity,
                                       type,
                                       planned.unit,
                                       planned.number,
                                       planned.num_tokens,
                                       planned.num_documents,
                                       entry.max_id,
                                       0,
                                       0,
                                       none,
                                       none,
                                       sources};
    entry.more.push_back(shards::write_documents_file(content, false));
    return entry;
}

shards::SideFile write_merged_index(const SetReader& reader, shards::TokenType type,
                                    const std::filesystem::path& idx) {
    shards::ContainerFile target(idx);
    io::UniqueFd fd = io::open_file(target.temporary(), O_WRONLY | O_CREAT | O_EXCL);
    shards::BlockWriter writer(fd.get(), target.temporary());
    shards::write_megatron_index(
        type, reader.num_documents(),
        [&](uint64_t first, std::span<uint64_t> out) { reader.read_offsets(first, out); },
        [&](std::span<const std::byte> bytes) { writer.write(bytes); });
    writer.flush();
    return target.commit(std::move(fd));
}

}  // namespace longhaul::tokenize

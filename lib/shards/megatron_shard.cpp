// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/megatron_shard.h"

#include <fcntl.h>

#include <algorithm>
#include <vector>

#include "lib/base/error.h"
#include "lib/shards/token_io.h"

namespace longhaul::shards {

namespace {

constexpr uint64_t kBlock = 1 << 16;

std::string index_file(const ShardDetails& details, const ShardEntry& entry) {
    const std::string prefix = details.merged.empty()
                                   ? std::filesystem::path(entry.file).replace_extension().string()
                                   : details.merged;
    return prefix + ".idx";
}

}  // namespace

MegatronShard::MegatronShard(const std::filesystem::path& folder, const ShardDetails& details,
                             size_t index)
    : ShardFile((folder / details.shards[index].file).string(), 0, 0),
      index_name_((folder / index_file(details, details.shards[index])).string()),
      is_part_(!details.merged.empty()) {
    const ShardEntry& entry = details.shards[index];
    index_ = std::make_unique<MegatronIndex>(io::open_file(index_name_, O_RDONLY), index_name_);
    bin_ = ReadFile(io::open_file(name_, O_RDONLY), name_);
    uint64_t end = 0, first = 0, last = 0;
    index_->read_begins(index_->num_sequences(), {&end, 1});
    index_->read_documents(0, {&first, 1});
    index_->read_documents(index_->num_documents(), {&last, 1});
    const uint64_t bytes = io::file_size(name_);
    if (end > bytes / token_bytes(index_->token_type()) ||
        end * token_bytes(index_->token_type()) != bytes) {
        throw DataError(
            format("{}: {} bytes, its index ends at token {} of {} bytes: cut or of "
                   "another index",
                   name_, bytes, end, token_bytes(index_->token_type())));
    }
    num_tokens_ = end;
    num_documents_ = index_->num_documents();
    if (!details.is_foreign) check_entry(details, entry);
    if (is_part_) find_part(details, index);
    if (const SideFile* const file = entry.documents_file()) {
        table_ = std::make_unique<DocumentTable>((folder / file->file).string(), num_documents_,
                                                 identity_of(details));
    }
}

void MegatronShard::check_entry(const ShardDetails& details, const ShardEntry& entry) const {
    if (index_->token_type() != details.token_type) {
        throw DataError(format("{}: ids are {}, the manifest says {}", index_name_,
                               token_type_name(index_->token_type()),
                               token_type_name(details.token_type)));
    }
    const uint64_t tokens = is_part_ ? details.num_tokens : entry.num_tokens;
    const uint64_t documents = is_part_ ? details.num_documents : entry.num_documents;
    if (num_tokens_ == tokens && num_documents_ == documents) return;
    throw DataError(format("{}: {} tokens and {} documents, the manifest says {} and {}",
                           index_name_, num_tokens_, num_documents_, tokens, documents));
}

void MegatronShard::find_part(const ShardDetails& details, size_t index) {
    for (size_t i = 0; i < index; ++i) {
        first_token_ += details.shards[i].num_tokens;
        first_document_ += details.shards[i].num_documents;
    }
    num_tokens_ = details.shards[index].num_tokens;
    num_documents_ = details.shards[index].num_documents;
}

void MegatronShard::read_tokens(uint64_t first, std::span<uint32_t> out) const {
    shards::read_tokens({bin_, index_->token_type(), 0}, first_token_ + first, out);
}
void MegatronShard::read_tokens(uint64_t first, std::span<int32_t> out) const {
    shards::read_tokens({bin_, index_->token_type(), 0}, first_token_ + first, out);
}

void MegatronShard::will_need(uint64_t first, uint64_t count) const {
    shards::will_need({bin_, index_->token_type(), 0}, first_token_ + first, count);
}

const std::byte* MegatronShard::mapped(uint64_t first, uint64_t count) const {
    const uint64_t size = token_bytes(index_->token_type());
    return bin_.mapped((first_token_ + first) * size, count * size);
}

void MegatronShard::map() {
    bin_.map();
    index_->map();
    if (table_) table_->map();
}

void MegatronShard::read_offsets(uint64_t first, std::span<uint64_t> out) const {
    index_->read_documents(first_document_ + first, out);
    // The offsets of these sequences lie in one stretch, mostly one for each document.
    std::vector<uint64_t> begins;
    for (size_t i = 0; i < out.size();) {
        const uint64_t sequence = out[i];
        const auto in_reach = std::find_if(out.begin() + static_cast<ptrdiff_t>(i), out.end(),
                                           [&](uint64_t s) { return s - sequence >= kBlock; });
        const auto stop = static_cast<size_t>(in_reach - out.begin());
        begins.resize(out[stop - 1] - sequence + 1);
        index_->read_begins(sequence, begins);
        for (; i < stop; ++i) out[i] = begins[out[i] - sequence] - first_token_;
    }
    check_offsets(first, out);
}

void MegatronShard::read_sources(uint64_t first, std::span<uint64_t> out) const {
    if (table_) return table_->read_sources(first, out);
    for (size_t i = 0; i < out.size() / 2; ++i) {
        out[2 * i] = 0;
        out[2 * i + 1] = first + i;
    }
}

std::string MegatronShard::check_container() const {
    uint64_t first_sequence = 0, end_sequence = 0, next = first_token_;
    index_->read_documents(first_document_, {&first_sequence, 1});
    index_->read_documents(first_document_ + num_documents_, {&end_sequence, 1});
    std::vector<int32_t> lengths(kBlock);
    std::vector<uint64_t> begins(kBlock);
    for (uint64_t first = first_sequence; first < end_sequence; first += kBlock) {
        const uint64_t count = std::min(kBlock, end_sequence - first);
        index_->read_lengths(first, std::span(lengths).first(count));
        index_->read_begins(first, std::span(begins).first(count));
        for (uint64_t i = 0; i < count; ++i) {
            if (begins[i] != next) {
                return format("{}: sequence {} begins at token {}, the one before ends at {}",
                              index_name_, first + i, begins[i], next);
            }
            next += static_cast<uint64_t>(lengths[i]);
        }
    }
    if (next == first_token_ + num_tokens_) return "";
    return format("{}: sequence {} ends at token {}, not {}", index_name_, end_sequence, next,
                  first_token_ + num_tokens_);
}

}  // namespace longhaul::shards

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/shard_writer.h"

#include <algorithm>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/shards/mds_format.h"
#include "lib/shards/megatron_index.h"
#include "lib/shards/shard_containers.h"

namespace longhaul::shards {

TokenType token_type_for(ShardFormat format, uint32_t vocab_size, TokenType mds_type) {
    switch (format) {
        case ShardFormat::kMegatron:
            return megatron_token_type(vocab_size);
        case ShardFormat::kMds:
            if (mds_type == TokenType::kU16 && vocab_size > 65536) {
                throw UsageError(longhaul::format(
                    "uint16 can not hold the {} ids of the vocabulary", vocab_size));
            }
            return mds_type;
        case ShardFormat::kHdf5:
            break;
    }
    return vocab_size <= 65536 ? TokenType::kU16 : TokenType::kU32;
}

struct ShardWriter::State {
    explicit State(const ShardWriterOptions& the_options)
        : options(the_options),
          tokens(options.tmp_dir),
          offsets(options.tmp_dir),
          sources(options.tmp_dir) {
        if (options.format != ShardFormat::kMds) return;
        const MdsColumns columns = token_columns(options.token_type, options.sample_tokens);
        empty_bytes = 8 + mds_config(columns, options.size_limit).size();
        bytes = empty_bytes;
    }

    // Documents one by one.
    void add_document(std::span<const uint32_t> ids, uint64_t input, uint64_t record);
    bool is_full(uint64_t num_ids, uint64_t sample_bytes) const;
    // Samples of equal length: what has filled none yet waits in `waiting`.
    void add_packed(std::span<const uint32_t> ids, uint64_t input, uint64_t record);
    void finish_sample();

    void put_document(uint64_t offset, uint64_t input, uint64_t record);
    void put_ids(std::span<const uint32_t> ids);
    void finish_shard();

    struct Piece {
        uint64_t offset, input, record;
    };

    ShardWriterOptions options;
    Spool tokens, offsets, sources;
    uint64_t num_tokens = 0, num_documents = 0;  // of the current shard
    uint32_t max_id = 0;
    uint64_t empty_bytes = 0, bytes = 0;  // of MDS: as MDSWriter counts them
    std::vector<uint32_t> waiting;
    std::vector<Piece> waiting_pieces;
    std::vector<uint16_t> narrow;
    std::vector<int64_t> wide;
    std::vector<ShardEntry> done;
};

void ShardWriter::State::put_document(uint64_t offset, uint64_t input, uint64_t record) {
    offsets.write(std::as_bytes(std::span(&offset, 1)));
    const uint64_t source[2] = {input, record};
    sources.write(std::as_bytes(std::span(source)));
    ++num_documents;
}

void ShardWriter::State::put_ids(std::span<const uint32_t> ids) {
    for (const uint32_t id : ids) max_id = std::max(max_id, id);
    LH_CHECK(ids.empty() || max_id < options.vocab_size, "id {} in a vocabulary of {}", max_id,
             options.vocab_size);
    switch (options.token_type) {
        case TokenType::kU16:
            narrow.assign(ids.begin(), ids.end());
            tokens.write(std::as_bytes(std::span(narrow)));
            break;
        case TokenType::kI64:
            wide.assign(ids.begin(), ids.end());
            tokens.write(std::as_bytes(std::span(wide)));
            break;
        default:  // u32, and i32 whose ids are below 2^31
            tokens.write(std::as_bytes(ids));
    }
    num_tokens += ids.size();
}

bool ShardWriter::State::is_full(uint64_t num_ids, uint64_t sample_bytes) const {
    if (num_documents == 0) return false;
    if (options.format == ShardFormat::kMds) return bytes + sample_bytes > options.size_limit;
    return num_tokens + num_ids > options.max_tokens;
}

void ShardWriter::State::add_document(std::span<const uint32_t> ids, uint64_t input,
                                      uint64_t record) {
    if (options.format == ShardFormat::kMegatron && ids.size() > kMegatronMaxLength) {
        throw DataError(
            format("input {}, record {} of its part: {} tokens; Megatron's index holds "
                   "lengths up to {}: cut the document, or write another format",
                   input, record, ids.size(), kMegatronMaxLength));
    }
    // MDSWriter counts the sample, the u32 of its size and that of its offset.
    const uint64_t sample = 8 + open_array_bytes(ids.size(), token_bytes(options.token_type));
    if (is_full(ids.size(), sample)) finish_shard();
    bytes += sample;
    put_document(num_tokens, input, record);
    put_ids(ids);
}

void ShardWriter::State::add_packed(std::span<const uint32_t> ids, uint64_t input,
                                    uint64_t record) {
    bool is_first = true;
    while (is_first || !ids.empty()) {
        // A document is in each shard that holds some of it.
        const bool begins = is_first || (num_tokens == 0 && waiting.empty());
        if (begins) waiting_pieces.push_back({num_tokens + waiting.size(), input, record});
        is_first = false;
        const size_t count = std::min(ids.size(), options.sample_tokens - waiting.size());
        waiting.insert(waiting.end(), ids.begin(), ids.begin() + static_cast<ptrdiff_t>(count));
        ids = ids.subspan(count);
        if (waiting.size() == options.sample_tokens) finish_sample();
    }
}

void ShardWriter::State::finish_sample() {
    for (const Piece& piece : waiting_pieces) {
        put_document(piece.offset, piece.input, piece.record);
    }
    put_ids(waiting);
    waiting_pieces.clear();
    waiting.clear();
    const uint64_t sample = 4 + options.sample_tokens * token_bytes(options.token_type);
    bytes += sample;
    if (bytes + sample > options.size_limit) finish_shard();
}

void ShardWriter::State::finish_shard() {
    offsets.write(std::as_bytes(std::span(&num_tokens, 1)));
    const ShardContent content{options.folder,
                               options.tokenizer_hash,
                               options.vocab_size,
                               options.token_type,
                               options.unit,
                               done.size(),
                               num_tokens,
                               num_documents,
                               max_id,
                               options.sample_tokens,
                               options.size_limit,
                               tokens,
                               offsets,
                               sources};
    done.push_back(options.format == ShardFormat::kHdf5       ? write_hdf5_shard(content)
                   : options.format == ShardFormat::kMegatron ? write_megatron_shard(content)
                                                              : write_mds_shard(content));
    for (Spool* spool : {&tokens, &offsets, &sources}) spool->clear();
    num_tokens = num_documents = 0;
    max_id = 0;
    bytes = empty_bytes;
}

ShardWriter::ShardWriter(const ShardWriterOptions& options)
    : state_(std::make_unique<State>(options)) {}

ShardWriter::~ShardWriter() = default;

void ShardWriter::add(std::span<const uint32_t> ids, uint32_t input, uint64_t record) {
    if (state_->options.sample_tokens > 0) {
        state_->add_packed(ids, input, record);
    } else {
        state_->add_document(ids, input, record);
    }
}

std::vector<ShardEntry> ShardWriter::close() {
    if (state_->num_documents > 0) state_->finish_shard();
    return std::move(state_->done);
}

uint64_t ShardWriter::num_dropped_tokens() const {
    return state_->waiting.size();
}

}  // namespace longhaul::shards

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/shard_writer.h"

#include <algorithm>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/shards/mds_format.h"
#include "lib/shards/megatron_index.h"
#include "lib/shards/shard_containers.h"
#include "lib/shards/shard_cutter.h"

namespace longhaul::shards {

namespace {

/// More than an MDS shard of one sample has besides it: offsets and the JSON of the columns.
constexpr uint64_t kMdsMaxOverhead = 4096;

}  // namespace

TokenType Container::token_type(uint32_t vocab_size) const {
    switch (format) {
        case ShardFormat::kMegatron:
            return megatron_token_type(vocab_size);
        case ShardFormat::kMds:
            if (mds_type == TokenType::kU16 && vocab_size > 65536) {
                throw UsageError(longhaul::format(
                    "--mds-type uint16 can not hold the {} ids of the vocabulary", vocab_size));
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
          container(options.container),
          type(container.token_type(options.identity.vocab_size)),
          tokens(options.tmp_dir),
          offsets(options.tmp_dir),
          sources(options.tmp_dir),
          cutter(options.container, options.identity.vocab_size),
          samples_per_shard(cutter.samples_per_shard()) {}

    // Documents one by one.
    void begin_document(uint64_t num_ids, uint64_t input, uint64_t record);
    // Samples of equal length: what has filled none yet waits in `waiting`.
    void append_packed(std::span<const uint32_t> ids);
    void finish_sample();

    void put_document(uint64_t offset, uint64_t input, uint64_t record);
    void put_ids(std::span<const uint32_t> ids);
    void finish_shard();

    struct Piece {
        uint64_t offset, input, record;
    };

    ShardWriterOptions options;
    const Container& container;
    TokenType type;
    Spool tokens, offsets, sources;
    uint64_t num_tokens = 0, num_documents = 0;  // of the current shard
    uint32_t max_id = 0;
    ShardCutter cutter;
    uint64_t samples_per_shard;
    std::vector<uint32_t> waiting;
    std::vector<Piece> waiting_pieces;
    Piece current{};  // the document that append() continues
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
    uint32_t largest = max_id;  // a local one: the loop is vectorised
    for (const uint32_t id : ids) largest = std::max(largest, id);
    max_id = largest;
    LH_CHECK(ids.empty() || max_id < options.identity.vocab_size, "id {} in a vocabulary of {}",
             max_id, options.identity.vocab_size);
    switch (type) {
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

void ShardWriter::State::begin_document(uint64_t num_ids, uint64_t input, uint64_t record) {
    if (container.format == ShardFormat::kMegatron && num_ids > kMegatronMaxLength) {
        throw DataError(longhaul::format(
            "input {}, record {} of its part: {} tokens; Megatron's index holds lengths up to {}: "
            "cut the document, or write another format",
            input, record, num_ids, kMegatronMaxLength));
    }
    const uint64_t array_bytes = open_array_bytes(num_ids, token_bytes(type));
    const bool is_one_sample =
        container.format == ShardFormat::kMds && container.sample_tokens == 0;
    if (is_one_sample && array_bytes > kMdsMaxShardBytes - kMdsMaxOverhead) {
        throw DataError(longhaul::format(
            "input {}, record {} of its part: {} tokens are {} bytes; an MDS shard holds less than "
            "4 GiB: cut the document, give --mds-sample, or write another format",
            input, record, num_ids, array_bytes));
    }
    if (container.sample_tokens > 0) {
        current = {0, input, record};
        waiting_pieces.push_back({num_tokens + waiting.size(), input, record});
        return;
    }
    if (cutter.add(num_ids)) finish_shard();
    put_document(num_tokens, input, record);
}

void ShardWriter::State::append_packed(std::span<const uint32_t> ids) {
    while (!ids.empty()) {
        // A document is in each shard that holds some of it.
        const bool begins_shard = num_tokens == 0 && waiting.empty();
        if (begins_shard && waiting_pieces.empty()) {
            waiting_pieces.push_back({0, current.input, current.record});
        }
        const size_t count = std::min(ids.size(), container.sample_tokens - waiting.size());
        waiting.insert(waiting.end(), ids.begin(), ids.begin() + static_cast<ptrdiff_t>(count));
        ids = ids.subspan(count);
        if (waiting.size() == container.sample_tokens) finish_sample();
    }
}

void ShardWriter::State::finish_sample() {
    for (const Piece& piece : waiting_pieces) {
        put_document(piece.offset, piece.input, piece.record);
    }
    put_ids(waiting);
    waiting_pieces.clear();
    waiting.clear();
    if (num_tokens == samples_per_shard * container.sample_tokens) finish_shard();
}

void ShardWriter::State::finish_shard() {
    offsets.write(std::as_bytes(std::span(&num_tokens, 1)));
    const ShardContent content{options.folder,
                               options.identity,
                               type,
                               options.unit,
                               options.first_number + done.size(),
                               num_tokens,
                               num_documents,
                               max_id,
                               container.sample_tokens,
                               container.size_limit,
                               tokens,
                               offsets,
                               sources};
    done.push_back(container.format == ShardFormat::kHdf5       ? write_hdf5_shard(content)
                   : container.format == ShardFormat::kMegatron ? write_megatron_shard(content)
                                                                : write_mds_shard(content));
    for (Spool* spool : {&tokens, &offsets, &sources}) spool->clear();
    num_tokens = num_documents = 0;
    max_id = 0;
}

ShardWriter::ShardWriter(const ShardWriterOptions& options)
    : state_(std::make_unique<State>(options)) {}

ShardWriter::~ShardWriter() = default;

void ShardWriter::add(std::span<const uint32_t> ids, uint32_t input, uint64_t record) {
    begin_document(ids.size(), input, record);
    append(ids);
}

void ShardWriter::begin_document(uint64_t num_ids, uint64_t input, uint64_t record) {
    state_->begin_document(num_ids, input, record);
}

void ShardWriter::append(std::span<const uint32_t> ids) {
    if (state_->container.sample_tokens > 0) {
        state_->append_packed(ids);
    } else {
        state_->put_ids(ids);
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

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reading token shards (longhaul-token-shards.5) as one long stream of tokens, whatever their
// format: a folder made by tok-shard, a Megatron prefix or an MDS folder. At open it is found out
// where the arrays lie; tokens are then read by pread.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash.h"
#include "lib/shards/borders.h"

namespace longhaul::shards {

class ShardCache;

/// How a token id is stored. tok-shard writes kU16 and kU32, in Megatron and MDS files kU16 and
/// kI32.
enum class TokenType { kU16, kU32, kI32, kI64, kU8 };
size_t token_bytes(TokenType type);
/// "u16", "u32", ...
const char* token_type_name(TokenType type);
std::optional<TokenType> token_type_by_name(std::string_view name);

/// What files of other programs do not say about themselves; a folder of tok-shard's says it all.
struct OpenOptions {
    uint32_t vocab_size = 0;  // ids are below it; 0: not given
    Borders borders;
    Hash128 tokenizer_hash;            // Tokenizer::hash of the one that the ids are of
    std::string column = "tokens";     // of MDS
    bool may_lack_vocab_size = false;  // then DatasetInfo::vocab_size can be 0: unknown
    ShardCache* cache = nullptr;       // where shards are read from; outlives the data set
    bool maps = false;                 // for reads at random: see ReadFile::map
};

/// What the manifest says about a folder of shards.
struct DatasetInfo {
    std::filesystem::path folder;  // as given: also a prefix
    uint64_t num_tokens = 0;
    uint64_t num_documents = 0;
    TokenType token_type = TokenType::kU16;
    uint32_t vocab_size = 0;  // ids are below it
    Borders borders;
    Hash128 tokenizer_hash;  // of DIR/tokenizer/ (Tokenizer::hash)
    Hash128 manifest_hash;   // names the data set: goes into every checkpoint
};

/// One document: where its tokens lie in the stream and where its text came from.
struct DocumentRef {
    uint64_t index = 0;        // in the data set
    uint64_t first_token = 0;  // global
    uint64_t num_tokens = 0;   // with its BOS and EOS
    uint32_t input = 0;        // number of the input in the manifest
    uint64_t record = 0;       // record number in that input, from 0
};

/// An opened, complete folder. Immutable after open: all reads may run in parallel.
class Dataset {
 public:
    /// @throws DataError naming the file: no manifest (unfinished), missing or torn shard, sizes
    ///         that differ from the manifest. Hashes are checked by `tok-shard verify`, not here.
    ///         UsageError: made by another program, and options.vocab_size is not given.
    /// @param path a folder with manifest.json or with index.json of MDS; PREFIX, PREFIX.idx or
    ///        PREFIX.bin of Megatron.
    explicit Dataset(const std::filesystem::path& path, const OpenOptions& options = {});
    Dataset(Dataset&&) noexcept;
    Dataset& operator=(Dataset&&) noexcept;
    ~Dataset();

    const DatasetInfo& info() const;

    /// Tokens [first, first + out.size()) of the stream, across shards. The stream does not wrap.
    void read(uint64_t first, std::span<uint32_t> out) const;
    void read(uint64_t first, std::span<int32_t> out) const;

    /// Global indices of the tokens in [first, first + count) at which a document starts, ascending
    /// (for document masks: a window's own first token is listed only if a document starts there).
    std::vector<uint64_t> document_starts(uint64_t first, uint64_t count) const;
    void append_document_starts(uint64_t first, uint64_t count, std::vector<uint64_t>& out) const;
    /// Where the document that holds a token begins.
    uint64_t document_begin(uint64_t token) const;
    /// First token of every document, and the end of the last: num_documents + 1 numbers.
    std::vector<uint64_t> document_offsets() const;
    /// Tells the system that these tokens are read soon (posix_fadvise); errors do not matter.
    void will_need(uint64_t first, uint64_t count) const;
    /// Where these tokens lie in memory, as stored (OpenOptions::maps, ReadFile::mapped); null when
    /// they do not.
    const std::byte* mapped(uint64_t first, uint64_t count) const;
    /// The document that holds a token.
    DocumentRef document_at(uint64_t token) const;
    /// Document number `index` (shard order).
    DocumentRef document(uint64_t index) const;
    /// The inputs as the manifest lists them (DocumentRef::input).
    const std::vector<std::string>& input_paths() const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace longhaul::shards

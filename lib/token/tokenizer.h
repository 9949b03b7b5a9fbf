// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A loaded tokenizer. Where its parts come from: lib/token/load.h; what encodes with it:
// lib/token/encoder.h.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash.h"
#include "lib/token/added_tokens.h"
#include "lib/token/decoder.h"
#include "lib/token/model.h"
#include "lib/token/normalizer.h"
#include "lib/token/pre_tokenizer.h"

namespace longhaul::token {

/// One of the files a tokenizer was read from, kept to be copied beside the shards.
struct SourceFile {
    std::string name;  // "tokenizer.json", "tokenizer.model", "vocab.json", "merges.txt", ...
    std::string content;
};

/// What the loaders hand over.
struct TokenizerParts {
    std::string kind;     // "tokenizer.json", "sentencepiece", "vocab+merges", "ranks"
    std::string pattern;  // --pattern, where the files do not say it
    std::vector<SourceFile> files;
    std::vector<std::string> specials;  // --special "TEXT=ID", where the files do not say it
    Normalizer normalizer;
    PreTokenizer pre_tokenizer;
    std::unique_ptr<Model> model;
    std::vector<AddedToken> added;
    std::vector<uint32_t> prefix, suffix;  // of the post-processor's template
    bool has_template = false;             // the post-processor has one, if only of the text
    Decoder decoder;
    std::vector<std::string> warnings;  // parts of the files that shards ignore, such as truncation
};

/// Immutable; all members may be called in parallel.
class Tokenizer {
 public:
    explicit Tokenizer(TokenizerParts parts);

    /// One more than the largest id.
    uint32_t vocab_size() const { return vocab_size_; }
    /// Text of an id: the content of an added token, else what the vocabulary has (model.h). Empty
    /// for an id that is no token.
    std::string_view token_bytes(uint32_t id) const;
    /// Text of an id as its decoder sees it: in a byte-level model in the byte alphabet; an added
    /// token that is looked for in normalised text in its normalised form (HF: id_to_token).
    std::string token_text(uint32_t id) const;
    /// By how many bytes one more of this token lengthens a decoded text. For statistics: text of
    /// tokens that are parts of characters counts each by its bytes.
    size_t decoded_bytes(uint32_t id) const;
    bool is_token(uint32_t id) const;
    bool is_special(uint32_t id) const;
    /// Id of a token by its text: an added token, else a token of the vocabulary.
    std::optional<uint32_t> find_token(std::string_view content) const;
    /// What ends a document: the template's tokens behind the text, in their order; without any,
    /// the only special token of a usual name. Nothing when that does not decide it.
    std::vector<uint32_t> default_eos() const;
    /// What begins a document: the template's tokens before the text.
    const std::vector<uint32_t>& default_bos() const { return parts_.prefix; }

    /// The text of the ids as the decoder of the files gives it; parts of characters that do not
    /// make up one become U+FFFD. @param skip_special leaves out control tokens. Ids that are no
    /// token do not count. Long texts: lib/token/decode_stream.h.
    std::string decode(std::span<const uint32_t> ids, bool skip_special) const;
    /// The same, but bytes that are not UTF-8 stay as they are.
    std::string decode_bytes(std::span<const uint32_t> ids, bool skip_special) const;
    /// True when decode() joins the bytes of each id, which decoded_piece() then gives.
    bool decodes_by_bytes() const { return decodes_by_bytes_; }
    /// @param id any. Only if decodes_by_bytes().
    std::string_view decoded_piece(uint32_t id) const;
    /// True when decode() leaves this id out if it skips control tokens.
    bool is_skipped(uint32_t id) const;

    /// True when decoding the ids of a text always gives that text back: a byte-level tokenizer
    /// where nothing normalises text, puts a space before it, or swallows white space.
    bool is_lossless() const;

    const TokenizerParts& parts() const { return parts_; }
    /// source.json of a tokenizer folder: kind, pattern, specials, files with their hashes.
    const std::string& source_text() const { return source_text_; }
    /// XXH3-128 of source_text(): two tokenizers with one hash give the same ids.
    Hash128 hash() const { return hash_; }
    /// Writes the files and source.json into `folder`, from where load_tokenizer() reads them.
    void save(const std::string& folder) const;

    const AddedTokenFinder& raw_added() const { return raw_added_; }
    const AddedTokenFinder& normalized_added() const { return normalized_added_; }

 private:
    TokenizerParts parts_;
    uint32_t vocab_size_ = 0;
    std::vector<int32_t> added_of_id_;  // index into parts_.added, or -1
    /// What decoding needs of each added token, by index.
    struct AddedText {
        std::string text;   // token_text()
        std::string bytes;  // decoded_piece()
        bool is_skipped = false;
    };
    AddedText make_added_text(const AddedToken& token) const;
    std::string join_pieces(std::span<const uint32_t> ids, bool skip_special) const;
    std::vector<std::string> token_texts(std::span<const uint32_t> ids, bool skip_special) const;

    std::vector<AddedText> added_texts_;
    bool decodes_by_bytes_ = false;
    AddedTokenFinder raw_added_, normalized_added_;
    std::string source_text_;
    Hash128 hash_;
};

}  // namespace longhaul::token

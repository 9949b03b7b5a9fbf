// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Encodes texts word by word, for the tokenizers that allow it (lib/token/word_rule.h).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/piece_encoder.h"
#include "lib/token/word_rule.h"

namespace longhaul::token {

/// One per thread: it owns caches. Not to be moved.
class WordEncoder {
 public:
    WordEncoder(const TokenizerParts& parts, const WordRule& rule, size_t cache_bytes);
    WordEncoder(const WordEncoder&) = delete;
    WordEncoder& operator=(const WordEncoder&) = delete;

    /// Appends the ids of a text without added tokens. @param starts_document its first character
    /// is that of the document
    void encode(std::string_view text, bool starts_document, std::vector<uint32_t>& ids);

 private:
    /// What the cache of words asks: words as if they were pieces of a model.
    class Words final : public Model {
     public:
        explicit Words(WordEncoder& owner) : owner_(owner) {}
        const Vocabulary& vocabulary() const override { return model().vocabulary(); }
        uint32_t unknown_id() const override { return model().unknown_id(); }
        bool takes_bytes() const override { return is_split(); }
        bool cuts_pieces() const override { return !is_split(); }
        size_t cut(std::string_view word, uint32_t* ends, size_t most) const override;
        void encode(std::string_view word, std::vector<uint32_t>& ids) const override;

     private:
        const Model& model() const { return *owner_.parts_.model; }
        bool is_split() const { return owner_.rule_.kind == WordRule::Kind::kSplit; }
        WordEncoder& owner_;  // encode() changes its caches
    };
    void encode_first(std::string_view word, bool starts_document, std::vector<uint32_t>& ids);
    void encode_split(std::string_view word, bool starts_document, std::vector<uint32_t>& ids);
    void mark_spaces(std::string_view word, bool has_prefix);

    const TokenizerParts& parts_;
    const WordRule rule_;
    const WordCutter cutter_;
    const Words words_;
    PieceEncoder word_cache_;
    PieceEncoder piece_cache_;  // of the pieces of words
    WordCutter::Ends ends_;
    Pieces pieces_;
    std::string marked_;
};

}  // namespace longhaul::token

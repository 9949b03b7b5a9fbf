// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Encodes texts word by word with the Unigram of a SentencePiece model.
//
// Its sums go through the whole text, in floats, so that in principle the ids of a word depend on
// all text before it. Of nearly all words they do not (Unigram::encode_settled): their ids are
// remembered, and the sum goes on by adding their scores in order. The others are searched for each
// time, from the sum that is reached. Near the sum where all begins anew, all words are.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/token/piece_encoder.h"
#include "lib/token/tokenizer.h"
#include "lib/token/unigram.h"
#include "lib/token/word_cutter.h"

namespace longhaul::token {

/// One per thread: it owns a cache. Not to be moved.
class UnigramEncoder {
 public:
    /// How to cut texts for this; nothing where it is not certain that it gives the ids of the
    /// whole. Added tokens are not looked at.
    static std::optional<WordCutter::Options> find_cuts(const TokenizerParts& parts);
    UnigramEncoder(const TokenizerParts& parts, const WordCutter::Options& cuts,
                   size_t cache_bytes);
    UnigramEncoder(const UnigramEncoder&) = delete;
    UnigramEncoder& operator=(const UnigramEncoder&) = delete;

    /// Appends the ids of a text, which is one to the normaliser.
    void encode(std::string_view text, std::vector<uint32_t>& ids);

 private:
    /// What the cache asks: a word that is not settled has its own text, packed, for ids.
    class Words final : public Model {
     public:
        explicit Words(const UnigramEncoder& owner) : owner_(owner) {}
        const Vocabulary& vocabulary() const override { return owner_.unigram_.vocabulary(); }
        uint32_t unknown_id() const override { return owner_.unigram_.unknown_id(); }
        bool takes_bytes() const override { return true; }
        void encode(std::string_view word, std::vector<uint32_t>& ids) const override;

     private:
        const UnigramEncoder& owner_;
    };
    void encode_short(std::string_view text, size_t begin, std::span<const uint32_t> ends,
                      std::vector<uint32_t>& ids);
    bool unpack(std::vector<uint32_t>& ids);
    void search(std::string_view words, std::vector<uint32_t>& ids);

    const TokenizerParts& parts_;
    const Unigram& unigram_;
    const WordCutter cutter_;
    const Words words_;
    PieceEncoder cache_;
    const double reserve_;  // a sum inside of a settled word is less below the one before it
    float sum_ = 0;         // behind all words so far
    WordCutter::Ends ends_;
    std::vector<uint32_t> packed_;
};

}  // namespace longhaul::token

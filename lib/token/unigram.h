// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The Unigram model: of all ways to cut a piece into tokens, the one with the highest sum of scores
// (T. Kudo, "Subword regularization", 2018). Ids are those of the two reference programs, which
// add up in different precision, and so decide near ties differently
// (huggingface/tokenizers models/unigram/model.rs, google/sentencepiece src/unigram_model.cc).

#include <array>
#include <string_view>
#include <vector>

#include "lib/token/model.h"
#include "lib/token/prefix_trie.h"

namespace longhaul::token {

/// Immutable after construction; encode() may be called in parallel. Time and memory are linear in
/// the length of a piece; memory is small unless tokens overlap everywhere.
class Unigram : public Model {
 public:
    /// Whose results these are.
    enum class Reference { kHuggingFace, kSentencePiece };
    struct Options {
        Reference reference = Reference::kHuggingFace;
        uint32_t unknown_id = 0;
        double unknown_score = 0;    // of one character without a token
        bool byte_fallback = false;  // unknown characters become <0xHH> tokens, where all have one
    };
    /// A token that text can become.
    struct Scored {
        uint32_t id;
        double score;
    };
    /// @param scored ids of `vocabulary` whose bytes are well-formed UTF-8, not empty, no two
    /// equal.
    Unigram(Vocabulary vocabulary, const std::vector<Scored>& scored, const Options& options);

    const Vocabulary& vocabulary() const override { return vocabulary_; }
    uint32_t unknown_id() const override { return options_.unknown_id; }
    bool loses_text() const override { return !has_all_bytes_; }
    void encode(std::string_view piece, std::vector<uint32_t>& ids) const override;

    // For texts that are encoded word by word (lib/token/unigram_encoder.h); kSentencePiece only,
    // whose sums are floats that go through the whole text.

    /// A sum below it becomes 0, and those after it the differences: what sentencepiece 0.2.3 does
    /// so that its floats stay exact in long texts (found by trying; its source says nothing of
    /// it).
    static constexpr float kLowestSum = -100000;
    static constexpr float kHighestSum = 100000;  // of what encode_settled() knows
    static constexpr size_t kMostSettledBytes = 64;
    Reference reference() const { return options_.reference; }
    /// True when no token has a U+2581 behind another character, and that is a token: then texts
    /// may be cut before each that does not follow another. And when scores are what they should.
    bool words_are_apart() const { return words_are_apart_; }
    /// Appends the ids of a word, if they do not depend on the sum before it while all sums lie
    /// between the bounds: the second best way lacks more than rounding can make up for.
    /// @return false: they may depend on it, or there are unknown characters; nothing is appended
    bool encode_settled(std::string_view word, std::vector<uint32_t>& ids) const;
    /// Appends the ids of a text behind one whose scores add up to `sum`. @return the sum behind it
    float encode_behind(float sum, std::string_view text, std::vector<uint32_t>& ids) const;
    float add_score(float sum, uint32_t id) const { return static_cast<float>(scores_[id] + sum); }
    /// No step lowers a sum by more than this, which is not above 0.
    double lowest_score() const { return lowest_score_; }

 private:
    class Output;
    template <class Real>
    Real search(Real sum, std::string_view piece, Output& output) const;
    template <class Visit>
    size_t for_each_step(std::string_view text, size_t position, const Visit& visit) const;
    void emit_path(size_t base, std::string_view text, std::vector<uint32_t>& best,
                   Output& output) const;

    Vocabulary vocabulary_;
    Options options_;
    std::vector<double> scores_;  // by id
    std::array<uint32_t, 256> byte_tokens_{};
    bool has_all_bytes_ = false, words_are_apart_ = false;
    double lowest_score_ = 0;
    PrefixTrie trie_;
};

}  // namespace longhaul::token

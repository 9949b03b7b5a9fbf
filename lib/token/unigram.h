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

 private:
    class Output;
    template <class Real>
    void search(std::string_view piece, Output& output) const;
    void emit_path(size_t base, std::string_view text, std::vector<uint32_t>& best,
                   Output& output) const;

    Vocabulary vocabulary_;
    Options options_;
    std::vector<double> scores_;  // by id
    std::array<uint32_t, 256> byte_tokens_{};
    bool has_all_bytes_ = false;
    PrefixTrie trie_;
};

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The models of HF tokenizers that know whole words: WordPiece, which takes the longest token that
// begins what is left of a word (models/wordpiece/mod.rs), and WordLevel (models/wordlevel/mod.rs).

#include <string>
#include <string_view>
#include <vector>

#include "lib/token/model.h"
#include "lib/token/prefix_trie.h"

namespace longhaul::token {

/// Immutable after construction; encode() may be called in parallel.
class WordPiece final : public Model {
 public:
    struct Options {
        uint32_t unknown_id = 0;  // of a word that is too long or not made of tokens
        std::string inner_prefix = "##";
        uint64_t max_characters = 100;
    };
    WordPiece(Vocabulary vocabulary, const Options& options);

    const Vocabulary& vocabulary() const override { return vocabulary_; }
    uint32_t unknown_id() const override { return options_.unknown_id; }
    void encode(std::string_view piece, std::vector<uint32_t>& ids) const override;

 private:
    Vocabulary vocabulary_;
    Options options_;
    PrefixTrie first_, inner_;  // tokens at the beginning of a word, and later without the prefix
};

/// Immutable after construction; encode() may be called in parallel.
class WordLevel final : public Model {
 public:
    WordLevel(Vocabulary vocabulary, uint32_t unknown_id)
        : vocabulary_(std::move(vocabulary)), unknown_id_(unknown_id) {}

    const Vocabulary& vocabulary() const override { return vocabulary_; }
    uint32_t unknown_id() const override { return unknown_id_; }
    void encode(std::string_view piece, std::vector<uint32_t>& ids) const override {
        const uint32_t id = vocabulary_.find(piece);
        ids.push_back(id == kNoToken ? unknown_id_ : id);
    }

 private:
    Vocabulary vocabulary_;
    uint32_t unknown_id_;
};

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
// Recipes whose shingles are n characters (code points) in a row.
#include <string>

#include "lib/dedup/signature/python_text.h"
#include "lib/dedup/signature/recipe.h"
#include "lib/dedup/signature/shingle_hash.h"
#include "lib/text/lower_case.h"

namespace longhaul::dedup {

namespace {

bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// The position behind the character at `position`.
size_t next_character(std::string_view text, size_t position) {
    do ++position;
    while (position < text.size() && is_continuation(text[position]));
    return position;
}

class CharacterRecipe : public TextRecipe {
 public:
    explicit CharacterRecipe(const Parameters& parameters)
        : ngram_(static_cast<size_t>(parameters.ngram)), hasher_(parameters.scheme) {}

 protected:
    /// @param characters with kShinglePadding readable bytes behind
    void append_windows(std::string_view characters, bool takes_fewer,
                        std::vector<uint64_t>& hashes) {
        if (characters.empty()) return;
        size_t end = 0;
        for (size_t i = 0; i < ngram_; ++i) {
            if (end < characters.size()) {
                end = next_character(characters, end);
            } else if (!takes_fewer) {
                return;
            }
        }
        hashes.reserve(characters.size());  // mostly one a byte
        size_t begin = 0;
        hasher_.add(characters.substr(0, end), hashes);
        while (end < characters.size()) {
            begin = next_character(characters, begin);
            end = next_character(characters, end);
            hasher_.add(characters.substr(begin, end - begin), hashes);
        }
        hasher_.finish(hashes);
    }

 private:
    size_t ngram_;
    ShingleHasher hasher_;
};

/// @source modelzoo, data_preparation/nlp/slimpajama/dedup/to_hash.py (nltk.ngrams of a string)
class SlimpajamaRecipe : public CharacterRecipe {
 public:
    using CharacterRecipe::CharacterRecipe;
    std::string_view load(std::string_view text) override {
        text::lower_case(text, lower_);
        normalized_.clear();
        append_without_punctuation(lower_, normalized_);
        lower_.clear();
        append_collapsed(normalized_, lower_);
        normalized_.swap(lower_);
        size_ = normalized_.size();
        normalized_.append(kShinglePadding, '\0');
        return std::string_view(normalized_).substr(0, size_);
    }
    void append_shingles(std::vector<uint64_t>& hashes) override {
        append_windows(std::string_view(normalized_).substr(0, size_), false, hashes);
    }

 private:
    std::string lower_, normalized_;
    size_t size_ = 0;
};

/// @source NeMo Curator, stages/deduplication/fuzzy/minhash.py; cudf, cpp/src/text/minhash.cu
class NemoRecipe : public CharacterRecipe {
 public:
    using CharacterRecipe::CharacterRecipe;
    std::string_view load(std::string_view text) override {
        text_.assign(text);
        text_.append(kShinglePadding, '\0');
        size_ = text.size();
        return text;
    }
    void append_shingles(std::vector<uint64_t>& hashes) override {
        append_windows(std::string_view(text_).substr(0, size_), true, hashes);
    }

 private:
    std::string text_;
    size_t size_ = 0;
};

}  // namespace

std::unique_ptr<TextRecipe> detail::make_character_recipe(const Parameters& parameters) {
    if (parameters.recipe == Recipe::kNemo) return std::make_unique<NemoRecipe>(parameters);
    return std::make_unique<SlimpajamaRecipe>(parameters);
}

}  // namespace longhaul::dedup

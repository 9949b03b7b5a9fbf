// SPDX-License-Identifier: BSD-3-Clause
// Recipes whose shingles are n words joined by spaces.
#include <algorithm>
#include <string>

#include "lib/dedup/signature/python_text.h"
#include "lib/dedup/signature/recipe.h"
#include "lib/dedup/signature/shingle_hash.h"
#include "lib/text/lower_case.h"
#include "lib/text/normalization_forms.h"
#include "lib/text/normalize.h"
#include "lib/text/unicode.h"

namespace longhaul::dedup {

namespace {

/// Words one after the other with a space between, as every shingle has them.
class WordRecipe : public TextRecipe {
 public:
    explicit WordRecipe(const Parameters& parameters)
        : ngram_(static_cast<size_t>(parameters.ngram)), hasher_(parameters.scheme) {}

    void append_shingles(std::vector<uint64_t>& hashes) override {
        starts_.clear();
        joined_.clear();
        num_filled_ = 0;
        split();
        const size_t count = starts_.size();
        if (num_filled_ < least_words()) return;
        // A text with fewer words than a shingle is one shingle where the program has it so.
        const size_t ngram = takes_fewer_words() ? std::min(ngram_, count) : ngram_;
        if (count < ngram) return;
        starts_.push_back(joined_.size());
        joined_.append(kShinglePadding, '\0');
        hashes.reserve(count - ngram + 1);
        for (size_t i = 0; i + ngram <= count; ++i) {
            const size_t length = starts_[i + ngram] - starts_[i] - 1;
            hasher_.add({joined_.data() + starts_[i], length}, hashes);
        }
        hasher_.finish(hashes);
        constexpr size_t kKeptBytes = 16 << 20;  // a giant document does not stay for ever
        if (joined_.capacity() > kKeptBytes) std::string().swap(joined_);
        if (starts_.capacity() * sizeof(size_t) > kKeptBytes) std::vector<size_t>().swap(starts_);
    }

 protected:
    /// Calls put_word() for every word of the loaded text.
    virtual void split() = 0;
    /// With fewer words that are not empty, a text has no shingles.
    virtual size_t least_words() const { return 0; }
    virtual bool takes_fewer_words() const { return false; }

    void put_word(std::string_view word) {
        starts_.push_back(joined_.size());
        num_filled_ += word.empty() ? 0 : 1;
        joined_ += word;
        joined_ += ' ';
    }

 private:
    size_t ngram_;
    ShingleHasher hasher_;
    std::string joined_;
    std::vector<size_t> starts_;  // of each word in joined_; at last its end
    size_t num_filled_ = 0;       // words that are not empty
};

/// Calls put(word) for every run without a space.
template <class Put>
void split_at_spaces(std::string_view text, Put&& put) {
    for (size_t i = 0; i < text.size();) {
        const size_t end = std::min(text.find(' ', i), text.size());
        if (end > i) put(text.substr(i, end - i));
        i = end + 1;
    }
}

/// datatrove with words as lib/text/normalize.h cuts them.
class FinewebRecipe : public WordRecipe {
 public:
    using WordRecipe::WordRecipe;
    std::string_view load(std::string_view text) override {
        return normalized_ = normalizer_.normalize(text);
    }

 private:
    void split() override {
        text::for_each_word(normalized_, [&](const char* word, size_t length) {
            put_word({word, length});
        });
    }

    text::TextNormalizer normalizer_;
    std::string_view normalized_;
};

/// @source RedPajama-Data, app/src/utilities/text/normalization.py and app/src/dedupe
class Rpv2Recipe : public WordRecipe {
 public:
    using WordRecipe::WordRecipe;
    std::string_view load(std::string_view text) override {
        first_.clear();
        append_without_punctuation(text, first_);
        text::lower_case(first_, second_);
        first_.clear();
        append_collapsed(second_, first_);
        return normalized_ = text::nfd(first_);
    }

 private:
    void split() override {
        split_at_spaces(normalized_, [&](std::string_view word) { put_word(word); });
    }

    std::string first_, second_, normalized_;
};

/// @source text-dedup, src/text_dedup/config/algorithms/minhash.py and utils/tokenization.py
class TextDedupRecipe : public WordRecipe {
 public:
    using WordRecipe::WordRecipe;
    std::string_view load(std::string_view text) override {
        text::lower_case(text, lower_);
        normalized_.clear();
        append_python_words(lower_, normalized_);
        return normalized_;
    }

 private:
    void split() override {
        split_at_spaces(normalized_, [&](std::string_view word) { put_word(word); });
    }
    size_t least_words() const override { return 5; }
    bool takes_fewer_words() const override { return true; }

    std::string lower_, normalized_;
};

/// Texts in other scripts are nothing but empty words to it, so all of them would be equal: those
/// with fewer than five real words have no shingles here.
/// @source bigcode-dataset, near_deduplication/minhash_deduplication.py
class BigcodeRecipe : public WordRecipe {
 public:
    using WordRecipe::WordRecipe;
    std::string_view load(std::string_view text) override { return text_ = text; }

 private:
    /// Two separators in a row have an empty word between them.
    void split() override {
        size_t begin = 0;
        for (size_t i = 0; i < text_.size();) {
            const auto byte = static_cast<unsigned char>(text_[i]);
            const bool is_word = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                                 (byte >= '0' && byte <= '9') || byte == '_';
            if (is_word) {
                ++i;
                continue;
            }
            put_word(text_.substr(begin, i - begin));
            i += byte < 0x80 ? 1 : text::decode_utf8(text_, i).length;
            begin = i;
        }
        put_word(text_.substr(begin));
    }
    size_t least_words() const override { return 5; }

    std::string_view text_;
};

}  // namespace

std::unique_ptr<TextRecipe> detail::make_word_recipe(const Parameters& parameters) {
    switch (parameters.recipe) {
        case Recipe::kRpv2:
            return std::make_unique<Rpv2Recipe>(parameters);
        case Recipe::kTextDedup:
            return std::make_unique<TextDedupRecipe>(parameters);
        case Recipe::kBigcode:
            return std::make_unique<BigcodeRecipe>(parameters);
        default:
            return std::make_unique<FinewebRecipe>(parameters);
    }
}

}  // namespace longhaul::dedup

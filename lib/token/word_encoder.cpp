// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/word_encoder.h"

#include <algorithm>
#include <span>

namespace longhaul::token {

WordEncoder::WordEncoder(const TokenizerParts& parts, const WordRule& rule, size_t cache_bytes)
    : parts_(parts),
      rule_(rule),
      cutter_(rule.cuts),
      words_(*this),
      word_cache_(words_, cache_bytes),
      piece_cache_(*parts.model, cache_bytes / 4) {}

void WordEncoder::encode(std::string_view text, bool starts_document, std::vector<uint32_t>& ids) {
    for (size_t begin = 0; begin < text.size();) {
        const size_t count = cutter_.cut(text, begin, ends_);
        if (begin == 0) {
            encode_first(text.substr(0, ends_[0]), starts_document, ids);
            begin = ends_[0];
            continue;
        }
        word_cache_.encode(text, begin, std::span(ends_).first(count), ids);
        begin += ends_[count - 1];
    }
}

/// The first word has no blank before it, or a prefix that others do not have.
void WordEncoder::encode_first(std::string_view word, bool starts_document,
                               std::vector<uint32_t>& ids) {
    if (rule_.kind == WordRule::Kind::kSplit) {
        encode_split(word, starts_document, ids);
        return;
    }
    const bool is_there = word.starts_with(' ') || word.starts_with(kSpaceMark);
    const bool gets_prefix = rule_.prefix == WordRule::Prefix::kAlways ||
                             (rule_.prefix == WordRule::Prefix::kUnlessThere && !is_there &&
                              (starts_document || !rule_.prefix_at_document_only));
    mark_spaces(word, gets_prefix);
    piece_cache_.encode(marked_, marked_.size(), ids);
}

void WordEncoder::encode_split(std::string_view word, bool starts_document,
                               std::vector<uint32_t>& ids) {
    std::string normal;
    if (!parts_.normalizer.surely_keeps(word)) {
        normal = parts_.normalizer.apply(word, &starts_document);
        word = normal;
    }
    parts_.pre_tokenizer.split(word, pieces_, true, starts_document);
    for (const std::string_view piece : pieces_.views) {
        if (!piece.empty()) piece_cache_.encode(piece, piece.size(), ids);
    }
}

/// Writes the word as the model sees it to marked_.
void WordEncoder::mark_spaces(std::string_view word, bool has_prefix) {
    constexpr size_t kMostKept = 1 << 20;
    if (marked_.capacity() > kMostKept) marked_ = {};
    marked_.clear();
    const auto spaces = static_cast<size_t>(std::count(word.begin(), word.end(), ' '));
    marked_.reserve(word.size() + spaces * (kSpaceMark.size() - 1) + kSpaceMark.size());
    if (has_prefix) marked_ += kSpaceMark;
    for (size_t done = 0; done < word.size();) {
        const size_t space = std::min(word.find(' ', done), word.size());
        marked_.append(word, done, space - done);
        if (space < word.size()) marked_ += kSpaceMark;
        done = space + 1;
    }
}

/// As the model cuts behind the spaces in front. Where others follow, as behind a U+2581 of the
/// text, the word stays whole: the model does not know them.
size_t WordEncoder::Words::cut(std::string_view word, uint32_t* ends, size_t most) const {
    const size_t begin = std::min(word.find_first_not_of(' '), word.size());
    size_t count = 0;
    if (begin < word.size()) {
        const std::string_view rest = word.substr(begin);
        count = model().cut(rest, ends, most);
        const std::string_view seen = rest.substr(0, size_t{ends[count - 1]} + 1);
        if (seen.find(' ') != std::string_view::npos) count = 0;
        for (size_t i = 0; i < count; ++i) ends[i] += static_cast<uint32_t>(begin);
    }
    if (count != 0) return count;
    ends[0] = static_cast<uint32_t>(word.size());
    return 1;
}

void WordEncoder::Words::encode(std::string_view word, std::vector<uint32_t>& ids) const {
    if (is_split()) {
        owner_.encode_split(word, false, ids);
    } else {
        owner_.mark_spaces(word, false);
        model().encode(owner_.marked_, ids);
    }
}

}  // namespace longhaul::token

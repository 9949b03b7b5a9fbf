// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/unigram_encoder.h"

#include <algorithm>

#include "lib/token/sentencepiece_normalizer.h"

namespace longhaul::token {

namespace {

constexpr size_t kMostPacked = 31;  // bytes of a word that the cache is asked for
/// Before the length and the bytes of a word, three in each id.
constexpr uint32_t kPacked = kMaxTokenId;

void pack(std::string_view word, std::vector<uint32_t>& ids) {
    ids.push_back(kPacked);
    ids.push_back(static_cast<uint32_t>(word.size()));
    for (size_t i = 0; i < word.size(); i += 3) {
        uint32_t packed = 0;
        for (size_t j = i; j < std::min(i + 3, word.size()); ++j) {
            packed |= uint32_t{static_cast<uint8_t>(word[j])} << 8 * (j - i);
        }
        ids.push_back(packed);
    }
}

/// @param at of kPacked; afterwards behind the word
std::string unpack_word(const std::vector<uint32_t>& ids, size_t& at) {
    std::string word(ids[at + 1], 0);
    at += 2;
    for (size_t i = 0; i < word.size(); ++i) {
        word[i] = static_cast<char>(ids[at + i / 3] >> 8 * (i % 3));
    }
    at += (word.size() + 2) / 3;
    return word;
}

}  // namespace

std::optional<WordCutter::Options> UnigramEncoder::find_cuts(const TokenizerParts& parts) {
    const auto* const unigram = dynamic_cast<const Unigram*>(parts.model.get());
    const auto& steps = parts.normalizer.steps();
    if (unigram == nullptr || unigram->reference() != Unigram::Reference::kSentencePiece ||
        !unigram->words_are_apart() || unigram->vocabulary().size() > kPacked ||
        !parts.pre_tokenizer.is_identity() || steps.size() != 1 ||
        dynamic_cast<const SentencePieceNormalizer*>(steps[0].get()) == nullptr) {
        return {};
    }
    WordCutter::Options cuts;
    for (auto& row : cuts.allowed) row.set();
    for (const char blank : {' ', '\n', '\t', '\r'}) {
        if (steps[0]->cuts_before(blank)) cuts.blanks.push_back(blank);
        cuts.allowed[static_cast<uint8_t>(blank)].reset();
    }
    if (cuts.blanks.empty()) return {};
    return cuts;
}

UnigramEncoder::UnigramEncoder(const TokenizerParts& parts, const WordCutter::Options& cuts,
                               size_t cache_bytes)
    : parts_(parts),
      unigram_(dynamic_cast<const Unigram&>(*parts.model)),
      cutter_(cuts),
      words_(*this),
      cache_(words_, cache_bytes),
      reserve_(unigram_.lowest_score() * static_cast<double>(Unigram::kMostSettledBytes)) {}

void UnigramEncoder::encode(std::string_view text, std::vector<uint32_t>& ids) {
    sum_ = 0;
    for (size_t begin = 0; begin < text.size();) {
        const std::span ends = std::span(ends_).first(cutter_.cut(text, begin, ends_));
        uint32_t from = 0;
        size_t first = 0;  // of the short words that follow each other
        for (size_t i = 0; i < ends.size(); ++i) {
            if (ends[i] - from > kMostPacked) {
                encode_short(text, begin, ends.subspan(first, i - first), ids);
                search(text.substr(begin + from, ends[i] - from), ids);
                begin += ends[i];
                first = i + 1;
                for (size_t j = first; j < ends.size(); ++j) ends[j] -= ends[i];
                from = 0;
                continue;
            }
            from = ends[i];
        }
        encode_short(text, begin, ends.subspan(first), ids);
        begin += from;
    }
}

/// Words of kMostPacked bytes at most.
void UnigramEncoder::encode_short(std::string_view text, size_t begin,
                                  std::span<const uint32_t> ends, std::vector<uint32_t>& ids) {
    if (ends.empty()) return;
    packed_.clear();
    cache_.encode(text, begin, ends, packed_);
    const float before = sum_;
    const size_t num_before = ids.size();
    if (unpack(ids)) return;
    sum_ = before;
    ids.resize(num_before);
    search(text.substr(begin, ends.back()), ids);
}

/// Takes packed_ to `ids` and the sum along. @return false: some sum may have left the bounds
bool UnigramEncoder::unpack(std::vector<uint32_t>& ids) {
    float lowest = sum_, highest = sum_;
    for (size_t at = 0; at < packed_.size();) {
        if (packed_[at] == kPacked) {
            sum_ = unigram_.encode_behind(sum_, unpack_word(packed_, at), ids);
        } else {
            ids.push_back(packed_[at]);
            sum_ = unigram_.add_score(sum_, packed_[at]);
            ++at;
        }
        lowest = std::min(lowest, sum_);
        highest = std::max(highest, sum_);
    }
    return lowest + reserve_ > Unigram::kLowestSum && highest < Unigram::kHighestSum;
}

/// The words as they are in the text around them.
void UnigramEncoder::search(std::string_view words, std::vector<uint32_t>& ids) {
    sum_ = unigram_.encode_behind(sum_, parts_.normalizer.apply(words), ids);
}

void UnigramEncoder::Words::encode(std::string_view word, std::vector<uint32_t>& ids) const {
    const std::string normal = owner_.parts_.normalizer.apply(word);
    if (!owner_.unigram_.encode_settled(normal, ids)) pack(normal, ids);
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/unigram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "lib/token/byte_piece.h"
#include "lib/token/char_table.h"

namespace longhaul::token {

namespace {

/// In place of a token's id: one character without a token.
constexpr uint32_t kUnknownCharacter = kNoToken - 1;

/// In kMostSettledBytes steps of this a sum from kHighestSum does not come to 131072, where
/// rounding is coarser. Real scores are above -30.
constexpr double kMostScore = 400;
constexpr double kFar = std::numeric_limits<double>::infinity();

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

size_t char_begin(std::string_view text, size_t end) {
    do {
        --end;
    } while ((static_cast<uint8_t>(text[end]) & 0xC0) == 0x80);
    return end;
}

}  // namespace

/// Turns the tokens of the best path into ids: runs of unknown characters become one.
class Unigram::Output {
 public:
    Output(const Unigram& model, std::string_view text, std::vector<uint32_t>& ids)
        : model_(model), text_(text), ids_(ids) {}

    /// The next token of the path.
    void add(uint32_t id, size_t begin, size_t end) {
        const bool is_unknown = id == kUnknownCharacter || id == model_.options_.unknown_id;
        if (!is_unknown) {
            finish();
            ids_.push_back(id);
        } else {
            if (run_begin_ == run_end_) run_begin_ = begin;
            run_end_ = end;
        }
    }

    /// Ends a run of unknown characters.
    void finish() {
        if (run_begin_ == run_end_) return;
        const std::string_view run = text_.substr(run_begin_, run_end_ - run_begin_);
        run_begin_ = run_end_ = 0;
        const Options& options = model_.options_;
        // HF tokenizers looks the run up as if it were a token: "<unk>" itself may stand there.
        const uint32_t whole =
            options.reference == Reference::kHuggingFace ? model_.vocabulary_.find(run) : kNoToken;
        const bool has_bytes = std::all_of(run.begin(), run.end(), [&](char byte) {
            return model_.byte_tokens_[static_cast<uint8_t>(byte)] != kNoToken;
        });
        if (whole != kNoToken) {
            ids_.push_back(whole);
        } else if (has_bytes) {
            for (const char byte : run) {
                ids_.push_back(model_.byte_tokens_[static_cast<uint8_t>(byte)]);
            }
        } else {
            ids_.push_back(options.unknown_id);
        }
    }

 private:
    const Unigram& model_;
    std::string_view text_;
    std::vector<uint32_t>& ids_;
    size_t run_begin_ = 0, run_end_ = 0;
};

Unigram::Unigram(Vocabulary vocabulary, const std::vector<Scored>& scored, const Options& options)
    : vocabulary_(std::move(vocabulary)), options_(options) {
    byte_tokens_.fill(kNoToken);
    has_all_bytes_ = options.byte_fallback;
    for (unsigned byte = 0; byte < 256 && options.byte_fallback; ++byte) {
        byte_tokens_[byte] = vocabulary_.find(byte_piece(static_cast<uint8_t>(byte)));
        has_all_bytes_ = has_all_bytes_ && byte_tokens_[byte] != kNoToken;
    }
    scores_.resize(vocabulary_.size());
    std::vector<PrefixTrie::Key> keys;
    words_are_apart_ =
        vocabulary_.find(kSpaceMark) != kNoToken && std::abs(options.unknown_score) <= kMostScore;
    lowest_score_ = std::min(0.0, options.unknown_score);
    for (const Scored& token : scored) {
        const std::string_view text = vocabulary_.bytes(token.id);
        size_t begin = 0;
        while (text.substr(begin).starts_with(kSpaceMark)) begin += kSpaceMark.size();
        words_are_apart_ = words_are_apart_ && text.find(kSpaceMark, begin) == text.npos &&
                           std::abs(token.score) <= kMostScore;
        lowest_score_ = std::min(lowest_score_, token.score);
        scores_[token.id] = token.score;
        keys.emplace_back(vocabulary_.bytes(token.id), token.id);
    }
    trie_ = PrefixTrie(std::move(keys));
}

/// Calls visit(end, id) for each token that begins at `position`, and for its character without
/// one. @return the end of the character
template <class Visit>
size_t Unigram::for_each_step(std::string_view text, size_t position, const Visit& visit) const {
    const size_t end = next_char(text, position).end;
    bool has_character = false;
    trie_.for_each_prefix(text.substr(position), [&](size_t length, uint32_t id) {
        visit(position + length, id);
        has_character = has_character || position + length == end;
    });
    if (!has_character) visit(end, kUnknownCharacter);
    return end;
}

/// Hands the path that ends with the last entry of `best` to `output`, from the left.
void Unigram::emit_path(size_t base, std::string_view text, std::vector<uint32_t>& best,
                        Output& output) const {
    thread_local std::vector<std::pair<uint32_t, uint32_t>> path;  // id, end
    path.clear();
    for (size_t end = best.size() - 1; end > 0;) {
        path.emplace_back(best[end], static_cast<uint32_t>(end));
        end = best[end] == kUnknownCharacter ? char_begin(text, end)
                                             : end - vocabulary_.bytes(best[end]).size();
    }
    size_t begin = 0;
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
        output.add(step->first, base + begin, base + step->second);
        begin = step->second;
    }
}

/// Real holds the sums: double in HF tokenizers, float in sentencepiece. Of equal sums the longest
/// last token wins. A position that no token spans ends a part: its best path is decided. The
/// scores of the last positions are all that is needed.
template <class Real>
Real Unigram::search(Real sum, std::string_view piece, Output& output) const {
    thread_local std::vector<uint32_t> best;  // token that ends at a position of the part
    thread_local std::vector<Real> sums;      // of the path to a position, a ring
    const size_t mask = std::bit_ceil(size_t{vocabulary_.longest_token_bytes()} + 8) - 1;
    sums.assign(mask + 1, 0);
    sums[0] = sum;
    const double unknown_score = static_cast<Real>(options_.unknown_score);
    for (size_t base = 0; base < piece.size();) {
        const std::string_view text = piece.substr(base);
        size_t position = 0, reach = 0;
        best.assign(1, kNoToken);
        do {
            Real here = sums[(base + position) & mask];
            if (std::is_same_v<Real, float> && here < kLowestSum) {
                for (size_t at = position; at <= reach; ++at) sums[(base + at) & mask] -= here;
                here = 0;
            }
            const auto offer = [&](size_t end, Real sum, uint32_t id) {
                if (end >= best.size()) best.resize(end + 1, kNoToken);
                Real& there = sums[(base + end) & mask];
                if (best[end] == kNoToken || sum > there) {
                    best[end] = id;
                    there = static_cast<Real>(sum);
                }
                reach = std::max(reach, end);
            };
            const size_t end = for_each_step(text, position, [&](size_t to, uint32_t id) {
                const auto score = id == kUnknownCharacter ? unknown_score : scores_[id];
                offer(to, static_cast<Real>(score + here), id);
            });
            position = end;
        } while (position < reach);
        emit_path(base, text, best, output);
        base += reach;
    }
    return sums[piece.size() & mask];
}

void Unigram::encode(std::string_view piece, std::vector<uint32_t>& ids) const {
    Output output(*this, piece, ids);
    if (options_.reference == Reference::kHuggingFace) {
        search<double>(0, piece, output);
    } else {
        search<float>(0, piece, output);
    }
    output.finish();
}

float Unigram::encode_behind(float sum, std::string_view text, std::vector<uint32_t>& ids) const {
    Output output(*this, text, ids);
    sum = search<float>(sum, text, output);
    output.finish();
    return sum;
}

bool Unigram::encode_settled(std::string_view word, std::vector<uint32_t>& ids) const {
    // Each step of a sum between the bounds is rounded by half of 1/128 at most. With that added to
    // every score, the sums here are what any other way can reach, and the best way has at least
    // what is here less twice that for each of its steps.
    constexpr double kRounding = 1.0 / 256 + 1e-6;
    struct Place {
        double best = -kFar, second = -kFar;  // of the ways to here
        uint32_t id = kNoToken, length = 0;   // the last step of the best
        void offer(double sum, uint32_t by, size_t bytes) {
            if (sum <= best) {
                second = std::max(second, sum);
                return;
            }
            second = std::exchange(best, sum);
            id = by;
            length = static_cast<uint32_t>(bytes);
        }
    };
    if (word.size() > kMostSettledBytes) return false;
    std::array<Place, kMostSettledBytes + 1> places;
    places[0].best = 0;
    for (size_t at = 0; at < word.size(); at = next_char(word, at).end) {
        const Place from = places[at];
        if (from.best == -kFar) continue;
        for_each_step(word, at, [&](size_t to, uint32_t id) {
            const bool is_unknown = id == kUnknownCharacter;
            const double score = (is_unknown ? options_.unknown_score : scores_[id]) + kRounding;
            places[to].offer(from.best + score, id, to - at);
            if (from.second != -kFar) places[to].offer(from.second + score, id, to - at);
        });
    }
    const size_t before = ids.size();
    for (size_t end = word.size(); end > 0; end -= places[end].length)
        ids.push_back(places[end].id);
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(before);
    const auto steps = static_cast<double>(ids.end() - begin);
    const bool has_unknown = std::find(begin, ids.end(), kUnknownCharacter) != ids.end();
    const Place& last = places[word.size()];
    if (has_unknown || last.best - 2 * steps * kRounding <= last.second) {
        ids.resize(before);
        return false;
    }
    std::reverse(begin, ids.end());
    return true;
}

}  // namespace longhaul::token

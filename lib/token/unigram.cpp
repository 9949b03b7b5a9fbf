// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/unigram.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "lib/token/byte_piece.h"
#include "lib/token/char_table.h"

namespace longhaul::token {

namespace {

/// In place of a token's id: one character without a token.
constexpr uint32_t kUnknownCharacter = kNoToken - 1;

/// A sum below it becomes 0, and those after it the differences: what sentencepiece 0.2.3 does so
/// that its floats stay exact in long texts (found by trying; its source says nothing of it).
constexpr float kLowestSum = -100000;

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
    for (const Scored& token : scored) {
        scores_[token.id] = token.score;
        keys.emplace_back(vocabulary_.bytes(token.id), token.id);
    }
    trie_ = PrefixTrie(std::move(keys));
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
void Unigram::search(std::string_view piece, Output& output) const {
    thread_local std::vector<uint32_t> best;  // token that ends at a position of the part
    thread_local std::vector<Real> sums;      // of the path to a position, a ring
    const size_t mask = std::bit_ceil(size_t{vocabulary_.longest_token_bytes()} + 8) - 1;
    sums.assign(mask + 1, 0);
    const auto unknown_score = static_cast<Real>(options_.unknown_score);
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
            const size_t end = next_char(text, position).end;
            bool has_character = false;
            trie_.for_each_prefix(text.substr(position), [&](size_t length, uint32_t id) {
                offer(position + length, static_cast<Real>(scores_[id] + here), id);
                has_character = has_character || position + length == end;
            });
            if (!has_character) offer(end, unknown_score + here, kUnknownCharacter);
            position = end;
        } while (position < reach);
        emit_path(base, text, best, output);
        base += reach;
    }
}

void Unigram::encode(std::string_view piece, std::vector<uint32_t>& ids) const {
    Output output(*this, piece, ids);
    if (options_.reference == Reference::kHuggingFace) {
        search<double>(piece, output);
    } else {
        search<float>(piece, output);
    }
    output.finish();
}

}  // namespace longhaul::token

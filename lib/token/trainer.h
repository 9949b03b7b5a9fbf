// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Training of a byte-level BPE vocabulary. Deterministic: the most frequent pair merges, of equals
// the one with the smaller ids (the order of HF tokenizers' trainer), whatever the order of the
// words.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/token/scheme.h"
#include "lib/token/vocabulary.h"

namespace longhaul::token {

/// Pieces of text (bytes) and how often they occur.
using WordCounts = std::unordered_map<std::string, uint64_t>;

struct TrainOptions {
    Scheme scheme = Scheme::kGpt2;
    uint32_t vocab_size = 32768;        // special tokens, 256 bytes and merges together
    uint64_t min_frequency = 2;         // a rarer pair does not merge
    std::vector<std::string> specials;  // get the first ids
};

/// A trained vocabulary in the order of ids.
struct TrainedBpe {
    struct Pair {
        uint32_t left, right;  // ids
    };
    std::vector<std::string> specials;
    std::vector<std::string> tokens;  // bytes; id = specials.size() + index
    std::vector<Pair> merges;         // in rank order
};

/// Pieces longer than this are left out of the counts: a run of a million equal characters says
/// nothing about words and would be scanned again at every merge.
inline constexpr size_t kMaxTrainingPieceBytes = 1024;

/// Whether tokenizers of the scheme normalise to NFC first; texts are to be counted so.
bool normalizes_to_nfc(Scheme scheme);

/// Adds the pieces of a text. @return bytes left out in pieces that are too long.
uint64_t count_words(Scheme scheme, std::string_view text, WordCounts& counts);

/// @throws UsageError: vocab_size below 256 + specials or too large, specials twice or empty
void check_train_options(const TrainOptions& options);

/// @throws UsageError: vocab_size below 256 + specials, or specials twice. Fewer tokens than asked
/// come out when no pair is left that occurs min_frequency times.
TrainedBpe train_bpe(const WordCounts& counts, const TrainOptions& options);

/// tokenizer.json of HF tokenizers.
std::string to_tokenizer_json(const TrainedBpe& trained, Scheme scheme);

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What decides which documents are duplicates, and the mathematics of banding.

#include <cstdint>
#include <string>
#include <vector>

namespace longhaul::dedup {

/// How shingles are hashed and permuted.
enum class Scheme {
    kNative,     // ours: 32-bit affine permutations, the fastest
    kDatatrove,  // signatures equal to datatrove's: XXH64 of the joined words, modulo 2^61-1
};

struct Parameters {
    std::string preset = "fineweb";
    Scheme scheme = Scheme::kNative;
    int bands = 14;
    int rows = 8;
    int ngram = 5;               // words of a shingle
    double threshold = 0.75;     // a document goes when its true Jaccard is at least this
    bool is_transitive = false;  // classic closure of the candidates, not verified

    int num_hashes() const { return bands * rows; }
};

/// The word after --hash. @throws UsageError
Scheme parse_scheme(const std::string& word);
const char* scheme_name(Scheme scheme);
/// "fineweb" is 14 bands of 8 rows over 5 words. @throws UsageError naming what is known.
Parameters preset_parameters(const std::string& name);
/// @throws UsageError when a value is out of its range.
void validate(const Parameters& parameters);

/// Probability that two documents of Jaccard `similarity` share a band: 1-(1-s^r)^b.
double candidate_probability(double similarity, int bands, int rows);
/// The similarity found with probability one half: (1-2^(-1/b))^(1/r).
double half_point(int bands, int rows);

struct Banding {
    int bands = 0;
    int rows = 0;
};
/// The bands and rows with bands*rows <= max_hashes that suit `threshold` best: least weighted area
/// of false negatives above and false positives below it. Missing a duplicate weighs more than
/// checking a wrong candidate, since every candidate is verified.
/// @source datasketch/lsh.py, _optimal_param; with our weights .75 gives FineWeb's 14 x 8.
Banding best_banding(double threshold, int max_hashes = 112);

/// The S-curve at .5, .55 ... 1 as lines of text.
std::string s_curve_table(const Parameters& parameters);

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What decides which documents are duplicates: presets, and the mathematics of banding.

#include <cstdint>
#include <string>
#include <vector>

namespace longhaul::dedup {

/// How a text becomes shingles: normalisation, pieces, and how many of them in a row.
enum class Recipe {
    kFineweb,     // datatrove's simplify_text; words, characters of scripts without spaces
    kSlimpajama,  // lower case without ASCII punctuation; characters
    kRpv2,        // the same, decomposed; words between white space
    kTextDedup,   // lower case; words of \w
    kBigcode,     // as it is; split at every character but A-Z, a-z, 0-9 and _
    kNemo,        // as it is; characters
};

/// How shingles are hashed and permuted: `--hash`.
enum class Scheme {
    kNative,         // ours: 32-bit affine permutations, the fastest
    kDatatrove,      // XXH64 of the joined words, modulo 2^61-1
    kDatatroveSha1,  // the same of the first 8 bytes of SHA-1 (FineWeb)
    kSlimpajama,     // datasketch before 2.0: 4 bytes of SHA-1, modulo 2^61-1, low 32 bits
    kRpv2,           // the same with seed 42
    kBigcode,        // the same with seed 42
    kTextDedup,      // XXH3, hash_bits 64
    kTextDedup32,    // hash_bits 32
    kTextDedup16,    // hash_bits 16
    kNemo,           // MurmurHash3, 32-bit affine
};

struct Parameters {
    std::string preset = "fineweb";
    Recipe recipe = Recipe::kFineweb;
    Scheme scheme = Scheme::kNative;
    int bands = 14;
    int rows = 8;
    /// Permutations of the preset: what --threshold may spend. text-dedup draws so many whatever
    /// the banding is, and the draws depend on the number.
    int permutations = 112;
    int ngram = 5;               // pieces of a shingle: words or characters
    double threshold = 0.75;     // a document goes when its true Jaccard is at least this
    double miss_weight = 0.8;    // of false negatives when --threshold chooses the banding
    bool is_transitive = false;  // classic closure of the candidates, not verified

    int num_hashes() const { return bands * rows; }
    int num_permutations() const {
        return permutations < num_hashes() ? num_hashes() : permutations;
    }
};

/// What a preset is, for people.
struct PresetInfo {
    const char* name;
    const char* text;  // one line
};
const std::vector<PresetInfo>& presets();

/// @throws UsageError naming what is known.
Parameters preset_parameters(const std::string& name);
/// The word after --hash for a recipe. @throws UsageError naming the schemes of the recipe.
Scheme parse_scheme(const std::string& word, Recipe recipe);
const char* scheme_name(Scheme scheme);
/// "words" or "characters".
const char* piece_name(Recipe recipe);
/// True for recipes whose every character begins a shingle: they need more memory.
bool has_character_shingles(Recipe recipe);
/// @throws UsageError when a value is out of its range or does not fit the others.
void validate(const Parameters& parameters);

/// Probability that two documents of Jaccard `similarity` share a band: 1-(1-s^r)^b.
double candidate_probability(double similarity, int bands, int rows);
/// The similarity found with probability one half: (1-2^(-1/b))^(1/r).
double half_point(int bands, int rows);

struct Banding {
    int bands = 0;
    int rows = 0;
};
/// The bands and rows with bands*rows <= max_hashes that suit `threshold` best: the least of
/// (1-miss_weight) * area of false positives below it + miss_weight * area of false negatives
/// above it. Where every candidate is verified, missing a duplicate weighs more than checking a
/// wrong one; the other programs weigh both alike.
/// @source datasketch/lsh.py, _optimal_param; with .8, .75 gives FineWeb's 14 x 8.
Banding best_banding(double threshold, int max_hashes = 112, double miss_weight = 0.8);

/// The S-curve as lines of text (lib/dedup/signature/explain.cpp).
std::string s_curve_table(const Parameters& parameters);

}  // namespace longhaul::dedup

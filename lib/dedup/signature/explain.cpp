// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/explain.h"

#include <array>
#include <cmath>
#include <vector>

#include "lib/base/format.h"
#include "lib/dedup/records.h"
#include "lib/dedup/signature/minhash.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

constexpr int kBarLength = 40;

const char* normalisation(Recipe recipe) {
    switch (recipe) {
        case Recipe::kFineweb:
            return "lower case; numbers become 0; punctuation and controls become spaces; NFD "
                   "without nonspacing marks";
        case Recipe::kSlimpajama:
            return "lower case; ASCII punctuation goes; white space collapses";
        case Recipe::kRpv2:
            return "ASCII punctuation goes; lower case; white space collapses; NFD";
        case Recipe::kTextDedup:
            return "lower case; all but letters, marks, digits and _ separates words";
        case Recipe::kBigcode:
            return "none; all but A-Z, a-z, 0-9 and _ separates words, which may be empty";
        case Recipe::kNemo:
            return "none";
    }
    return "";
}

const char* base_hash(Scheme scheme) {
    switch (scheme) {
        case Scheme::kNative:
            return "one 64-bit hash of our own";
        case Scheme::kDatatrove:
            return "one XXH64";
        case Scheme::kDatatroveSha1:
        case Scheme::kSlimpajama:
        case Scheme::kRpv2:
        case Scheme::kBigcode:
            return "one SHA-1";
        case Scheme::kTextDedup:
        case Scheme::kTextDedup32:
            return "one XXH3";
        case Scheme::kTextDedup16:
            return "one XXH3-128";
        case Scheme::kNemo:
            return "one MurmurHash3 and one XXH3";
    }
    return "";
}

const char* permutation(Family family) {
    switch (family) {
        case Family::kAffineHigh32:
            return "a x + b mod 2^32, a odd";
        case Family::kAffineLow32:
            return "a x + b mod 2^32";
        case Family::kMod61:
            return "(a x + b mod 2^64) mod 2^61-1";
        case Family::kMod61Low32:
            return "(a x + b mod 2^64) mod 2^61-1, low 32 bits";
        case Family::kMod32:
            return "(a x + b mod 2^32) mod 2^32-5";
        case Family::kMod16:
            return "(a x + b mod 2^16) mod 2^16-15";
    }
    return "";
}

double found_at(const Parameters& p, double jaccard) {
    return candidate_probability(jaccard, p.bands, p.rows);
}

/// The Jaccard index from which at least `share` of the pairs are found.
double found_from(const Parameters& p, double share) {
    return std::pow(1 - std::pow(1 - share, 1.0 / p.bands), 1.0 / p.rows);
}

double knee(const Parameters& p) {
    return std::pow(1.0 / p.bands, 1.0 / p.rows);
}

uint64_t sign_bytes(const Parameters& p) {
    return sizeof(BandRecord) * static_cast<uint64_t>(p.bands) + sizeof(ExactRecord);
}

/// Tenths, and twentieths from .5 on, where decisions are made.
std::vector<double> curve_points() {
    std::vector<double> points;
    for (int percent = 10; percent <= 100; percent += percent < 50 ? 10 : 5) {
        points.push_back(percent / 100.0);
    }
    return points;
}

std::string curve_row(const Parameters& p, double jaccard) {
    const double found = found_at(p, jaccard);
    const auto bar = static_cast<size_t>(std::lround(found * kBarLength));
    return format("   {:.2f}   {:6.4f}{}{}\n", jaccard, found, bar > 0 ? "  " : "",
                  std::string(bar, '#'));
}

std::string curve_notes(const Parameters& p) {
    std::string text =
        format("half of the pairs are found at Jaccard {:.3f}; at the threshold {:.2f}: {:.1f}%\n",
               half_point(p.bands, p.rows), p.threshold, 100 * found_at(p, p.threshold));
    text +=
        "More rows make a band harder to share (fewer candidates), more bands make it easier.\n";
    return text;
}

std::string first_line(const Parameters& p) {
    return format("{} bands x {} rows = {} hashes, shingles of {} {}, hash {}\n", p.bands, p.rows,
                  p.num_hashes(), p.ngram, piece_name(p.recipe), scheme_name(p.scheme));
}

std::string parameters_text(const Parameters& p) {
    std::string text = format("preset {}: ", p.preset) + first_line(p);
    text += format("  normalisation  {}\n", normalisation(p.recipe));
    text += format("  a shingle      {} {} in a row\n", p.ngram, piece_name(p.recipe));
    text += format("  a permutation  {}\n", permutation(family_of(p.scheme)));
    text += format(
        "  a duplicate    has a Jaccard index of at least {:.2f} with a document that stays\n",
        p.threshold);
    return text;
}

std::string chance_text(const Parameters& p) {
    std::string text =
        "\nfalse candidates by chance, of band keys of 64 bits (each costs a "
        "comparison, none removes a document):\n";
    for (const double documents : {1e9, 1e10}) {
        text += format("  {:.0e} documents  {:.2g}\n", documents,
                       chance_candidates(p.bands, documents));
    }
    return text;
}

std::string cost_text(const Parameters& p) {
    std::string text = "\ncost\n";
    text += format(
        "  sign   a shingle: {}, {} permutations; a document: {} bytes ({} a band, {} "
        "for the exact hash)\n",
        base_hash(p.scheme), p.num_hashes(), sign_bytes(p), sizeof(BandRecord),
        sizeof(ExactRecord));
    text += format("  group  {} bytes for each band key that several documents share\n",
                   sizeof(Membership));
    text += "  apply  8 bytes a shingle, of candidates only\n";
    return text;
}

io::Json curve_json(const Parameters& p) {
    io::Json curve = io::Json::array();
    for (const double jaccard : curve_points()) {
        curve.push_back({{"jaccard", jaccard}, {"found", found_at(p, jaccard)}});
    }
    return curve;
}

}  // namespace

double chance_candidates(int bands, double documents) {
    return bands * documents * documents * 0x1p-65;
}

std::string s_curve_table(const Parameters& p) {
    std::string text = first_line(p) + "Jaccard  found as a candidate\n";
    for (const double jaccard : curve_points()) {
        if (jaccard >= 0.5) text += curve_row(p, jaccard);
    }
    return text + curve_notes(p);
}

std::string explanation(const Parameters& p) {
    std::string text = parameters_text(p) + "\nJaccard  found as a candidate\n";
    for (const double jaccard : curve_points()) text += curve_row(p, jaccard);
    text += curve_notes(p);
    text += format(
        "95% of the pairs are found from Jaccard {:.3f} on; the knee, (1/bands)^(1/rows), is "
        "{:.3f}.\n",
        found_from(p, 0.95), knee(p));
    return text + chance_text(p) + cost_text(p);
}

std::string explanation_json(const Parameters& p) {
    const io::Json json = {{"schema", 1},
                           {"preset", p.preset},
                           {"hash", scheme_name(p.scheme)},
                           {"normalisation", normalisation(p.recipe)},
                           {"shingle_of", piece_name(p.recipe)},
                           {"ngram", p.ngram},
                           {"permutation", permutation(family_of(p.scheme))},
                           {"bands", p.bands},
                           {"rows", p.rows},
                           {"num_hashes", p.num_hashes()},
                           {"threshold", p.threshold},
                           {"found_at_threshold", found_at(p, p.threshold)},
                           {"half_found_at", half_point(p.bands, p.rows)},
                           {"95_percent_found_from", found_from(p, 0.95)},
                           {"knee", knee(p)},
                           {"s_curve", curve_json(p)},
                           {"chance_candidates",
                            {{{"documents", 1e9}, {"pairs", chance_candidates(p.bands, 1e9)}},
                             {{"documents", 1e10}, {"pairs", chance_candidates(p.bands, 1e10)}}}},
                           {"cost",
                            {{"base_hash_per_shingle", base_hash(p.scheme)},
                             {"permutations_per_shingle", p.num_hashes()},
                             {"sign_bytes_per_document", sign_bytes(p)},
                             {"group_bytes_per_shared_key", sizeof(Membership)},
                             {"apply_bytes_per_shingle_of_candidates", sizeof(uint64_t)}}}};
    return io::to_pretty(json);
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/parameters.h"

#include <array>
#include <cmath>
#include <cstring>

#include "lib/base/error.h"

namespace longhaul::dedup {

namespace {

constexpr int kMaxHashes = 4096;  // of a signature; a bound against typing errors
constexpr int kMaxNgram = 256;

struct Preset {
    const char* name;
    Recipe recipe;
    Scheme scheme;
    int bands, rows, permutations, ngram;
    double threshold, miss_weight;
};

// Sources are in the man page, section PRESETS. The weights of the others are those of the program
// (datasketch's rule with 0.5 and 0.5), so that --threshold gives the program's own banding.
constexpr std::array kPresets{
    Preset{"fineweb", Recipe::kFineweb, Scheme::kNative, 14, 8, 112, 5, 0.75, 0.8},
    Preset{"native", Recipe::kFineweb, Scheme::kNative, 18, 7, 128, 5, 0.75, 0.95},
    Preset{"slimpajama", Recipe::kSlimpajama, Scheme::kSlimpajama, 9, 13, 128, 13, 0.8, 0.5},
    Preset{"rpv2", Recipe::kRpv2, Scheme::kRpv2, 14, 9, 128, 13, 0.7, 0.5},
    Preset{"text-dedup", Recipe::kTextDedup, Scheme::kTextDedup, 24, 10, 240, 5, 0.7, 0.5},
    Preset{"bigcode", Recipe::kBigcode, Scheme::kBigcode, 25, 10, 256, 5, 0.7, 0.5},
    Preset{"nemo", Recipe::kNemo, Scheme::kNemo, 20, 13, 260, 24, 0.8, 0.5},
};

struct SchemeName {
    const char* name;
    Scheme scheme;
    Recipe recipe;  // the one whose signatures it makes
};
// In the order of Scheme.
constexpr std::array kSchemes{
    SchemeName{"native", Scheme::kNative, Recipe::kFineweb},
    SchemeName{"datatrove", Scheme::kDatatrove, Recipe::kFineweb},
    SchemeName{"datatrove-sha1", Scheme::kDatatroveSha1, Recipe::kFineweb},
    SchemeName{"slimpajama", Scheme::kSlimpajama, Recipe::kSlimpajama},
    SchemeName{"rpv2", Scheme::kRpv2, Recipe::kRpv2},
    SchemeName{"bigcode", Scheme::kBigcode, Recipe::kBigcode},
    SchemeName{"text-dedup", Scheme::kTextDedup, Recipe::kTextDedup},
    SchemeName{"text-dedup-32", Scheme::kTextDedup32, Recipe::kTextDedup},
    SchemeName{"text-dedup-16", Scheme::kTextDedup16, Recipe::kTextDedup},
    SchemeName{"nemo", Scheme::kNemo, Recipe::kNemo},
};

bool suits(const SchemeName& scheme, Recipe recipe) {
    return scheme.scheme == Scheme::kNative || scheme.recipe == recipe;
}

std::string scheme_names(Recipe recipe) {
    std::string names;
    for (const SchemeName& known : kSchemes) {
        if (suits(known, recipe)) names += (names.empty() ? "" : ", ") + std::string(known.name);
    }
    return names;
}

/// Simpson's rule; exact enough that every banding equals that of datasketch (SciPy's quad).
template <class Function>
double integral(Function function, double low, double high) {
    constexpr int kIntervals = 64;
    const double step = (high - low) / kIntervals;
    double sum = function(low) + function(high);
    for (int i = 1; i < kIntervals; ++i) sum += function(low + i * step) * (i % 2 == 1 ? 4 : 2);
    return sum * step / 3;
}

}  // namespace

const std::vector<PresetInfo>& presets() {
    static const std::vector<PresetInfo> kInfos{
        {"fineweb", "5 words as FineWeb normalises them, 14 bands of 8 rows"},
        {"native", "the same shingles, 18 bands of 7 rows: finds more of what is above 0.75"},
        {"slimpajama", "13 characters, 9 x 13"},
        {"rpv2", "13 words, RedPajama-V2, 14 x 9"},
        {"text-dedup", "5 words, 24 x 10"},
        {"bigcode", "5 ASCII words, 25 x 10"},
        {"nemo", "24 characters, NeMo Curator, 20 x 13"}};
    return kInfos;
}

Parameters preset_parameters(const std::string& name) {
    std::string known;
    for (const Preset& preset : kPresets) {
        if (name == preset.name) {
            return {preset.name,  preset.recipe,    preset.scheme,
                    preset.bands, preset.rows,      preset.permutations,
                    preset.ngram, preset.threshold, preset.miss_weight};
        }
        known += (known.empty() ? "" : ", ") + std::string(preset.name);
    }
    throw UsageError(format("--preset: \"{}\" is not known; known: {}", name, known));
}

Scheme parse_scheme(const std::string& word, Recipe recipe) {
    for (const SchemeName& known : kSchemes) {
        if (word == known.name && suits(known, recipe)) return known.scheme;
    }
    throw UsageError(format("--hash: \"{}\" does not go with this preset; known: {}", word,
                            scheme_names(recipe)));
}

const char* scheme_name(Scheme scheme) {
    return kSchemes[static_cast<size_t>(scheme)].name;
}

bool has_character_shingles(Recipe recipe) {
    return recipe == Recipe::kSlimpajama || recipe == Recipe::kNemo;
}

const char* piece_name(Recipe recipe) {
    return has_character_shingles(recipe) ? "characters" : "words";
}

void validate(const Parameters& parameters) {
    if (parameters.bands < 1 || parameters.rows < 1 || parameters.bands > kMaxHashes ||
        parameters.rows > kMaxHashes || parameters.num_hashes() > kMaxHashes) {
        throw UsageError(format("--bands {} x --rows {}: the product must be from 1 to {}",
                                parameters.bands, parameters.rows, kMaxHashes));
    }
    if (parameters.permutations < 1 || parameters.permutations > kMaxHashes) {
        throw UsageError(
            format("--num-hashes {}: must be from 1 to {}", parameters.permutations, kMaxHashes));
    }
    if (parameters.ngram < 1 || parameters.ngram > kMaxNgram) {
        throw UsageError(format("--ngram {}: must be from 1 to {}", parameters.ngram, kMaxNgram));
    }
    if (!(parameters.threshold > 0 && parameters.threshold <= 1)) {
        throw UsageError(
            format("--threshold {}: must be above 0 and at most 1", parameters.threshold));
    }
}

double candidate_probability(double similarity, int bands, int rows) {
    return 1 - std::pow(1 - std::pow(similarity, rows), bands);
}

double half_point(int bands, int rows) {
    return std::pow(1 - std::pow(0.5, 1.0 / bands), 1.0 / rows);
}

Banding best_banding(double threshold, int max_hashes, double miss_weight) {
    Banding best;
    double least = INFINITY;
    for (int bands = 1; bands <= max_hashes; ++bands) {
        for (int rows = 1; bands * rows <= max_hashes; ++rows) {
            const auto hit = [&](double s) { return candidate_probability(s, bands, rows); };
            const auto miss = [&](double s) { return 1 - hit(s); };
            const double cost = (1 - miss_weight) * integral(hit, 0, threshold) +
                                miss_weight * integral(miss, threshold, 1);
            if (cost < least) {
                least = cost;
                best = {bands, rows};
            }
        }
    }
    return best;
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/parameters.h"

#include <cmath>

#include "lib/base/error.h"

namespace longhaul::dedup {

namespace {

constexpr int kMaxHashes = 4096;  // of a signature; a bound against typing errors
constexpr int kMaxNgram = 256;
constexpr double kMissWeight = 0.8;  // of false negatives in best_banding

/// Midpoint rule; 40 intervals are far below the differences between bandings.
template <class Function>
double integral(Function function, double low, double high) {
    constexpr int kIntervals = 40;
    const double step = (high - low) / kIntervals;
    double sum = 0;
    for (int i = 0; i < kIntervals; ++i) sum += function(low + (i + 0.5) * step);
    return sum * step;
}

}  // namespace

Scheme parse_scheme(const std::string& word) {
    if (word == "native") return Scheme::kNative;
    if (word == "datatrove") return Scheme::kDatatrove;
    throw UsageError(format("--hash: \"{}\" is not native or datatrove", word));
}

const char* scheme_name(Scheme scheme) {
    return scheme == Scheme::kNative ? "native" : "datatrove";
}

Parameters preset_parameters(const std::string& name) {
    if (name == "fineweb") return Parameters{};
    throw UsageError(
        format("--preset: \"{}\" is not known; known: fineweb (14 bands of 8 rows, 5 words). Other "
               "recipes: "
               "give --bands, --rows and --ngram",
               name));
}

void validate(const Parameters& parameters) {
    if (parameters.bands < 1 || parameters.rows < 1 || parameters.bands > kMaxHashes ||
        parameters.rows > kMaxHashes || parameters.num_hashes() > kMaxHashes) {
        throw UsageError(format("--bands {} x --rows {}: the product must be from 1 to {}",
                                parameters.bands, parameters.rows, kMaxHashes));
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

Banding best_banding(double threshold, int max_hashes) {
    Banding best;
    double least = INFINITY;
    for (int bands = 1; bands <= max_hashes; ++bands) {
        for (int rows = 1; bands * rows <= max_hashes; ++rows) {
            const auto hit = [&](double s) { return candidate_probability(s, bands, rows); };
            const auto miss = [&](double s) { return 1 - hit(s); };
            const double cost = (1 - kMissWeight) * integral(hit, 0, threshold) +
                                kMissWeight * integral(miss, threshold, 1);
            if (cost < least) {
                least = cost;
                best = {bands, rows};
            }
        }
    }
    return best;
}

std::string s_curve_table(const Parameters& parameters) {
    const int bands = parameters.bands;
    const int rows = parameters.rows;
    std::string text = format(
        "{} bands x {} rows = {} hashes, shingles of {} words, hash {}\n"
        "Jaccard  found as a candidate\n",
        bands, rows, parameters.num_hashes(), parameters.ngram, scheme_name(parameters.scheme));
    for (int percent = 50; percent <= 100; percent += 5) {
        const double found = candidate_probability(percent / 100.0, bands, rows);
        const auto bar = static_cast<size_t>(std::lround(found * 40));
        text += format("   {:.2f}   {:6.4f}{}{}\n", percent / 100.0, found, bar > 0 ? "  " : "",
                       std::string(bar, '#'));
    }
    text +=
        format("half of the pairs are found at Jaccard {:.3f}; at the threshold {:.2f}: {:.1f}%\n",
               half_point(bands, rows), parameters.threshold,
               100 * candidate_probability(parameters.threshold, bands, rows));
    text +=
        "More rows make a band harder to share (fewer candidates), more bands make it easier.\n";
    return text;
}

}  // namespace longhaul::dedup

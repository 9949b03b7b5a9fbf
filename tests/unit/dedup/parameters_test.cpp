// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/parameters.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/dedup/signature/explain.h"

using namespace longhaul;

TEST_CASE("parameters: the S-curve of published settings") {
    struct Row {
        int bands, rows;
        double at_7, at_8, half;
    };
    // reference values computed with Python's own floats
    const Row table[] = {{14, 8, .565, .924, .685},
                         {9, 13, .084, .399, .819},
                         {20, 13, .177, .677, .771},
                         {450, 20, .302, .995, .723}};
    for (const Row& row : table) {
        CAPTURE(row.bands);
        CHECK(dedup::candidate_probability(.7, row.bands, row.rows) ==
              doctest::Approx(row.at_7).epsilon(.01));
        CHECK(dedup::candidate_probability(.8, row.bands, row.rows) ==
              doctest::Approx(row.at_8).epsilon(.01));
        CHECK(dedup::half_point(row.bands, row.rows) == doctest::Approx(row.half).epsilon(.002));
    }
    CHECK(dedup::candidate_probability(1, 14, 8) == 1);
    CHECK(dedup::candidate_probability(0, 14, 8) == 0);
}

TEST_CASE("parameters: the best banding at .75 is FineWeb's") {
    const dedup::Banding banding = dedup::best_banding(.75);
    CHECK(banding.bands == 14);
    CHECK(banding.rows == 8);
    for (const double threshold : {.1, .5, .8, .9, .95, 1.0}) {
        CAPTURE(threshold);
        const dedup::Banding other = dedup::best_banding(threshold);
        CHECK(other.bands * other.rows <= 112);
        CHECK(dedup::candidate_probability(threshold, other.bands, other.rows) > .5);
    }
}

// Made with datasketch 1.6.5: datasketch.lsh._optimal_param(threshold, num_perm, 0.5, 0.5).
TEST_CASE("parameters: with equal weights, bandings are datasketch's") {
    struct Row {
        int hashes;
        double threshold;
        int bands, rows;
    };
    const Row table[] = {
        {112, 0.5, 22, 5},   {112, 0.7, 12, 9},  {112, 0.75, 11, 10}, {112, 0.8, 9, 12},
        {112, 0.9, 5, 22},   {112, 1.0, 1, 112}, {128, 0.5, 25, 5},   {128, 0.7, 14, 9},
        {128, 0.75, 11, 11}, {128, 0.8, 9, 13},  {128, 0.9, 5, 25},   {128, 1.0, 1, 128},
        {240, 0.5, 40, 6},   {240, 0.7, 24, 10}, {240, 0.75, 20, 12}, {240, 0.8, 16, 15},
        {240, 0.9, 9, 26},   {240, 1.0, 1, 240}, {256, 0.5, 42, 6},   {256, 0.7, 25, 10},
        {256, 0.75, 21, 12}, {256, 0.8, 17, 15}, {256, 0.9, 9, 28},   {256, 1.0, 1, 256},
    };
    for (const Row& row : table) {
        CAPTURE(row.hashes);
        CAPTURE(row.threshold);
        const dedup::Banding found = dedup::best_banding(row.threshold, row.hashes, 0.5);
        CHECK(found.bands == row.bands);
        CHECK(found.rows == row.rows);
    }
}

TEST_CASE("parameters: presets are valid, and their thresholds give their own banding") {
    for (const dedup::PresetInfo& preset : dedup::presets()) {
        CAPTURE(preset.name);
        const dedup::Parameters parameters = dedup::preset_parameters(preset.name);
        CHECK_NOTHROW(dedup::validate(parameters));
        CHECK(parameters.num_hashes() <= parameters.permutations);
        CHECK(dedup::parse_scheme(dedup::scheme_name(parameters.scheme), parameters.recipe) ==
              parameters.scheme);
        CHECK(dedup::parse_scheme("native", parameters.recipe) == dedup::Scheme::kNative);
        if (parameters.preset == "nemo") continue;  // chosen by hand there
        const dedup::Banding banding = dedup::best_banding(
            parameters.threshold, parameters.permutations, parameters.miss_weight);
        CHECK(banding.bands == parameters.bands);
        CHECK(banding.rows == parameters.rows);
    }
}

TEST_CASE("parameters: more bands find more, more rows find less") {
    CHECK(dedup::half_point(20, 8) < dedup::half_point(14, 8));
    CHECK(dedup::half_point(14, 9) > dedup::half_point(14, 8));
    CHECK(dedup::chance_candidates(14, 1e9) == doctest::Approx(0.379).epsilon(.01));
    CHECK(dedup::chance_candidates(14, 1e10) == doctest::Approx(37.9).epsilon(.01));
}

TEST_CASE("parameters: what can not be is refused") {
    dedup::Parameters parameters;
    CHECK_NOTHROW(dedup::validate(parameters));
    for (const double threshold : {0.0, -1.0, 1.01}) {
        parameters.threshold = threshold;
        CHECK_THROWS_AS(dedup::validate(parameters), UsageError);
    }
    parameters = {};
    parameters.bands = 0;
    CHECK_THROWS_AS(dedup::validate(parameters), UsageError);
    parameters = {};
    parameters.bands = 100;
    parameters.rows = 100;
    CHECK_THROWS_AS(dedup::validate(parameters), UsageError);
    parameters = {};
    parameters.ngram = 0;
    CHECK_THROWS_AS(dedup::validate(parameters), UsageError);
    CHECK_THROWS_AS(dedup::preset_parameters("memo"), UsageError);
    CHECK_THROWS_AS(dedup::parse_scheme("md5", dedup::Recipe::kFineweb), UsageError);
}

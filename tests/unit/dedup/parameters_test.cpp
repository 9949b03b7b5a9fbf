// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/parameters.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"

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
    CHECK_THROWS_AS(dedup::parse_scheme("md5"), UsageError);
}

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/parallel/init.h"

#include <cmath>
#include <numbers>

#include "lib/base/check.h"
#include "lib/base/hash.h"
#include "lib/base/philox.h"

namespace longhaul::parallel {

namespace {

/// A standard normal number for one element: elements 2k and 2k + 1 share a draw.
double normal(const PhiloxKey& key, uint64_t element) {
    const PhiloxBlock block = philox_draw(key, element / 2);
    // 1 - u lies in (0, 1]: the logarithm stays finite.
    const double radius =
        std::sqrt(-2 * std::log(1 - uniform_double(block.word[0], block.word[1])));
    const double angle = 2 * std::numbers::pi * uniform_double(block.word[2], block.word[3]);
    return radius * (element % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

double value_of(const Init& init, PhiloxKey key, uint64_t element) {
    switch (init.law) {
        case Init::Law::kZeros:
            return 0;
        case Init::Law::kOnes:
            return 1;
        case Init::Law::kNormal:
            return init.std * normal(key, element);
        case Init::Law::kTruncatedNormal:
            for (key.step = 0;; ++key.step) {
                const double value = normal(key, element);
                if (std::abs(value) <= init.cut) return init.std * value;
            }
    }
    return 0;
}

}  // namespace

void init_values(const Init& init, const StorageSlice& slice, uint64_t seed,
                 std::span<double> out) {
    LH_CHECK(static_cast<int64_t>(out.size()) == slice.slice.count, "{} values for {} elements",
             out.size(), slice.slice.count);
    LH_CHECK(init.law != Init::Law::kTruncatedNormal || init.cut >= 0.1,
             "a normal law cut at {} standard deviations", init.cut);
    const PhiloxKey key{seed, RandomPurpose::kInit, xxh3_64(slice.hf_name), 0};
    const auto whole = tensor::Slice::whole(tensor::Box::whole(slice.shape));
    for (const tensor::CopyRun& run : tensor::copy_runs(slice.slice, whole)) {
        for (int64_t i = 0; i < run.count; ++i) {
            out[static_cast<size_t>(run.source_index + i)] =
                value_of(init, key, static_cast<uint64_t>(run.destination_index + i));
        }
    }
}

}  // namespace longhaul::parallel

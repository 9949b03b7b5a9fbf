// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random numbers and sets for the tests of MinHash; the same in every run.

#include <cstdint>
#include <vector>

#include "lib/base/philox.h"

namespace longhaul {

/// A sequence of well-mixed 64-bit numbers.
struct Draws {
    uint64_t stream;
    uint64_t next_element = 0;
    uint64_t operator()() {
        const PhiloxBlock block = philox_draw({7, RandomPurpose::kTest, stream, 0}, next_element++);
        return uint64_t{block.word[0]} << 32 | block.word[1];
    }
};

struct SetPair {
    std::vector<uint64_t> a, b;
};

/// Two sets whose union has `size` elements and whose Jaccard is `common` / `size`.
inline SetPair make_pair_of_sets(Draws& draw, int size, int common) {
    SetPair pair;
    for (int i = 0; i < size; ++i) {
        const uint64_t x = draw();
        if (i < common || i % 2 == 0) pair.a.push_back(x);
        if (i < common || i % 2 == 1) pair.b.push_back(x);
    }
    return pair;
}

}  // namespace longhaul

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The generated table of compatibility decompositions behind lib/text/normalization_forms.h; for
// that file only.

#include <cstddef>
#include <cstdint>

namespace longhaul::text::tables {

/// Full decomposition of one character: `length` code points of the pool.
struct Compatibility {
    uint32_t from;
    uint16_t offset;
    uint8_t length;
    bool newer_than_9;
};

extern const Compatibility kCompatibility[];  // sorted by `from`
extern const size_t kNumCompatibility;
extern const char32_t kCompatibilityPool[];

}  // namespace longhaul::text::tables

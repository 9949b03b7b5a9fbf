// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The generated tables behind lib/text/unicode.h and normalization_forms.h; for those files only.

#include <cstddef>
#include <cstdint>

namespace longhaul::text::tables {

struct ScriptRange {
    uint32_t first, last;
    uint8_t script;
};
struct CaseMapping {
    uint32_t from, to;
};
/// Canonical decomposition, one step; second is 0 for a singleton.
struct Decomposition {
    uint32_t from, first, second;
    bool newer_than_9;
};
struct Combining {
    uint32_t code_point;
    uint8_t combining_class;
    bool newer_than_9;
};
struct Composition {
    uint32_t first, second, to;
    bool newer_than_9;
};

// Two stages: kPropertyBlocks[kPropertyIndex[cp >> 7] * 128 + (cp & 127)];
// bits 0-4 general category (order of text::Category), bit 5 White_Space.
extern const uint16_t kPropertyIndex[];
extern const uint8_t kPropertyBlocks[];
// The rest is sorted by its first fields, for binary search.
extern const ScriptRange kScripts[];
extern const size_t kNumScripts;
extern const CaseMapping kLower[];
extern const size_t kNumLower;
extern const Decomposition kDecompositions[];
extern const size_t kNumDecompositions;
extern const Combining kCombining[];
extern const size_t kNumCombining;
extern const Composition kCompositions[];
extern const size_t kNumCompositions;

}  // namespace longhaul::text::tables

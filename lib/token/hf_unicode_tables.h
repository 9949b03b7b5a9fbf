// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The generated tables behind lib/token/hf_unicode.h; for that file only.

#include <cstddef>
#include <cstdint>

namespace longhaul::token::tables {

struct CodeRange {
    uint32_t first, last;
};
struct ScriptRange {
    uint32_t first, last;
    uint8_t script;
};

// All sorted, for binary search; the number is the Unicode version.
extern const CodeRange kPunctuation8[];
extern const size_t kNumPunctuation8;
extern const CodeRange kNonspacingMarks8[];
extern const size_t kNumNonspacingMarks8;
extern const CodeRange kOthers8[];
extern const size_t kNumOthers8;
extern const CodeRange kMarks9[];
extern const size_t kNumMarks9;
extern const ScriptRange kScripts9[];
extern const size_t kNumScripts9;

}  // namespace longhaul::token::tables

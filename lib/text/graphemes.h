// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Extended grapheme clusters: what a reader takes for one character. Source: UAX 29, Unicode
// 16.0.0, rules GB3 to GB13.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace longhaul::text {

/// End of the cluster that starts at `begin`; begin < text.size(). Clusters are found from the
/// beginning of a text: `begin` is 0 or the end of the one before. Linear time over a text.
size_t next_grapheme(std::string_view text, size_t begin);

namespace tables {
struct GraphemeRange {
    uint32_t first, last;
    uint8_t value;  // order of the classes in graphemes.cpp
};
extern const GraphemeRange kGraphemeRanges[];  // sorted
extern const size_t kNumGraphemeRanges;
}  // namespace tables

}  // namespace longhaul::text

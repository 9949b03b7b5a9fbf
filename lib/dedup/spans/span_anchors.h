// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Anchors of a text: places chosen by what stands there, so that equal passages have equal ones.
// Winnowing (Schleimer, Wilkerson, Aiken 2003): of each window of consecutive grams the one with
// the least hash, the last of equals. Every passage of SubstringShape::length bytes holds an anchor
// with its whole gram, and equal passages hold one at the same offset.

#include <cstdint>
#include <string_view>
#include <vector>

namespace longhaul::dedup {

/// Sizes in bytes that follow from the least length of a passage.
struct SubstringShape {
    size_t length = 0;  // of a passage that counts
    size_t gram = 0;    // of an anchor: two thirds of it; with less, more windows need a look, with
                        // more, there are more anchors (tests/bench/RESULTS.md)
    size_t reach = 0;   // length - gram: how far a passage goes beyond an anchor's gram at most

    static SubstringShape of(size_t min_length) {
        const size_t gram = (2 * min_length + 2) / 3;
        return {min_length, gram, min_length - gram};
    }
};

struct Anchor {
    uint64_t hash = 0;  // of its gram
    uint64_t at = 0;    // offset of the gram in the text
};

/// `length` bytes at `at` that stand `distance` bytes before too, not less than a passage.
struct SelfRepeat {
    uint64_t at = 0;
    uint64_t distance = 0;
    uint64_t length = 0;
};

/// One per thread: keeps buffers.
class AnchorScanner {
 public:
    explicit AnchorScanner(const SubstringShape& shape);

    /// Appends the anchors of a text in order. In a run of one period ("aaaa", table rules) anchors
    /// are as dense as the period, so those in its middle are left out and the run is told as a
    /// SelfRepeat instead: every passage that only they would have found lies in it, and stands
    /// earlier in the run beside an anchor that is not left out.
    void scan(std::string_view text, std::vector<Anchor>& anchors,
              std::vector<SelfRepeat>& repeats);

 private:
    /// The least of the window that ends with the `slot`-th gram of the block.
    const Anchor& least(size_t slot) const;
    void end_block();

    SubstringShape shape_;
    size_t window_;                // grams in a window
    uint64_t leaving_factor_ = 1;  // of the byte that leaves a gram
    // Windows meet at most two blocks of window_ grams (van Herk 1992): three comparisons a gram,
    // whatever the text.
    std::vector<Anchor> block_;
    std::vector<Anchor> suffixes_;  // least of the last block from each gram to its end
    Anchor prefix_;                 // least of this block so far
};

}  // namespace longhaul::dedup

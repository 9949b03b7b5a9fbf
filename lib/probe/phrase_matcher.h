// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds many fixed phrases in a line in one pass (Aho-Corasick automaton): the cost per log byte
// does not grow with the number of rules.
// @source Aho and Corasick, "Efficient string matching", CACM 18(6), 1975.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace longhaul::probe {

class PhraseMatcher {
 public:
    /// @param phrases non-empty; equal phrases are allowed. Their indices name them in find().
    explicit PhraseMatcher(const std::vector<std::string_view>& phrases);

    struct Hit {
        size_t phrase;  // index as given to the constructor
        size_t end;     // offset just behind it in the line
    };
    /// Appends the first occurrence of every phrase in `line`, in order of their ends.
    void find(std::string_view line, std::vector<Hit>& hits) const;

 private:
    struct Node {
        std::array<int32_t, 256> next;
        int32_t fallback = 0;
        int32_t next_with_output = -1;  // nearest suffix that ends a phrase
        std::vector<size_t> phrases;
    };
    void insert(std::string_view phrase, size_t index);
    void link();

    std::vector<Node> nodes_;
    size_t num_phrases_;
};

}  // namespace longhaul::probe

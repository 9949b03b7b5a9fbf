// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A set of byte strings with a number each, to find all that begin a text. A double array: one
// memory access for each byte. Source of the structure: J. Aoe, "An efficient digital search
// algorithm by using a double-array structure" (1989).

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/token/vocabulary.h"

namespace longhaul::token {

/// Immutable after construction.
class PrefixTrie {
 public:
    using Key = std::pair<std::string_view, uint32_t>;
    PrefixTrie() : PrefixTrie(std::vector<Key>()) {}
    /// @param keys no two equal, none empty; numbers are not kNoToken.
    explicit PrefixTrie(std::vector<Key> keys);

    /// Calls visit(length, number) for every key that begins `text`, the shortest first.
    template <class Visit>
    void for_each_prefix(std::string_view text, const Visit& visit) const {
        uint32_t node = 0;
        for (size_t i = 0; i < text.size(); ++i) {
            const uint32_t child = units_[node].base + static_cast<uint8_t>(text[i]);
            if (units_[child].parent != node) return;
            node = child;
            if (units_[node].number != kNoToken) visit(i + 1, units_[node].number);
        }
    }

 private:
    struct Unit {
        uint32_t base = 1;           // child of byte b: base + b, if it names this unit as parent
        uint32_t parent = kNoToken;  // kNoToken: a free unit
        uint32_t number = kNoToken;
    };
    class Builder;

    std::vector<Unit> units_;
};

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The control tokens around every document of a set.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace longhaul::shards {

/// Ids that begin and end every document, in their order. One is usual; templates of tokenizers
/// have more ("[gMASK] sop" before, "<sep> <cls>" after a text); empty: none.
struct Borders {
    std::vector<uint32_t> bos, eos;

    size_t size() const { return bos.size() + eos.size(); }
    /// What fills the room behind the last document of a sample: the id that a document ends with,
    /// 0 if nothing ends one. Padding is told by its place, so the choice does not matter to the
    /// loss.
    uint32_t padding_id() const { return eos.empty() ? 0 : eos.back(); }
    bool operator==(const Borders&) const = default;
};

/// More on a side is refused: no template comes near it.
inline constexpr size_t kMostBorders = 16;

}  // namespace longhaul::shards

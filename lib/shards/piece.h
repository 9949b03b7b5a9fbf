// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A run of tokens of a data set's stream that goes into a sample.

#include <cstdint>

namespace longhaul::shards {

struct Piece {
    uint64_t first_token = 0;
    uint32_t count = 0;
    bool is_cut = false;       // packed documents: the document goes on behind the piece
    bool is_document = false;  // known to lie in one document; else boundaries are looked up
    bool is_rest = false;      // of one document: which began before the piece
    bool operator==(const Piece&) const = default;
};

}  // namespace longhaul::shards

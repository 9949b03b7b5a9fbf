// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Many small pieces of a data set one behind the other, out of mapped files.

#include <cstdint>
#include <span>

#include "lib/shards/dataset.h"
#include "lib/shards/piece.h"

namespace longhaul::shards {

/// Fills the begin of `out`, which has room for all pieces.
/// @return false: not all of it can be had from memory (files that are not mapped, a type of ids
/// that needs a look at each, a page that fails). Then Dataset::read() is the way.
bool gather(const Dataset& set, std::span<const Piece> pieces, std::span<int32_t> out);

}  // namespace longhaul::shards

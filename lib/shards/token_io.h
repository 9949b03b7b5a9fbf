// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Token ids as they lie in files: five integer types, little-endian, read by position.

#include <cstdint>
#include <span>

#include "lib/shards/dataset.h"
#include "lib/shards/read_file.h"

namespace longhaul::shards {

/// Where a row of ids lies.
struct TokenRow {
    const ReadFile& file;
    TokenType type = TokenType::kU16;
    uint64_t byte_offset = 0;  // of its first id
};

/// Ids [first, first + out.size()) of the row; no bounds but those of the file.
/// @throws DataError naming the byte: the file ends before, or an id is below 0 or above 2^31 - 1
///         in a type that can hold such a value (u32 is not looked at: see `tok-shard verify`).
void read_tokens(const TokenRow& row, uint64_t first, std::span<uint32_t> out);
void read_tokens(const TokenRow& row, uint64_t first, std::span<int32_t> out);

/// Asks the system to read ids [first, first + count) ahead; errors do not matter.
void will_need(const TokenRow& row, uint64_t first, uint64_t count);

}  // namespace longhaul::shards

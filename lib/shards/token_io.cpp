// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/token_io.h"

#include <algorithm>
#include <array>
#include <limits>

#include "lib/base/error.h"

namespace longhaul::shards {

namespace {

[[noreturn]] void refuse_id(const TokenRow& row, uint64_t index, int64_t id) {
    throw DataError(row.file.name(), row.byte_offset + index * token_bytes(row.type),
                    format("{} is no token id", id));
}

/// Reads through a small block of the stored type.
template <class Stored, class Out>
void read_converted(const TokenRow& row, uint64_t first, std::span<Out> out) {
    std::array<Stored, 8192> block;
    while (!out.empty()) {
        const auto part = std::span(block).first(std::min(block.size(), out.size()));
        row.file.read(row.byte_offset + first * sizeof(Stored), std::as_writable_bytes(part));
        if constexpr (sizeof(Stored) > 2) {
            for (size_t i = 0; i < part.size(); ++i) {
                if (part[i] < 0 || part[i] > std::numeric_limits<int32_t>::max()) {
                    refuse_id(row, first + i, part[i]);
                }
            }
        }
        std::transform(part.begin(), part.end(), out.begin(),
                       [](Stored id) { return static_cast<Out>(id); });
        out = out.subspan(part.size());
        first += part.size();
    }
}

template <class Out>
void read_any(const TokenRow& row, uint64_t first, std::span<Out> out) {
    switch (row.type) {
        case TokenType::kU8:
            return read_converted<uint8_t>(row, first, out);
        case TokenType::kU16:
            return read_converted<uint16_t>(row, first, out);
        case TokenType::kI32:
            return read_converted<int32_t>(row, first, out);
        case TokenType::kI64:
            return read_converted<int64_t>(row, first, out);
        case TokenType::kU32:
            row.file.read(row.byte_offset + first * 4, std::as_writable_bytes(out));
    }
}

}  // namespace

void read_tokens(const TokenRow& row, uint64_t first, std::span<uint32_t> out) {
    read_any(row, first, out);
}
void read_tokens(const TokenRow& row, uint64_t first, std::span<int32_t> out) {
    read_any(row, first, out);
}

void will_need(const TokenRow& row, uint64_t first, uint64_t count) {
    const uint64_t size = token_bytes(row.type);
    row.file.will_need(row.byte_offset + first * size, count * size);
}

}  // namespace longhaul::shards

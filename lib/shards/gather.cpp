// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/gather.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "lib/shards/try_mapped.h"

namespace longhaul::shards {

namespace {

struct Place {
    const std::byte* begin;
    size_t count;  // tokens
};

/// Waiting for the memory of one piece after the other would take most of the time, so the first
/// lines of all are asked for before any is used. They are really read: a prefetch is dropped when
/// its page is not in the TLB.
void touch(std::span<const Place> places, size_t token_bytes) {
    constexpr size_t kLine = 64, kMostBytes = 1024;  // from there on the processor reads ahead
    for (const Place& place : places) {
        const size_t bytes = std::min(place.count * token_bytes, kMostBytes);
        for (size_t at = 0; at < bytes; at += kLine) {
            static_cast<void>(*const_cast<const volatile std::byte*>(place.begin + at));
        }
    }
}

template <class Stored>
void convert(std::span<const Place> places, int32_t* out) {
    for (const Place& place : places) {
        for (size_t i = 0; i < place.count; ++i) {
            Stored id;
            std::memcpy(&id, place.begin + i * sizeof id, sizeof id);
            out[i] = static_cast<int32_t>(id);
        }
        out += place.count;
    }
}

}  // namespace

bool gather(const Dataset& set, std::span<const Piece> pieces, std::span<int32_t> out) {
    const TokenType type = set.info().token_type;
    if (type != TokenType::kU16 && type != TokenType::kU32) return false;
    thread_local std::vector<Place> list;
    list.clear();
    for (const Piece& piece : pieces) {
        const std::byte* const begin = set.mapped(piece.first_token, piece.count);
        if (begin == nullptr) return false;
        list.push_back({begin, piece.count});
    }
    const std::span<const Place> places(list);
    int32_t* const to = out.data();
    return try_mapped([places, to, type] {
        touch(places, token_bytes(type));
        if (type == TokenType::kU16) {
            convert<uint16_t>(places, to);
        } else {
            convert<uint32_t>(places, to);
        }
    });
}

}  // namespace longhaul::shards

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The fixed-size records that are sorted between the steps of `dedup-minhash spans`. A place is the
// offset of a byte in the TextStore; an id is the number of a line over all inputs.

#include <array>
#include <cstdint>
#include <tuple>

#include "lib/base/hash.h"
#include "lib/dedup/records.h"

namespace longhaul::dedup {

/// Bytes [begin, end) of a document's decoded text.
struct Cut {
    Packed48 id;
    uint32_t begin = 0;
    uint32_t end = 0;
};

/// A line or paragraph that is long enough.
struct UnitRecord {
    Hash128 hash;
    uint32_t begin = 0;
    uint32_t end = 0;
    Packed48 id;

    Cut cut() const { return {id, begin, end}; }
    bool operator<(const UnitRecord& other) const {
        if (hash != other.hash) return hash < other.hash;
        return std::tuple(id.value(), begin) < std::tuple(other.id.value(), other.begin);
    }
};
static_assert(sizeof(UnitRecord) == 32);

/// A cut while it is sorted into the order of the input.
struct OrderedCut : Cut {
    bool operator<(const OrderedCut& other) const {
        return std::tuple(id.value(), begin) < std::tuple(other.id.value(), other.begin);
    }
};

/// The gram at a place: its hash and where it stands (key and id of the record).
using AnchorRecord = BandRecord;

/// An anchor whose gram occurs more than once, and the number of that gram.
struct RepeatedAnchor {
    Packed48 place;
    Packed48 gram;
    bool operator<(const RepeatedAnchor& other) const {
        return place.value() < other.place.value();
    }
};

/// The surroundings of a repeated anchor: `left` bytes before it, its gram, `right` bytes behind.
struct ContextRecord {
    Packed48 gram;
    uint16_t left = 0;
    uint16_t right = 0;
    std::array<uint16_t, 4> hash_words{};
    Packed48 place;

    /// Same surroundings of the same gram.
    bool is_like(const ContextRecord& other) const { return key() == other.key(); }
    bool operator<(const ContextRecord& other) const {
        const auto a = key(), b = other.key();
        return a != b ? a < b : place.value() < other.place.value();
    }

 private:
    std::tuple<uint64_t, uint16_t, uint16_t, std::array<uint16_t, 4>> key() const {
        return {gram.value(), left, right, hash_words};
    }
};
static_assert(sizeof(ContextRecord) == 24);

/// An anchor whose windows must be looked at one by one.
struct OpenAnchor {
    Packed48 place;
    bool operator<(const OpenAnchor& other) const { return place.value() < other.place.value(); }
};

/// A window of the least length that counts: its hash and its first byte.
using WindowRecord = ExactRecord;

/// "These bytes stand earlier too", to be verified. Ordered by distance, so that what belongs
/// together comes together.
struct MatchRecord {
    Packed48 place;
    Packed48 source;
    Packed48 length;
    uint64_t distance() const { return place.value() - source.value(); }
    uint64_t end() const { return place.value() + length.value(); }
    bool operator<(const MatchRecord& other) const {
        return std::tuple(distance(), place.value(), length.value()) <
               std::tuple(other.distance(), other.place.value(), other.length.value());
    }
};

/// A joined match, in the order of places; the longest of a place first.
struct JoinedMatch : MatchRecord {
    bool operator<(const JoinedMatch& other) const {
        return std::tuple(place.value(), other.length.value(), distance()) <
               std::tuple(other.place.value(), length.value(), other.distance());
    }
};

/// A removed passage by the place of the copy that it was found equal to.
struct SourceUse {
    Packed48 source;
    Cut cut;
    bool operator<(const SourceUse& other) const {
        return std::tuple(source.value(), cut.id.value(), cut.begin) <
               std::tuple(other.source.value(), other.cut.id.value(), other.cut.begin);
    }
};

}  // namespace longhaul::dedup

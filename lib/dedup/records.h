// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The fixed-size records that are sorted between the stages. Ids have 48 bits.

#include <cstdint>
#include <tuple>
#include <vector>

#include "lib/base/hash.h"
#include "lib/dedup/keep_rule.h"

namespace longhaul::dedup {

inline constexpr uint64_t kMaxId = (uint64_t{1} << 48) - 1;

/// A 48-bit number in six bytes.
class Packed48 {
 public:
    Packed48() = default;
    explicit Packed48(uint64_t value)
        : low_(static_cast<uint16_t>(value)),
          middle_(static_cast<uint16_t>(value >> 16)),
          high_(static_cast<uint16_t>(value >> 32)) {}
    uint64_t value() const { return uint64_t{high_} << 32 | uint64_t{middle_} << 16 | low_; }

 private:
    uint16_t low_ = 0, middle_ = 0, high_ = 0;
};

/// The key of one band of a document (14 bytes; the band is the sorter's).
struct BandRecord {
    uint16_t key_words[4] = {};
    Packed48 id;

    BandRecord() = default;
    BandRecord(uint64_t key, uint64_t document) : id(document) {
        for (int i = 0; i < 4; ++i) key_words[i] = static_cast<uint16_t>(key >> 16 * i);
    }
    uint64_t key() const {
        return uint64_t{key_words[3]} << 48 | uint64_t{key_words[2]} << 32 |
               uint64_t{key_words[1]} << 16 | key_words[0];
    }
    bool operator<(const BandRecord& other) const {
        const uint64_t a = key(), b = other.key();
        return a != b ? a < b : id.value() < other.id.value();
    }
};
static_assert(sizeof(BandRecord) == 14);

/// The exact hash of a document.
struct ExactRecord {
    Hash128 hash;
    uint64_t id = 0;
    bool operator<(const ExactRecord& other) const {
        return std::tie(hash, id) < std::tie(other.hash, other.id);
    }
};

/// The same under a keep rule: of equal documents, the one that stays comes first.
struct OrderedExactRecord {
    Hash128 hash;
    OrderKey order;
    uint64_t id = 0;
    bool operator<(const OrderedExactRecord& other) const {
        return std::tie(hash, order, id) < std::tie(other.hash, other.order, other.id);
    }
};

/// "This document shares a band key with others": one record for each document and group.
struct Membership {
    Packed48 id;
    Packed48 group;  // number of the group << 1 | this is its last member
    bool operator<(const Membership& other) const {
        const uint64_t a = id.value(), b = other.id.value();
        return a != b ? a < b : group.value() < other.group.value();
    }
};
static_assert(sizeof(Membership) == 12);

/// A document that shares keys with others, and the groups where it does.
struct Candidate {
    uint64_t id = 0;
    std::vector<Packed48> groups;  // as Membership::group, numbered over all parts
};

/// Where the shingles of a candidate lie.
struct SetRow {
    uint64_t id = 0;
    uint64_t begin = 0;  // in shingles
    uint64_t count = 0;
    uint64_t hash = 0;  // XXH3-64 of the set's bytes
};

/// What was decided on a document.
struct DecisionRow {
    uint64_t id = 0;     // in stage files: in the unit
    uint64_t match = 0;  // as Decision::match
    double jaccard = 0;
    uint64_t verdict = 0;
    bool operator<(const DecisionRow& other) const { return id < other.id; }
};

/// A document whose fate is known before the second reading: an exact duplicate or a bad record.
struct Fate {
    uint64_t id = 0;
    uint64_t kept = 0;  // the first equal document, or kBad + corpus::Reason
    static constexpr uint64_t kBad = kMaxId + 1;
    bool operator<(const Fate& other) const { return id < other.id; }
};

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a rank's first reading makes, until it goes to the ranks that own the keys.

#include <cstdint>
#include <span>
#include <vector>

#include "lib/dedup/sign.h"
#include "lib/dedup/spool.h"

namespace longhaul::dedup {

/// A document's place in the order of the keep rule.
struct OrderRow {
    uint64_t id = 0;
    OrderKey order;
};

/// Ids count from 0 at the rank's first line.
class KeySpools : public SignSink {
 public:
    /// @param has_order whether there is a rule other than input order
    KeySpools(int num_bands, bool has_order, uint64_t memory_bytes, SpillArea& area);

    void add_document(const ExactRecord& record, const OrderKey& order) override;
    void add_keys(std::span<const uint64_t> ids, std::span<const uint64_t> keys) override;
    void add_bad(uint64_t id, corpus::Reason reason) override;

    std::vector<Spool<BandRecord>> bands;
    Spool<OrderedExactRecord> exact;
    Spool<OrderRow> orders;  // empty without a rule
    Spool<Fate> bad;

 private:
    bool has_order_;
};

}  // namespace longhaul::dedup

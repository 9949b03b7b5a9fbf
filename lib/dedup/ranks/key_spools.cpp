// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/ranks/key_spools.h"

namespace longhaul::dedup {

KeySpools::KeySpools(int num_bands, bool has_order, uint64_t memory_bytes, SpillArea& area)
    : exact(area, 0), orders(area, 0), bad(area, memory_bytes / 16), has_order_(has_order) {
    // Shares in the proportion of what a document takes.
    const uint64_t weight = static_cast<uint64_t>(num_bands) * sizeof(BandRecord) +
                            sizeof(OrderedExactRecord) + (has_order ? sizeof(OrderRow) : 0);
    const uint64_t usable = memory_bytes - memory_bytes / 16;
    exact = Spool<OrderedExactRecord>(area, usable * sizeof(OrderedExactRecord) / weight);
    if (has_order) orders = Spool<OrderRow>(area, usable * sizeof(OrderRow) / weight);
    for (int i = 0; i < num_bands; ++i) {
        bands.emplace_back(area, usable * sizeof(BandRecord) / weight);
    }
}

void KeySpools::add_document(const ExactRecord& record, const OrderKey& order) {
    exact.add({record.hash, order, record.id});
    if (has_order_) orders.add({record.id, order});
}

void KeySpools::add_keys(std::span<const uint64_t> ids, std::span<const uint64_t> keys) {
    for (size_t band = 0; band < bands.size(); ++band) {
        for (size_t i = 0; i < ids.size(); ++i) {
            bands[band].add(BandRecord(keys[i * bands.size() + band], ids[i]));
        }
    }
}

void KeySpools::add_bad(uint64_t id, corpus::Reason reason) {
    bad.add({id, Fate::kBad + static_cast<uint64_t>(reason)});
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Records of all ranks to all ranks, in rounds of bounded memory.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "lib/comm/comm.h"

namespace longhaul::dedup {

/// The rounds, for records of any type. Every rank calls exchange() equally often.
class ExchangeRounds {
 public:
    /// @param memory_bytes for what is sent and received in a round; at least a record per rank
    /// @param what names the exchange; a literal
    ExchangeRounds(comm::Comm& comm, size_t record_bytes, uint64_t memory_bytes, const char* what);

    /// @return false when there is no room for rank `to`: exchange() first, then put it again
    bool put(int to, const void* record);
    /// Sends what was put. @param has_more whether this rank wants another round
    /// @return whether any rank does
    bool exchange(bool has_more);
    /// What came from a rank in the last round; valid until the next.
    std::span<const std::byte> received(int from) const;

 private:
    using Block = std::unique_ptr<std::byte[]>;
    bool exchange_counts(bool has_more);
    void pack();

    comm::Comm& comm_;
    size_t record_bytes_;
    size_t slot_bytes_;  // of the records for one rank
    comm::Tag tag_;
    Block out_, in_;
    size_t in_bytes_ = 0;
    std::vector<int64_t> num_sent_, num_received_;  // bytes to and from each rank
};

/// Hands every record to the rank that it is for. What a rank gives arrives in its order; records
/// of different ranks mix by rounds.
/// @param give bool(Record&, int& to): the next record of this rank, false at the end
/// @param take void(int from, const Record&)
template <class Record, class Give, class Take>
void exchange_records(comm::Comm& comm, uint64_t memory_bytes, const char* what, Give give,
                      Take take) {
    static_assert(std::is_trivially_copyable_v<Record>);
    ExchangeRounds rounds(comm, sizeof(Record), memory_bytes, what);
    Record record;
    int to = 0;
    bool has_record = give(record, to);
    for (bool goes_on = true; goes_on;) {
        while (has_record && rounds.put(to, &record)) has_record = give(record, to);
        goes_on = rounds.exchange(has_record);
        for (int from = 0; from < comm.size(); ++from) {
            const std::span<const std::byte> bytes = rounds.received(from);
            for (size_t at = 0; at < bytes.size(); at += sizeof(Record)) {
                Record arrived;
                std::memcpy(&arrived, bytes.data() + at, sizeof(Record));
                take(from, arrived);
            }
        }
    }
}

}  // namespace longhaul::dedup

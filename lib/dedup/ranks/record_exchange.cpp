// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/ranks/record_exchange.h"

#include <algorithm>
#include <numeric>

namespace longhaul::dedup {

namespace {

// Larger messages win nothing, and must stay far below the 2 GiB of MPI.
constexpr uint64_t kMostSlotBytes = uint64_t{16} << 20;

comm::Buffer buffer_of(std::vector<int64_t>& numbers) {
    return {numbers.data(), static_cast<int64_t>(numbers.size()), tensor::DType::kI64};
}
comm::Buffer buffer_of(std::byte* bytes, size_t count) {
    return {bytes, static_cast<int64_t>(count), tensor::DType::kU8};
}

}  // namespace

ExchangeRounds::ExchangeRounds(comm::Comm& comm, size_t record_bytes, uint64_t memory_bytes,
                               const char* what)
    : comm_(comm),
      record_bytes_(record_bytes),
      tag_{-1, -1, what},
      num_sent_(static_cast<size_t>(comm.size())),
      num_received_(static_cast<size_t>(comm.size())) {
    const auto num_ranks = static_cast<uint64_t>(comm.size());
    const uint64_t slot = std::min(memory_bytes / 2 / num_ranks, kMostSlotBytes);
    slot_bytes_ = std::max<uint64_t>(slot / record_bytes, 1) * record_bytes;
    out_ = std::make_unique_for_overwrite<std::byte[]>(slot_bytes_ * num_ranks);
}

bool ExchangeRounds::put(int to, const void* record) {
    const auto rank = static_cast<size_t>(to);
    auto& used = num_sent_[rank];
    if (static_cast<size_t>(used) == slot_bytes_) return false;
    std::memcpy(out_.get() + rank * slot_bytes_ + used, record, record_bytes_);
    used += static_cast<int64_t>(record_bytes_);
    return true;
}

/// Sizes, and in the lowest bit whether the rank has more.
bool ExchangeRounds::exchange_counts(bool has_more) {
    const std::vector<int64_t> ones(num_sent_.size(), 1);
    std::vector<int64_t> mine, theirs(num_sent_.size());
    for (const int64_t bytes : num_sent_) mine.push_back(2 * bytes + (has_more ? 1 : 0));
    comm_.wait(comm_.start_all_to_all_v(buffer_of(mine), ones, buffer_of(theirs), ones, tag_));
    bool any_has_more = false;
    for (size_t rank = 0; rank < theirs.size(); ++rank) {
        num_received_[rank] = theirs[rank] / 2;
        any_has_more = any_has_more || theirs[rank] % 2 != 0;
    }
    return any_has_more;
}

/// The slots one after the other, without gaps.
void ExchangeRounds::pack() {
    size_t end = 0;
    for (size_t rank = 0; rank < num_sent_.size(); ++rank) {
        const auto bytes = static_cast<size_t>(num_sent_[rank]);
        std::memmove(out_.get() + end, out_.get() + rank * slot_bytes_, bytes);
        end += bytes;
    }
}

bool ExchangeRounds::exchange(bool has_more) {
    const bool any_has_more = exchange_counts(has_more);
    pack();
    const auto sum = [](const std::vector<int64_t>& counts) {
        return static_cast<size_t>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
    };
    const size_t total = sum(num_received_);
    if (total > in_bytes_) {
        in_.reset();
        in_ = std::make_unique_for_overwrite<std::byte[]>(total);
        in_bytes_ = total;
    }
    comm_.wait(comm_.start_all_to_all_v(buffer_of(out_.get(), sum(num_sent_)), num_sent_,
                                        buffer_of(in_.get(), total), num_received_, tag_));
    std::fill(num_sent_.begin(), num_sent_.end(), 0);
    return any_has_more;
}

std::span<const std::byte> ExchangeRounds::received(int from) const {
    const auto rank = static_cast<size_t>(from);
    int64_t begin = 0;
    for (size_t i = 0; i < rank; ++i) begin += num_received_[i];
    return {in_.get() + begin, static_cast<size_t>(num_received_[rank])};
}

}  // namespace longhaul::dedup

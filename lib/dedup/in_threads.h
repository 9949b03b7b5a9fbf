// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Work in parts side by side, and a sort that does so.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>

namespace longhaul::dedup {

/// Calls body(part) for each part from 0 on, each in a thread of its own, part 0 in this one.
/// @throws the error of the first part that failed, when all have ended
void in_threads(int num_parts, const std::function<void(int part)>& body);

/// The bounds of part `part` of `num_parts` about equal ones.
inline size_t part_begin(size_t size, int part, int num_parts) {
    return size * static_cast<size_t>(part) / static_cast<size_t>(num_parts);
}

/// Sorts in place by operator<, which must be total: then the result is that of std::sort.
template <class Record>
void sort_in_threads(std::span<Record> records, int threads) {
    constexpr size_t kFewest = size_t{1} << 15;
    constexpr size_t kSamples = 255;
    if (threads <= 1 || records.size() < kFewest) {
        std::sort(records.begin(), records.end());
        return;
    }
    Record samples[kSamples];
    for (size_t i = 0; i < kSamples; ++i) samples[i] = records[records.size() / kSamples * i];
    std::sort(samples, samples + kSamples);
    const int left = threads / 2;
    const Record pivot = samples[part_begin(kSamples, left, threads)];
    const auto middle = std::partition(records.begin(), records.end(),
                                       [&](const Record& record) { return record < pivot; });
    const auto num_left = static_cast<size_t>(middle - records.begin());
    in_threads(2, [&](int part) {
        if (part == 0) {
            sort_in_threads(records.first(num_left), left);
        } else {
            sort_in_threads(records.subspan(num_left), threads - left);
        }
    });
}

}  // namespace longhaul::dedup

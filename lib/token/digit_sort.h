// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sorting by digits of a number, without comparing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace longhaul::token {

/// Sorts by the lowest `num_bits` of key(item), a uint64_t; equal ones stay in order.
template <class Item, class Key>
void sort_by_digits(std::vector<Item>& items, unsigned num_bits, const Key& key) {
    constexpr unsigned kDigitBits = 12, kDigits = 1u << kDigitBits;
    std::vector<Item> sorted(items.size());
    for (unsigned shift = 0; shift < num_bits; shift += kDigitBits) {
        const auto digit_of = [&](const Item& item) { return (key(item) >> shift) % kDigits; };
        std::array<size_t, kDigits + 1> begins{};
        for (const Item& item : items) ++begins[digit_of(item) + 1];
        for (unsigned digit = 0; digit < kDigits; ++digit) begins[digit + 1] += begins[digit];
        for (const Item& item : items) sorted[begins[digit_of(item)]++] = item;
        std::swap(items, sorted);
    }
}

}  // namespace longhaul::token

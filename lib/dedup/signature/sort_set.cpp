// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/sort_set.h"

#include <algorithm>

#include <hwy/contrib/sort/vqsort.h>

namespace longhaul::dedup {

std::span<uint64_t> sort_unique(std::span<uint64_t> values) {
    thread_local const hwy::Sorter sorter;
    sorter(values.data(), values.size(), hwy::SortAscending());
    const auto end = std::unique(values.begin(), values.end());
    return values.first(static_cast<size_t>(end - values.begin()));
}

}  // namespace longhaul::dedup

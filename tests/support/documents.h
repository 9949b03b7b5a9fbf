// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sequences cut into documents, as kernels and models take them.

#include <cstdint>
#include <vector>

namespace longhaul::test {

/// For each token of a sequence the position at which its document begins. Documents have these
/// lengths, over and over; the last one is cut at the end.
inline std::vector<int32_t> document_begins(int64_t seq_len, const std::vector<int64_t>& lengths) {
    std::vector<int32_t> begins;
    for (size_t i = 0; static_cast<int64_t>(begins.size()) < seq_len; ++i) {
        const auto begin = static_cast<int32_t>(begins.size());
        begins.insert(begins.end(), static_cast<size_t>(lengths[i % lengths.size()]), begin);
    }
    begins.resize(static_cast<size_t>(seq_len));
    return begins;
}

}  // namespace longhaul::test

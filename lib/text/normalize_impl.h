// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The template of lib/text/normalize.h.

#include <algorithm>

#include "lib/text/normalize.h"
#include "lib/text/normalize_simd.h"

namespace longhaul::text {

template <class Visit>
void for_each_word(std::string_view normalized, Visit&& visit) {
    detail::Break breaks[detail::kMaxBreaks];
    const char* const end = normalized.data() + normalized.size();
    const char* word = normalized.data();
    for (const char* chunk = normalized.data(); chunk < end; chunk += detail::kBreakChunk) {
        const auto size = std::min(detail::kBreakChunk, static_cast<size_t>(end - chunk));
        const size_t count = detail::find_breaks(chunk, size, breaks);
        for (size_t i = 0; i < count; ++i) {
            const char* const at = chunk + (breaks[i] >> 3);
            const size_t length = breaks[i] & 7;
            if (at > word) visit(word, static_cast<size_t>(at - word));
            if (length > 1) visit(at, length);
            word = at + length;
        }
    }
    if (end > word) visit(word, static_cast<size_t>(end - word));
}

}  // namespace longhaul::text

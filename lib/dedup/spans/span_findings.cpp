// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/span_findings.h"

#include <algorithm>
#include <tuple>

namespace longhaul::dedup {

namespace {

bool is_before(const FrequentSpan& a, const FrequentSpan& b, FrequentSpans::By by) {
    const bool by_copies = by == FrequentSpans::By::kCopies;
    const uint64_t x = by_copies ? a.num_removed : a.removed_bytes;
    const uint64_t y = by_copies ? b.num_removed : b.removed_bytes;
    if (x != y) return x > y;
    return std::tuple(a.sample.id.value(), a.sample.begin) <
           std::tuple(b.sample.id.value(), b.sample.begin);
}

}  // namespace

void FrequentSpans::add(const FrequentSpan& span) {
    if (span.num_removed == 0) return;
    if (spans_.size() == kKept && !is_before(span, spans_.back(), by_)) return;
    const auto place = std::upper_bound(
        spans_.begin(), spans_.end(), span,
        [this](const FrequentSpan& a, const FrequentSpan& b) { return is_before(a, b, by_); });
    spans_.insert(place, span);
    if (spans_.size() > kKept) spans_.pop_back();
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/span_findings.h"

#include <algorithm>
#include <tuple>

namespace longhaul::dedup {

namespace {

bool is_before(const FrequentSpan& a, const FrequentSpan& b) {
    if (a.num_removed != b.num_removed) return a.num_removed > b.num_removed;
    return std::tuple(a.sample.id.value(), a.sample.begin) <
           std::tuple(b.sample.id.value(), b.sample.begin);
}

}  // namespace

void FrequentSpans::add(const FrequentSpan& span) {
    if (span.num_removed == 0) return;
    if (spans_.size() == kKept && !is_before(span, spans_.back())) return;
    spans_.insert(std::upper_bound(spans_.begin(), spans_.end(), span, is_before), span);
    if (spans_.size() > kKept) spans_.pop_back();
}

}  // namespace longhaul::dedup

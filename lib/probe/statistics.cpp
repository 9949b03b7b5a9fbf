// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace longhaul::probe {

double quantile(std::span<const double> values, double q) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const double position = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<size_t>(std::floor(position));
    const size_t high = std::min(low + 1, sorted.size() - 1);
    const double share = position - static_cast<double>(low);
    return sorted[low] + share * (sorted[high] - sorted[low]);
}

double median(std::span<const double> values) {
    return quantile(values, 0.5);
}

double scaled_mad(std::span<const double> values) {
    const double middle = median(values);
    std::vector<double> deviations;
    deviations.reserve(values.size());
    for (const double value : values) deviations.push_back(std::abs(value - middle));
    return 1.4826 * median(deviations);
}

Summary summarize(std::span<const double> values) {
    if (values.empty()) return {};
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return {median(values), *low, *high};
}

}  // namespace longhaul::probe

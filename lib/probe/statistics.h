// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Order statistics of small samples. Robust ones only: one bad node must not move the yardstick.

#include <span>

namespace longhaul::probe {

/// The middle value (mean of the two middle ones). @return NaN for an empty sample.
double median(std::span<const double> values);

/// The value below which a share `q` in [0, 1] of the sample lies, linearly interpolated
/// (Hyndman and Fan's type 7). @return NaN for an empty sample.
double quantile(std::span<const double> values, double q);

/// Median absolute deviation, scaled by 1.4826 so that it estimates sigma of normal noise.
double scaled_mad(std::span<const double> values);

struct Summary {
    double median = 0;
    double min = 0;
    double max = 0;
};
Summary summarize(std::span<const double> values);

}  // namespace longhaul::probe

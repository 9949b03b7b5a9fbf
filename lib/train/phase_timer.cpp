// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/phase_timer.h"

#include "lib/base/format.h"

namespace longhaul::train {

namespace {

constexpr std::array<std::string_view, kNumPhases> kNames = {
    "data",   "forward", "backward", "reduce",   "norm",
    "update", "gather",  "report",   "validate", "save"};

std::string row(std::string_view name, double seconds, int64_t steps, double total_s) {
    const double per_step = steps > 0 ? 1e3 * seconds / static_cast<double>(steps) : 0;
    return format("{:<10}{:>12.3f}{:>14.3f}{:>9.1f}%\n", name, seconds, per_step,
                  total_s > 0 ? 100 * seconds / total_s : 0);
}

}  // namespace

std::string_view name_of(Phase phase) {
    return kNames[static_cast<size_t>(phase)];
}

std::string PhaseTimer::table(int64_t steps, double total_s) const {
    std::string text =
        format("{:<10}{:>12}{:>14}{:>10}\n", "phase", "seconds", "ms per step", "share");
    double known = 0;
    for (int i = 0; i < kNumPhases; ++i) {
        const auto phase = static_cast<Phase>(i);
        known += seconds(phase);
        text += row(name_of(phase), seconds(phase), steps, total_s);
    }
    text += row("other", total_s - known, steps, total_s);
    return text + row("total", total_s, steps, total_s);
}

}  // namespace longhaul::train

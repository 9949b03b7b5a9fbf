// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Learning rate as a pure function of the number of updates done.

#include <cstdint>
#include <optional>
#include <string_view>

namespace longhaul::optim {

enum class ScheduleKind : uint8_t { kConstant, kCosine, kLinear, kWsd };
std::string_view name_of(ScheduleKind kind);  // "constant", "cosine", "linear", "wsd"
std::optional<ScheduleKind> schedule_from_name(std::string_view name);

/// How the last part of a warm-up-stable-decay schedule falls.
enum class DecayShape : uint8_t { kLinear, kSqrt, kCosine };
std::string_view name_of(DecayShape shape);  // "linear", "sqrt", "cosine"
std::optional<DecayShape> decay_shape_from_name(std::string_view name);

struct Schedule {
    ScheduleKind kind = ScheduleKind::kCosine;
    double peak = 3e-4;     // learning rate after the warm-up
    double final_rate = 0;  // at the end; constant: not used
    int64_t warmup_steps = 0;
    int64_t total_steps = 1;
    int64_t decay_steps = 0;  // wsd only: length of the decay at the end
    DecayShape decay_shape = DecayShape::kSqrt;
};

/// @throws UsageError naming the key of [schedule] in run.toml.
void check(const Schedule& schedule);

/// The rate of update number `step` (from 0). The warm-up is (step + 1) / warmup_steps, so that the
/// first update is not lost. cosine and linear run from the end of the warm-up to total_steps; wsd
/// stays at the peak until total_steps - decay_steps; sqrt is 1 - sqrt(x).
/// @source Hu et al., "MiniCPM", 2024 (WSD); Haegele et al., "Scaling laws and compute-optimal
/// training beyond fixed training durations", 2024 (1 - sqrt).
double learning_rate(const Schedule& schedule, int64_t step);

}  // namespace longhaul::optim

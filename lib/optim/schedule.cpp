// SPDX-License-Identifier: BSD-3-Clause
#include "lib/optim/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "lib/base/error.h"

namespace longhaul::optim {

namespace {

constexpr std::array<std::string_view, 4> kKinds = {"constant", "cosine", "linear", "wsd"};
constexpr std::array<std::string_view, 3> kShapes = {"linear", "sqrt", "cosine"};

/// 1 at x = 0, 0 at x = 1.
double fall(DecayShape shape, double x) {
    x = std::clamp(x, 0.0, 1.0);
    switch (shape) {
        case DecayShape::kLinear:
            return 1 - x;
        case DecayShape::kSqrt:
            return 1 - std::sqrt(x);
        case DecayShape::kCosine:
            return 0.5 * (1 + std::cos(std::numbers::pi * x));
    }
    return 0;
}

double share(int64_t part, int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 1.0;
}

}  // namespace

std::string_view name_of(ScheduleKind kind) {
    return kKinds[static_cast<size_t>(kind)];
}

std::optional<ScheduleKind> schedule_from_name(std::string_view name) {
    for (size_t i = 0; i < kKinds.size(); ++i) {
        if (kKinds[i] == name) return static_cast<ScheduleKind>(i);
    }
    return std::nullopt;
}

std::string_view name_of(DecayShape shape) {
    return kShapes[static_cast<size_t>(shape)];
}

std::optional<DecayShape> decay_shape_from_name(std::string_view name) {
    for (size_t i = 0; i < kShapes.size(); ++i) {
        if (kShapes[i] == name) return static_cast<DecayShape>(i);
    }
    return std::nullopt;
}

void check(const Schedule& schedule) {
    const auto refuse = [](std::string text) { throw UsageError(std::move(text)); };
    if (!(schedule.peak > 0) || !std::isfinite(schedule.peak)) {
        refuse(format("schedule.lr = {} is not a positive number", schedule.peak));
    }
    if (!(schedule.final_rate >= 0) || schedule.final_rate > schedule.peak) {
        refuse(format("schedule.min_lr = {} is not between 0 and lr = {}", schedule.final_rate,
                      schedule.peak));
    }
    if (schedule.warmup_steps < 0 || schedule.warmup_steps > schedule.total_steps) {
        refuse(format("schedule.warmup_steps = {} is not between 0 and job.steps = {}",
                      schedule.warmup_steps, schedule.total_steps));
    }
    const int64_t after_warm_up = schedule.total_steps - schedule.warmup_steps;
    if (schedule.decay_steps < 0 || schedule.decay_steps > after_warm_up) {
        refuse(
            format("schedule.decay_steps = {} does not fit after {} steps of warm-up in {} steps",
                   schedule.decay_steps, schedule.warmup_steps, schedule.total_steps));
    }
}

double learning_rate(const Schedule& schedule, int64_t step) {
    if (step < schedule.warmup_steps) {
        return schedule.peak * share(step + 1, schedule.warmup_steps);
    }
    const int64_t after = step - schedule.warmup_steps;
    const int64_t span = schedule.total_steps - schedule.warmup_steps;
    const int64_t decay_begin = schedule.total_steps - schedule.decay_steps;
    double height = 1;
    switch (schedule.kind) {
        case ScheduleKind::kConstant:
            return schedule.peak;
        case ScheduleKind::kCosine:
            height = fall(DecayShape::kCosine, share(after, span));
            break;
        case ScheduleKind::kLinear:
            height = fall(DecayShape::kLinear, share(after, span));
            break;
        case ScheduleKind::kWsd:
            if (step < decay_begin) return schedule.peak;
            height = fall(schedule.decay_shape, share(step - decay_begin, schedule.decay_steps));
            break;
    }
    return schedule.final_rate + (schedule.peak - schedule.final_rate) * height;
}

}  // namespace longhaul::optim

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the time of a step goes: the table of --profile.

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace longhaul::train {

enum class Phase : uint8_t {
    kData,
    kForward,
    kBackward,
    kReduce,
    kNorm,
    kUpdate,
    kGather,
    kReport,
    kValidate,
    kSave,
};
inline constexpr int kNumPhases = 10;
std::string_view name_of(Phase phase);

/// Seconds per phase on one rank. Waiting for slower ranks counts for the phase that waits.
class PhaseTimer {
 public:
    /// Runs `body` on the clock of `phase`.
    template <class Body>
    auto time(Phase phase, Body&& body) {
        const Span span(seconds_[static_cast<size_t>(phase)]);
        return body();
    }
    double seconds(Phase phase) const { return seconds_[static_cast<size_t>(phase)]; }
    /// One line a phase: seconds, milliseconds a step, share; the rest as "other".
    std::string table(int64_t steps, double total_s) const;

 private:
    class Span {
     public:
        explicit Span(double& seconds) : seconds_(seconds) {}
        ~Span() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
        Span(const Span&) = delete;
        Span& operator=(const Span&) = delete;

     private:
        using Clock = std::chrono::steady_clock;
        double& seconds_;
        Clock::time_point start_ = Clock::now();
    };

    std::array<double, kNumPhases> seconds_{};
};

}  // namespace longhaul::train

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sizes, counts and durations as people write them in options, and back.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longhaul {

/// "512", "64K", "1.5GiB", "2GB": K/M/G/T and KiB.. are powers of 1024, KB/MB/GB/TB of 1000.
/// @return nothing when `text` is no size or does not fit.
std::optional<uint64_t> parse_bytes(std::string_view text);

/// "90", "90s", "15m", "2h", "1d", or Slurm's "[D-]HH:MM:SS" and "MM:SS". @return seconds.
std::optional<double> parse_duration_s(std::string_view text);

/// "1.5 GiB", "312 B".
std::string human_bytes(uint64_t bytes);
/// "1h02m", "3m05s", "12.3s".
std::string human_duration(double seconds);
/// "1.23M", "456K", "789".
std::string human_count(double count);

}  // namespace longhaul

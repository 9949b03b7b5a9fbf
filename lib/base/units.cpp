// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/units.h"

#include <array>
#include <charconv>
#include <cmath>

#include "lib/base/format.h"

namespace longhaul {

namespace {

std::optional<double> parse_number(std::string_view text, std::string_view* rest) {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc() || value < 0 || !std::isfinite(value)) return std::nullopt;
    *rest = text.substr(static_cast<size_t>(end - text.data()));
    return value;
}

std::optional<double> unit_scale(std::string_view unit) {
    if (unit.empty() || unit == "B") return 1.0;
    static constexpr std::string_view kPrefixes = "KMGTP";
    const char prefix = unit[0] == 'k' ? 'K' : unit[0];
    const size_t power = kPrefixes.find(prefix);
    if (power == std::string_view::npos) return std::nullopt;
    const std::string_view tail = unit.substr(1);
    const bool is_decimal = tail == "B";
    if (!tail.empty() && !is_decimal && tail != "iB" && tail != "i") return std::nullopt;
    return std::pow(is_decimal ? 1000.0 : 1024.0, static_cast<double>(power + 1));
}

/// "[D-]HH:MM:SS" or "MM:SS".
std::optional<double> parse_clock(std::string_view text) {
    double days = 0;
    if (const size_t dash = text.find('-'); dash != std::string_view::npos) {
        std::string_view rest;
        const auto value = parse_number(text.substr(0, dash), &rest);
        if (!value || !rest.empty()) return std::nullopt;
        days = *value;
        text = text.substr(dash + 1);
    }
    double seconds = 0;
    int fields = 0;
    while (true) {
        const size_t colon = text.find(':');
        std::string_view rest;
        const auto value = parse_number(text.substr(0, colon), &rest);
        if (!value || !rest.empty() || ++fields > 3) return std::nullopt;
        seconds = seconds * 60 + *value;
        if (colon == std::string_view::npos) break;
        text = text.substr(colon + 1);
    }
    return days * 86400 + seconds;
}

}  // namespace

std::optional<uint64_t> parse_bytes(std::string_view text) {
    std::string_view rest;
    const auto number = parse_number(text, &rest);
    if (!number) return std::nullopt;
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    const auto scale = unit_scale(rest);
    if (!scale) return std::nullopt;
    const double bytes = *number * *scale;
    if (bytes >= 0x1.0p63) return std::nullopt;
    return static_cast<uint64_t>(std::llround(bytes));
}

std::optional<double> parse_duration_s(std::string_view text) {
    if (text.find(':') != std::string_view::npos) return parse_clock(text);
    std::string_view rest;
    const auto number = parse_number(text, &rest);
    if (!number) return std::nullopt;
    if (rest.empty() || rest == "s") return *number;
    if (rest == "ms") return *number / 1000;
    if (rest == "m" || rest == "min") return *number * 60;
    if (rest == "h") return *number * 3600;
    if (rest == "d") return *number * 86400;
    return std::nullopt;
}

std::string human_bytes(uint64_t bytes) {
    static constexpr std::array<const char*, 6> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = static_cast<double>(bytes);
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 ? format("{} B", bytes) : format("{:.1f} {}", value, kUnits[unit]);
}

std::string human_duration(double seconds) {
    if (!(seconds >= 0) || !std::isfinite(seconds)) return "?";
    if (seconds < 60) return format("{:.1f}s", seconds);
    const auto whole = static_cast<uint64_t>(seconds + 0.5);
    if (whole < 3600) return format("{}m{:02}s", whole / 60, whole % 60);
    if (whole < 86400) return format("{}h{:02}m", whole / 3600, whole / 60 % 60);
    return format("{}d{:02}h", whole / 86400, whole / 3600 % 24);
}

std::string human_count(double count) {
    static constexpr std::array<const char*, 5> kUnits = {"", "K", "M", "G", "T"};
    size_t unit = 0;
    while (count >= 1000 && unit + 1 < kUnits.size()) {
        count /= 1000;
        ++unit;
    }
    return unit == 0 ? format("{:.0f}", count) : format("{:.2f}{}", count, kUnits[unit]);
}

}  // namespace longhaul

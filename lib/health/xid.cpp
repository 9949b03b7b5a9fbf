// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/xid.h"

#include <charconv>

namespace longhaul::health {

namespace {

using record::Status;

/// Takes a decimal number off the front.
std::optional<int64_t> take_number(std::string_view& text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
}

bool take(std::string_view& text, std::string_view prefix) {
    if (text.substr(0, prefix.size()) != prefix) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// "(PCI:0000:4e:00 GPU-I:05): 94, rest": the part in brackets and the number.
bool take_place_and_number(std::string_view& text, std::string& address, bool& is_mig,
                           int& number) {
    if (!take(text, "(")) return false;
    take(text, "PCI:");
    const size_t close = text.find("): ");
    if (close == std::string_view::npos || close > 100) return false;
    const std::string_view place = text.substr(0, close);
    address = std::string(place.substr(0, place.find(' ')));
    is_mig = place.find("GPU-I:") != std::string_view::npos;
    text.remove_prefix(close + 3);
    const auto value = take_number(text);
    if (!value || *value > 1'000'000) return false;
    number = static_cast<int>(*value);
    take(text, ",");
    while (take(text, " ")) {
    }
    return true;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// "pid=7194, name=python, " or "pid='<unknown>', name=<unknown>, ". The name may hold anything but
/// ends at the last comma before the detail; the driver writes no comma into it.
void take_process(std::string_view& text, XidEvent& event) {
    if (!take(text, "pid=")) return;
    if (const auto pid = take_number(text)) {
        event.pid = *pid;
    } else {
        text.remove_prefix(std::min(text.find(','), text.size()));
    }
    take(text, ", ");
    if (!take(text, "name=")) return;
    const size_t comma = text.find(", ");
    event.name = std::string(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 2);
}

}  // namespace

std::optional<XidEvent> parse_xid(std::string_view line) {
    constexpr std::string_view kMark = "NVRM: Xid ";
    const size_t at = line.find(kMark);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view rest = line.substr(at + kMark.size());
    XidEvent event;
    if (!take_place_and_number(rest, event.pci_address, event.is_mig, event.number)) {
        return std::nullopt;
    }
    take_process(rest, event);
    event.detail = std::string(rest);
    constexpr std::string_view kCaused = "caused by previous Xid ";
    const size_t caused = rest.find(kCaused);
    if (caused != std::string_view::npos) {
        std::string_view number = rest.substr(caused + kCaused.size());
        event.caused_by = static_cast<int>(take_number(number).value_or(0));
    }
    return event;
}

std::optional<SxidEvent> parse_sxid(std::string_view line) {
    constexpr std::string_view kMark = ": SXid ";
    const size_t at = line.find(kMark);
    if (at == std::string_view::npos || !contains(line.substr(0, at), "nvswitch"))
        return std::nullopt;
    std::string_view rest = line.substr(at + kMark.size());
    SxidEvent event;
    bool is_mig = false;
    if (!take_place_and_number(rest, event.pci_address, is_mig, event.number)) return std::nullopt;
    event.is_fatal = rest.substr(0, 5) == "Fatal";
    event.detail = std::string(rest);
    return event;
}

std::optional<std::string> parse_lost_gpu(std::string_view line) {
    if (!contains(line, "NVRM")) return std::nullopt;
    // "GPU 0000:18:00.0: GPU has fallen off the bus."; the three-line form names the device in its
    // first line: "NVRM: The NVIDIA GPU 0000:b3:00.0".
    const bool is_one_line = contains(line, "GPU has fallen off the bus");
    const bool is_first_of_three = contains(line, "NVRM: The NVIDIA GPU ");
    if (!is_one_line && !is_first_of_three) return std::nullopt;
    const std::string_view label = is_first_of_three ? "NVRM: The NVIDIA GPU " : "GPU ";
    std::string_view rest = line.substr(line.find(label) + label.size());
    rest = rest.substr(0, rest.find_first_of(" \t"));
    while (!rest.empty() && rest.back() == ':') rest.remove_suffix(1);
    const bool is_address = rest.size() >= 7 && contains(rest, ":");
    return is_address ? std::string(rest) : std::string("unknown");
}

const XidInfo* find_xid(int number) {
    for (const XidInfo& info : xid_table()) {
        if (info.number == number) return &info;
    }
    return nullptr;
}

Status status_of(const XidEvent& event) {
    if (event.number >= 144 && event.number <= 150) {
        return contains(event.detail, "Nonfatal") || !contains(event.detail, "Fatal")
                   ? Status::kWarn
                   : Status::kFail;
    }
    if (event.number == 154) {
        const size_t to = event.detail.rfind(" to ");
        const std::string_view action = to == std::string::npos
                                            ? std::string_view(event.detail)
                                            : std::string_view(event.detail).substr(to);
        return contains(action, "None") ? Status::kOk : Status::kFail;
    }
    const XidInfo* const info = find_xid(event.number);
    return info == nullptr ? Status::kWarn : info->status;
}

}  // namespace longhaul::health

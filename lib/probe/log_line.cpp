// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/log_line.h"

#include <charconv>
#include <optional>

namespace longhaul::probe {

namespace {

constexpr std::string_view kInfo = "NCCL INFO ";
constexpr std::string_view kWarn = "NCCL WARN ";
constexpr size_t kMaxPrefixBytes = 400;  // timestamps, labels, host, file; messages may be longer

std::optional<int64_t> number(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

bool is_host_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

/// "[trainer3]:n7:1958:1960" -> host n7, pid 1958. @return false when the token is no such triple.
bool take_host(std::string_view token, LogLine& line) {
    const size_t tid_colon = token.rfind(':');
    if (tid_colon == std::string_view::npos || tid_colon == 0) return false;
    const size_t pid_colon = token.rfind(':', tid_colon - 1);
    if (pid_colon == std::string_view::npos || pid_colon == 0) return false;
    const auto tid = number(token.substr(tid_colon + 1));
    const auto pid = number(token.substr(pid_colon + 1, tid_colon - pid_colon - 1));
    if (!tid || !pid) return false;
    size_t begin = pid_colon;
    while (begin > 0 && is_host_character(token[begin - 1])) --begin;
    if (begin == pid_colon) return false;
    line.host = token.substr(begin, pid_colon - begin);
    line.pid = *pid;
    return true;
}

/// Walks the blanks-separated tokens before "NCCL WARN": host:pid:tid, [device], file:line.
void parse_prefix(std::string_view prefix, LogLine& line) {
    bool have_host = false;
    while (!prefix.empty()) {
        const size_t begin = prefix.find_first_not_of(" \t");
        if (begin == std::string_view::npos) return;
        prefix.remove_prefix(begin);
        const std::string_view token = prefix.substr(0, prefix.find_first_of(" \t"));
        prefix.remove_prefix(token.size());
        if (!have_host) {
            have_host = take_host(token, line);
        } else if (token.front() != '[' && line.location.empty() &&
                   token.find(':') != std::string_view::npos) {
            line.location = token;
        }
    }
}

/// "[rank3]:", "[Rank 3]", "[default3]:", "3: ": what launchers and PyTorch put in front.
int rank_of_prefix(std::string_view line) {
    const std::string_view start = line.substr(0, kMaxPrefixBytes);
    for (const std::string_view label : {"[rank", "[Rank ", "Rank ", "[default"}) {
        const int64_t rank = number_after(start, label);
        if (rank >= 0 && rank < 10'000'000) return static_cast<int>(rank);
    }
    const size_t colon = start.find(": ");
    if (colon != std::string_view::npos && colon > 0 && colon < 8) {
        if (const auto rank = number(start.substr(0, colon))) return static_cast<int>(*rank);
    }
    return -1;
}

}  // namespace

int64_t number_after(std::string_view text, std::string_view label) {
    for (size_t at = text.find(label); at != std::string_view::npos;
         at = text.find(label, at + 1)) {
        const std::string_view rest = text.substr(at + label.size());
        int64_t value = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (error == std::errc() && end != rest.data() && value >= 0) return value;
    }
    return -1;
}

std::string_view word_after(std::string_view text, std::string_view label) {
    const size_t at = text.find(label);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = text.substr(at + label.size());
    return rest.substr(0, rest.find_first_of(" \t\r"));
}

LogLine parse_log_line(std::string_view line) {
    LogLine parsed;
    parsed.message = line;
    const std::string_view head = line.substr(0, kMaxPrefixBytes);
    size_t marker = head.find(kInfo);
    parsed.level = LogLevel::kInfo;
    if (marker == std::string_view::npos) {
        marker = head.find(kWarn);
        parsed.level = LogLevel::kWarn;
    }
    parsed.rank = rank_of_prefix(marker == std::string_view::npos ? line : line.substr(0, marker));
    if (marker == std::string_view::npos) {
        parsed.level = LogLevel::kNone;
        return parsed;
    }
    parse_prefix(line.substr(0, marker), parsed);
    parsed.message = line.substr(marker + kInfo.size());
    return parsed;
}

}  // namespace longhaul::probe

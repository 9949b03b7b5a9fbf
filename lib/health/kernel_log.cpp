// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "lib/base/format.h"
#include "lib/io/file.h"
#include "lib/io/line_reader.h"

namespace longhaul::health {

namespace {

constexpr size_t kMaxLines = 10'000;  // kept; the newest ones count
constexpr size_t kMaxLineBytes = 64 << 10;
constexpr size_t kMaxTextBytes = 1000;

bool take_number(std::string_view& text, int64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
}

bool take(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

/// "prio,seq,usec,flags[,...];text"
bool parse_kmsg(std::string_view line, LogLine& parsed) {
    int64_t priority = 0;
    if (!take_number(line, priority) || !take(line, ',')) return false;
    if (!take_number(line, parsed.sequence) || !take(line, ',')) return false;
    if (!take_number(line, parsed.boot_us) || !take(line, ',')) return false;
    const size_t semicolon = line.find(';');
    if (semicolon == std::string_view::npos) return false;
    parsed.text = std::string(line.substr(semicolon + 1).substr(0, kMaxTextBytes));
    return true;
}

/// "[   12.345678] text"; the form of dmesg -T has no number there.
bool parse_dmesg(std::string_view line, LogLine& parsed) {
    if (line.substr(0, 1) == "<") {  // dmesg --raw: "<6>[...]"
        const size_t close = line.find('>');
        if (close == std::string_view::npos || close > 4) return false;
        line.remove_prefix(close + 1);
    }
    if (!take(line, '[')) return false;
    while (take(line, ' ')) {
    }
    int64_t seconds = 0, micros = 0;
    const std::string_view digits = line;
    if (!take_number(line, seconds) || !take(line, '.')) return false;
    const size_t before = line.size();
    if (!take_number(line, micros) || before - line.size() != 6 || !take(line, ']')) return false;
    if (seconds < 0 || micros < 0 || seconds > 1'000'000'000 || digits.front() == '+') return false;
    take(line, ' ');
    parsed.boot_us = seconds * 1'000'000 + micros;
    parsed.text = std::string(line.substr(0, kMaxTextBytes));
    return true;
}

void add_line(std::string_view line, KernelLog& log) {
    LogLine parsed = parse_kernel_line(line);
    log.last_sequence = std::max(log.last_sequence, parsed.sequence);
    log.last_boot_us = std::max(log.last_boot_us, parsed.boot_us);
    if (!is_relevant(parsed.text)) return;
    if (log.lines.size() >= kMaxLines) {
        log.lines.erase(log.lines.begin(), log.lines.begin() + kMaxLines / 2);
        log.has_gap = true;
    }
    log.lines.push_back(std::move(parsed));
}

}  // namespace

LogLine parse_kernel_line(std::string_view line) {
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    LogLine parsed;
    if (parse_kmsg(line, parsed) || parse_dmesg(line, parsed)) return parsed;
    parsed = {};
    parsed.text = std::string(line.substr(0, kMaxTextBytes));
    return parsed;
}

bool is_relevant(std::string_view text) {
    const auto contains = [&](std::string_view part) {
        return text.find(part) != std::string_view::npos;
    };
    return contains("NVRM: Xid") || contains(": SXid ") || contains("fallen off the bus") ||
           contains("NVRM: The NVIDIA GPU ") || contains("Machine check") ||
           contains("Hardware Error");
}

KernelLog read_kmsg(const std::string& device) {
    KernelLog log;
    log.source = device;
    const io::UniqueFd fd(::open(device.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!fd) {
        log.why = format("cannot open {}: {}", device, std::strerror(errno));
        return log;
    }
    std::array<char, 16384> record;  // a read gives one record
    for (;;) {
        const ssize_t n = ::read(fd.get(), record.data(), record.size());
        if (n > 0) {
            const std::string_view text(record.data(), static_cast<size_t>(n));
            add_line(text.substr(0, text.find('\n')), log);  // what follows are " KEY=value" lines
        } else if (n < 0 && errno == EPIPE) {
            log.has_gap = true;  // overwritten while reading: go on with the oldest there is
        } else if (n == 0 || errno == EAGAIN) {
            break;
        } else if (errno != EINTR) {
            log.why = format("cannot read {}: {}", device, std::strerror(errno));
            return log;
        }
    }
    log.is_read = true;
    return log;
}

KernelLog read_kernel_log(io::InputStream& input) {
    KernelLog log;
    log.source = input.name();
    io::LineReader reader(input, kMaxLineBytes);
    for (io::Line line; reader.next(line);) add_line(line.text, log);
    log.is_read = true;
    return log;
}

}  // namespace longhaul::health

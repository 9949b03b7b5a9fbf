// SPDX-License-Identifier: BSD-3-Clause
#include "lib/log/log.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace longhaul::log {

namespace {

// The logger is the one mutable global that STYLE allows.
struct Logger {
    std::string tool = "longhaul";
    std::atomic<Level> level = Level::kInfo;
    std::atomic<int> rank = -1;
    std::shared_ptr<spdlog::logger> sink;

    Logger() {
        auto stderr_sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
        stderr_sink->set_pattern("%v");
        sink = std::make_shared<spdlog::logger>("longhaul", stderr_sink);
        sink->set_level(spdlog::level::trace);
        sink->flush_on(spdlog::level::trace);
    }
};

Logger& logger() {
    static Logger instance;
    return instance;
}

const char* label(Level at) {
    switch (at) {
        case Level::kTrace:
            return "trace: ";
        case Level::kDebug:
            return "debug: ";
        case Level::kWarn:
            return "warning: ";
        case Level::kError:
            return "error: ";
        default:
            return "";
    }
}

}  // namespace

void init(std::string_view tool_name, Level level) {
    logger().tool = tool_name;
    logger().level = level;
}

void set_level(Level level) {
    logger().level = level;
}
Level level() {
    return logger().level;
}
void set_rank(int rank, int world_size) {
    logger().rank = world_size > 1 ? rank : -1;
}
int rank() {
    return logger().rank;
}
std::string tool_name() {
    return logger().tool;
}

void write(Level at, const std::string& text) {
    Logger& log = logger();
    if (at < log.level || (log.rank > 0 && at < Level::kWarn)) return;
    std::string line = log.tool + ": ";
    const std::string who =
        log.rank >= 0 && at >= Level::kWarn ? format("rank {}: ", log.rank.load()) : "";
    // What ranks have agreed on names the rank already.
    line += who + label(at) + text.substr(text.starts_with(who) ? who.size() : 0);
    // File names may hold anything: a message is one line, and none commands the terminal.
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
    std::replace_if(line.begin(), line.end(), is_control, ' ');
    // Passed as an argument, since the text may hold braces.
    log.sink->log(spdlog::level::info, "{}", line);
}

}  // namespace longhaul::log

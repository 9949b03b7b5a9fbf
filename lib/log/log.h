// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages for people, on stderr: "tool: warning: text". Results are output, never logged.
// error = the tool will fail (run_main prints those); warn = result valid, someone should look;
// info = one line per phase; debug and trace = for us. Ranks other than 0 only speak from warn up.

#include <string>
#include <string_view>
#include <utility>

#include "lib/base/format.h"

namespace longhaul::log {

enum class Level { kTrace, kDebug, kInfo, kWarn, kError, kOff };

/// Sets the tool's name and the lowest level shown. Called by run_main() and by --quiet/--verbose.
void init(std::string_view tool_name, Level level = Level::kInfo);
void set_level(Level level);
Level level();
/// Prefixes every message with "rank N: " and hides everything below warn on ranks above 0.
void set_rank(int rank, int world_size);
/// -1 before set_rank() or in a world of one.
int rank();
std::string tool_name();

/// Writes one line (newlines in `text` become spaces) unless `at` is below the level.
void write(Level at, const std::string& text);

template <class... Args>
void error(fmt::format_string<Args...> text, Args&&... args) {
    write(Level::kError, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
    write(Level::kWarn, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
    if (level() <= Level::kInfo)
        write(Level::kInfo, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void debug(fmt::format_string<Args...> text, Args&&... args) {
    if (level() <= Level::kDebug) {
        write(Level::kDebug, fmt::format(text, std::forward<Args>(args)...));
    }
}

}  // namespace longhaul::log

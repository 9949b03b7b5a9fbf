// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Results on stdout: text or one JSON line at a time. Failures are noticed by run_main().

#include <string_view>

#include "lib/base/format.h"

namespace longhaul::cli {

/// Writes to stdout through stdio. @throws IoError; a closed pipe ends the program quietly.
void print(std::string_view text);

template <class... Args>
void print_line(fmt::format_string<Args...> text, Args&&... args) {
    print(fmt::format(text, std::forward<Args>(args)...) + "\n");
}

/// Flushes stdout. @throws IoError when earlier writes were lost.
void flush_output();

}  // namespace longhaul::cli

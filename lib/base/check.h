// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// LH_CHECK: an invariant of our own code. Bad input is not an invariant: throw DataError for it.

#include "lib/base/error.h"

namespace longhaul::detail {

[[noreturn]] void check_failed(const char* condition, const char* file, int line,
                               const std::string& message);

}  // namespace longhaul::detail

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): needs the text and place of the condition.
#define LH_CHECK(condition, ...)                                               \
    do {                                                                       \
        if (!(condition)) [[unlikely]] {                                       \
            ::longhaul::detail::check_failed(#condition, __FILE__, __LINE__,   \
                                             ::longhaul::format(__VA_ARGS__)); \
        }                                                                      \
    } while (false)

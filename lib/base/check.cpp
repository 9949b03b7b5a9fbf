// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/check.h"

namespace longhaul::detail {

void check_failed(const char* condition, const char* file, int line, const std::string& message) {
    throw Error(format("internal error: {} ({} is false at {}:{}); please report it", message,
                       condition, file, line));
}

}  // namespace longhaul::detail

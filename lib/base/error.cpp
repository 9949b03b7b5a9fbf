// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/error.h"

#include <cstring>

namespace longhaul {

std::string Error::describe() const {
    std::string text;
    for (auto context = contexts_.rbegin(); context != contexts_.rend(); ++context) {
        text += *context;
        text += ": ";
    }
    return text + what();
}

IoError::IoError(const std::string& what, int error_number)
    : Error(format("{}: {}", what, std::strerror(error_number))), error_number_(error_number) {}

}  // namespace longhaul

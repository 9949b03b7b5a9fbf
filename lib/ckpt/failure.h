// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An exception as a value, so that one rank's failure can be told to the others.

#include <functional>
#include <string>

namespace longhaul::ckpt {

struct Failure {
    std::string text;      // "" when nothing failed
    int error_number = 0;  // errno of the system call at its root, 0 when there is none
};

/// Runs `body` and gives what it threw.
Failure failure_of(const std::function<void()>& body);

}  // namespace longhaul::ckpt

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/fatal_hook.h"

#include <utility>

namespace longhaul {

namespace {
std::function<void(ExitCode)>& hook_slot() {
    static std::function<void(ExitCode)> hook;
    return hook;
}
}  // namespace

void set_fatal_hook(std::function<void(ExitCode)> hook) {
    hook_slot() = std::move(hook);
}

void call_fatal_hook(ExitCode code) {
    if (hook_slot()) hook_slot()(code);
}

}  // namespace longhaul

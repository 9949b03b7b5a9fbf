// SPDX-License-Identifier: BSD-3-Clause
#include "lib/store/h5_handle.h"

#include <cstdlib>
#include <cstring>

#include "lib/base/format.h"
#include "lib/store/h5.h"

namespace longhaul::store {
namespace {

struct Innermost {
    std::string text;
    int error_number = 0;
};

/// Keeps the description of the innermost entry, where the cause (often an errno) is told.
herr_t visit_entry(unsigned, const H5E_error2_t* entry, void* data) {
    auto& innermost = *static_cast<Innermost*>(data);
    if (entry->desc == nullptr) return 0;
    innermost.text = entry->desc;
    if (const char* place = std::strstr(entry->desc, "errno = ")) {
        innermost.error_number = std::atoi(place + std::strlen("errno = "));
    }
    return 0;
}

}  // namespace

void h5_failed(const char* call, const std::string& file) {
    Innermost innermost;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit_entry, &innermost);
    if (innermost.text.empty()) H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, visit_entry, &innermost);
    H5Eclear2(H5E_DEFAULT);
    const std::string cause =
        innermost.error_number != 0 ? std::strerror(innermost.error_number) : innermost.text;
    const std::string name(call, std::strcspn(call, "("));
    throw H5Error(format("{}: {}: {}", file, name, cause), innermost.error_number);
}

namespace {

std::mutex& h5_mutex() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace

H5Session::H5Session() : lock_(h5_mutex()) {
    // After a failed H5Fclose (full disk) HDF5 1.10's own exit handler walks freed memory. Nothing
    // here relies on it: every container is closed by hand.
    static const herr_t no_exit_handler = H5dont_atexit();
    static_cast<void>(no_exit_handler);
    thread_local const herr_t silenced = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    static_cast<void>(silenced);
}

}  // namespace longhaul::store

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/shared_library.h"

#include <cstdlib>
#include <vector>

#include <dlfcn.h>

#include "lib/base/error.h"

namespace longhaul::gpu {

void detail::LibraryTraits::close(Handle handle) noexcept {
    dlclose(handle);
}

SharedLibrary SharedLibrary::open(const char* override_variable,
                                  std::initializer_list<const char*> names) {
    std::vector<const char*> candidates(names);
    const char* const chosen = secure_getenv(override_variable);
    const bool is_overridden = chosen != nullptr && *chosen != '\0';
    if (is_overridden) candidates = {chosen};

    std::string reasons;
    for (const char* name : candidates) {
        // NODELETE: GPU libraries leave exit handlers behind that must not point into unmapped
        // code.
        if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
            return {name, handle};
        const char* reason = dlerror();
        reasons += format("{}{}", reasons.empty() ? "" : "; ", reason != nullptr ? reason : name);
    }
    throw GpuError(format("cannot load {}: {} ({}={})", candidates.front(), reasons,
                          override_variable, is_overridden ? chosen : "PATH overrides the name"));
}

void* SharedLibrary::find(const char* symbol) const {
    return dlsym(handle_.get(), symbol);
}

void* SharedLibrary::require(const char* symbol) const {
    void* const address = find(symbol);
    if (address == nullptr) {
        throw GpuError(
            format("{}: no function {} in it: wrong version of the library?", name_, symbol));
    }
    return address;
}

}  // namespace longhaul::gpu

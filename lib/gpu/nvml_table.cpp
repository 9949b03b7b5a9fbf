// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/nvml_table.h"

#include "lib/base/format.h"

namespace longhaul::gpu::nvml {

namespace {

/// Leaves `function` null when the library has neither name.
template <class Function>
void bind_optional(const SharedLibrary& library, Function*& function, const char* symbol,
                   const char* fallback) {
    void* address = library.find(symbol);
    if (address == nullptr && fallback != nullptr) address = library.find(fallback);
    function = reinterpret_cast<Function*>(address);
}

}  // namespace

Nvml Nvml::load() {
    // Only the versioned name: the plain one may be the toolkit's stub, which answers nothing.
    Nvml nvml(SharedLibrary::open("LONGHAUL_NVML", {"libnvidia-ml.so.1"}));
#define LH_NVML_BIND(member, symbol, fallback, parameters) \
    bind_optional(nvml.library_, nvml.member, symbol, fallback);
    LH_NVML_FUNCTIONS(LH_NVML_BIND)
#undef LH_NVML_BIND
    bind_optional(nvml.library_, nvml.error_string_, "nvmlErrorString", nullptr);
    return nvml;
}

std::string Nvml::describe(Return result) const {
    const auto number = static_cast<int>(result);
    const char* text = error_string_ != nullptr ? error_string_(result) : nullptr;
    return text != nullptr ? format("{} (NVML error {})", text, number)
                           : format("NVML error {}", number);
}

}  // namespace longhaul::gpu::nvml

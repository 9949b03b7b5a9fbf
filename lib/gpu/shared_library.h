// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A library loaded at first use. Linking cuBLASLt would cost every process 0.5 s and 210 MB; NVML
// and NCCL exist on some nodes only. Typed tables of functions are built on top (nvml.h,
// cublaslt.h, ...).

#include <initializer_list>
#include <string>

#include "lib/base/handle.h"

namespace longhaul::gpu {

namespace detail {
struct LibraryTraits {
    using Handle = void*;
    static Handle null() { return nullptr; }
    static void close(Handle handle) noexcept;
};
}  // namespace detail

class SharedLibrary {
 public:
    /// Opens the file named by the environment variable `override_variable` if that is set (tests,
    /// odd installations; ignored in a setuid program), else the first of `names` that loads.
    /// @throws GpuError "cannot load NAMES: reason", naming the variable.
    static SharedLibrary open(const char* override_variable,
                              std::initializer_list<const char*> names);

    /// @return null if the library has no such symbol.
    void* find(const char* symbol) const;
    /// @throws GpuError naming library and symbol.
    void* require(const char* symbol) const;

    /// Stores require(symbol) in `function`, a function pointer of the right type.
    template <class Function>
    void bind(Function*& function, const char* symbol) const {
        function = reinterpret_cast<Function*>(require(symbol));
    }

    const std::string& name() const { return name_; }

 private:
    SharedLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}

    std::string name_;
    UniqueHandle<detail::LibraryTraits> handle_;
};

}  // namespace longhaul::gpu

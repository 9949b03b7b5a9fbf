// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Private to lib/store: one RAII type per kind of HDF5 identifier, and LH_H5, the check of every
// call. Includes hdf5.h, so only .cpp files of lib/store include this.

#include <hdf5.h>

#include <mutex>
#include <string>

#include "lib/base/handle.h"

namespace longhaul::store {

template <herr_t (*CloseFunction)(hid_t)>
struct H5Traits {
    using Handle = hid_t;
    static Handle null() { return H5I_INVALID_HID; }
    static void close(Handle handle) noexcept { CloseFunction(handle); }
};

using H5File = UniqueHandle<H5Traits<H5Fclose>>;
using H5Dataset = UniqueHandle<H5Traits<H5Dclose>>;
using H5Space = UniqueHandle<H5Traits<H5Sclose>>;
using H5Type = UniqueHandle<H5Traits<H5Tclose>>;
using H5Properties = UniqueHandle<H5Traits<H5Pclose>>;
using H5Attribute = UniqueHandle<H5Traits<H5Aclose>>;
using H5Object = UniqueHandle<H5Traits<H5Oclose>>;

/// Throws H5Error "FILE: CALL: innermost cause of the library's error stack".
[[noreturn]] void h5_failed(const char* call, const std::string& file);
/// Held around all calls of the library: ranks that are threads open files side by side, and only
/// some builds of HDF5 allow that. The first one also sees to it that the library prints no error
/// stacks and has no exit handler. Comes before the handles, which are closed under it.
class H5Session {
 public:
    H5Session();

 private:
    std::unique_lock<std::mutex> lock_;
};

template <class Result>
Result h5_check(Result result, const char* call, const std::string& file) {
    if (result < 0) h5_failed(call, file);
    return result;
}

}  // namespace longhaul::store

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): needs the text of the call.
#define LH_H5(call, file) ::longhaul::store::h5_check((call), #call, (file))

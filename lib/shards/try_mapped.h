// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reading memory that is a mapped file: what the storage can not give is a result, not the end of
// the process.

#include <memory>
#include <type_traits>

namespace longhaul::shards {

/// As the template below. Installs a handler of SIGBUS at the first call; signals of that kind that
/// do not come from here go to the one before it.
bool try_mapped(void (*work)(void*), void* argument);

/// Calls `work`, which reads mapped files. May be called in parallel, not from within `work`.
/// @return false when a page can not be read: the file was cut, or its storage failed. `work` is
/// then left where it stood, so it must own nothing and write only to plain memory.
template <class Work>
bool try_mapped(Work&& work) {
    using Plain = std::remove_reference_t<Work>;
    return try_mapped([](void* argument) { (*static_cast<Plain*>(argument))(); },
                      const_cast<void*>(static_cast<const void*>(std::addressof(work))));
}

}  // namespace longhaul::shards

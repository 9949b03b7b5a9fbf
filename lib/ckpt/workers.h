// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Numbered pieces of work on a few threads.

#include <cstddef>
#include <functional>

namespace longhaul::ckpt {

/// Calls `work(i)` for every i below `count`, in about that order, on `threads` threads. After an
/// exception no further piece is begun; the first one is thrown here when all threads are done.
void for_each_parallel(size_t count, int threads, const std::function<void(size_t)>& work);

}  // namespace longhaul::ckpt

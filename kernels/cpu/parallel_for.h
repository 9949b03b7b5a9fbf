// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The one way in which CPU kernels use threads: a loop over fixed chunks on OpenMP, the only thread
// pool. The chunks do not depend on the number of threads, so neither do the results.

#include <algorithm>
#include <cstdint>

#include <omp.h>

namespace longhaul::kernels::cpu {

/// Chunk of element-wise loops: long enough to hide the hand-over, short enough to balance.
inline constexpr int64_t kElementChunk = 16384;

/// Rows per chunk of loops over rows of `columns` elements.
constexpr int64_t row_chunk(int64_t columns) {
    return std::max<int64_t>(kElementChunk / 2 / std::max<int64_t>(columns, 1), 1);
}

/// Columns per chunk of sums over tokens: a multiple of a cache line for every type.
inline constexpr int64_t kColumnChunk = 256;

/// Threads that parallel_for() may use when called from this thread.
inline int max_threads() {
    return omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
}

/// Calls body(worker, first, last) for the pieces [first, last) of [0, count) that are `chunk` long
/// (the last may be shorter). worker < max_threads() selects a part of a scratch buffer; no two
/// calls with the same worker overlap. One thread: a plain loop that never enters OpenMP's runtime.
template <class Body>
void parallel_for_workers(int64_t count, int64_t chunk, const Body& body) {
    const int64_t num_chunks = (count + chunk - 1) / chunk;
    if (num_chunks <= 1 || max_threads() == 1) {
        for (int64_t i = 0; i < num_chunks; ++i) {
            body(0, i * chunk, std::min(count, (i + 1) * chunk));
        }
        return;
    }
#pragma omp parallel for schedule(dynamic)
    for (int64_t i = 0; i < num_chunks; ++i) {
        body(omp_get_thread_num(), i * chunk, std::min(count, (i + 1) * chunk));
    }
}

/// The same without the worker: body(first, last).
template <class Body>
void parallel_for(int64_t count, int64_t chunk, const Body& body) {
    parallel_for_workers(count, chunk,
                         [&](int, int64_t first, int64_t last) { body(first, last); });
}

}  // namespace longhaul::kernels::cpu

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Eight consecutive elements in registers: what one thread of an element-wise kernel works on.
// Whole, aligned groups move in 16-byte vectors; ragged ends and odd addresses element by element.

#include "kernels/cuda/device.cuh"

namespace longhaul::kernels::cuda {

inline constexpr int kGroup = 8;

template <class T>
struct Group {
    static constexpr int kVectors = kGroup / Vector<T>::kSize;
    Vector<T> vector[kVectors] = {};

    __device__ __forceinline__ T& operator[](int i) {
        return vector[i / Vector<T>::kSize].element[i % Vector<T>::kSize];
    }
    /// @param count elements that exist, 1 to 8; the others stay undefined.
    /// @param is_aligned `from` is a multiple of 16 bytes; the same for all threads of a launch.
    __device__ __forceinline__ void load(const T* from, int count, bool is_aligned) {
        if (is_aligned && count == kGroup) {
            for (int i = 0; i < kVectors; ++i) vector[i] = load_vector(from, i);
        } else {
            for (int i = 0; i < kGroup; ++i) {
                if (i < count) (*this)[i] = from[i];
            }
        }
    }
    __device__ __forceinline__ void store(T* to, int count, bool is_aligned) {
        if (is_aligned && count == kGroup) {
            for (int i = 0; i < kVectors; ++i) store_vector(to, i, vector[i]);
        } else {
            for (int i = 0; i < kGroup; ++i) {
                if (i < count) to[i] = (*this)[i];
            }
        }
    }
};

/// Elements of the group that begins at `first` of `total`; at most 8, 0 or less when there are
/// none.
__device__ __forceinline__ int group_count(int64_t first, int64_t total) {
    return total - first < kGroup ? static_cast<int>(total - first) : kGroup;
}

/// This thread's number in the grid.
__device__ __forceinline__ int64_t global_thread() {
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Whether groups of `array` start at multiples of 16 bytes when rows of `row_elements` follow each
/// other.
template <class T>
bool groups_are_aligned(const T* array, int64_t row_elements) {
    return reinterpret_cast<uintptr_t>(array) % 16 == 0 &&
           row_elements * static_cast<int64_t>(sizeof(T)) % 16 == 0;
}

}  // namespace longhaul::kernels::cuda

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/comm/reduce.h"

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"

namespace longhaul::comm {

namespace {

constexpr int64_t kTile = 512;  // elements: the accumulator stays in the first-level cache

using tensor::BFloat16;

float widen(BFloat16 value) {
    return to_float(value);
}
template <class T>
T widen(T value) {
    return value;
}
template <class T, class Wide>
T narrow(Wide value) {
    if constexpr (std::is_same_v<T, BFloat16>) {
        return tensor::to_bf16(value);
    } else {
        return value;
    }
}

struct Sum {
    template <class T>
    T operator()(T a, T b) const {
        return a + b;
    }
};
struct Max {
    template <class T>
    T operator()(T a, T b) const {
        return a != a || a > b ? a : b;
    }
};
struct Min {
    template <class T>
    T operator()(T a, T b) const {
        return a != a || a < b ? a : b;
    }
};

template <class T, class Combine>
void reduce_typed(Combine combine, std::span<const void* const> sources, void* out, int64_t count) {
    using Wide = decltype(widen(T{}));
    Wide tile[kTile];
    for (int64_t begin = 0; begin < count; begin += kTile) {
        const int64_t num = std::min(kTile, count - begin);
        const T* first = static_cast<const T*>(sources[0]) + begin;
        for (int64_t i = 0; i < num; ++i) tile[i] = widen(first[i]);
        for (const void* source : sources.subspan(1)) {
            const T* next = static_cast<const T*>(source) + begin;
            for (int64_t i = 0; i < num; ++i) tile[i] = combine(tile[i], widen(next[i]));
        }
        T* result = static_cast<T*>(out) + begin;
        for (int64_t i = 0; i < num; ++i) result[i] = narrow<T>(tile[i]);
    }
}

template <class T>
void reduce_op(Op op, std::span<const void* const> sources, void* out, int64_t count) {
    switch (op) {
        case Op::kSum:
            return reduce_typed<T>(Sum{}, sources, out, count);
        case Op::kMax:
            return reduce_typed<T>(Max{}, sources, out, count);
        case Op::kMin:
            return reduce_typed<T>(Min{}, sources, out, count);
    }
}

}  // namespace

void reduce_in_order(Op op, tensor::DType dtype, std::span<const void* const> sources, void* out,
                     int64_t count) {
    switch (dtype) {
        case tensor::DType::kF32:
            return reduce_op<float>(op, sources, out, count);
        case tensor::DType::kF64:
            return reduce_op<double>(op, sources, out, count);
        case tensor::DType::kBF16:
            return reduce_op<BFloat16>(op, sources, out, count);
        case tensor::DType::kI32:
            return reduce_op<int32_t>(op, sources, out, count);
        case tensor::DType::kI64:
            return reduce_op<int64_t>(op, sources, out, count);
        default:
            throw CommError(format("cannot reduce elements of type {}", tensor::name_of(dtype)));
    }
}

}  // namespace longhaul::comm

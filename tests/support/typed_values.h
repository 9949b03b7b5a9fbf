// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Test data for kernels: values kept as f64 and stored in the type under test, random but fixed,
// and checks by error bound, by bits and by finite differences.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/philox.h"
#include "lib/tensor/dtype.h"

namespace longhaul::test {

/// The type in which sums over values of `dtype` are kept.
inline tensor::DType accumulator_of(tensor::DType dtype) {
    return dtype == tensor::DType::kF64 ? tensor::DType::kF64 : tensor::DType::kF32;
}

/// Half a unit in the last place, relative.
inline double epsilon_of(tensor::DType dtype) {
    switch (dtype) {
        case tensor::DType::kF64:
            return 0x1p-53;
        case tensor::DType::kBF16:
            return 0x1p-8;
        default:
            return 0x1p-24;
    }
}

/// A buffer of `dtype` that tests read and write as doubles.
class TypedValues {
 public:
    TypedValues(tensor::DType dtype, const std::vector<double>& values)
        : dtype_(dtype), bytes_(values.size() * tensor::size_of(dtype)), count_(values.size()) {
        for (size_t i = 0; i < count_; ++i) set(i, values[i]);
    }
    TypedValues(tensor::DType dtype, int64_t count)
        : TypedValues(dtype, std::vector<double>(static_cast<size_t>(count))) {}

    void* data() { return bytes_.data(); }
    const void* data() const { return bytes_.data(); }
    size_t count() const { return count_; }
    bool operator==(const TypedValues& other) const { return bytes_ == other.bytes_; }

    double operator[](size_t i) const {
        switch (dtype_) {
            case tensor::DType::kF64:
                return read<double>(i);
            case tensor::DType::kBF16:
                return tensor::to_float(read<tensor::BFloat16>(i));
            default:
                return read<float>(i);
        }
    }
    void set(size_t i, double value) {
        switch (dtype_) {
            case tensor::DType::kF64:
                return write<double>(i, value);
            case tensor::DType::kBF16:
                return write(i, tensor::to_bf16(static_cast<float>(value)));
            default:
                return write(i, static_cast<float>(value));
        }
    }
    /// What the kernel sees: the values after rounding to the type.
    std::vector<double> values() const {
        std::vector<double> result(count_);
        for (size_t i = 0; i < count_; ++i) result[i] = (*this)[i];
        return result;
    }

 private:
    template <class T>
    T read(size_t i) const {
        T value;
        std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof(T));
        return value;
    }
    template <class T>
    void write(size_t i, T value) {
        std::memcpy(bytes_.data() + i * sizeof(T), &value, sizeof(T));
    }

    tensor::DType dtype_;
    std::vector<std::byte> bytes_;
    size_t count_;
};

/// Fixed numbers in [-scale, scale), a different set for each `stream`.
inline std::vector<double> random_values(int64_t count, uint64_t stream, double scale = 1) {
    std::vector<double> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) {
        const PhiloxBlock block = philox_draw({7, RandomPurpose::kTest, stream, 0}, i);
        values[i] = scale * (2 * uniform_double(block.word[0], block.word[1]) - 1);
    }
    return values;
}

inline TypedValues random_typed(tensor::DType dtype, int64_t count, uint64_t stream,
                                double scale = 1) {
    return {dtype, random_values(count, stream, scale)};
}

/// max |a - b| / max |b| over all elements; infinite when a is not finite.
inline double relative_error(const std::vector<double>& actual,
                             const std::vector<double>& expected) {
    double difference = actual.size() == expected.size() ? 0 : HUGE_VAL;
    double largest = 1e-300;
    for (size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
        const double error = std::abs(actual[i] - expected[i]);
        if (!(error <= difference)) difference = std::isnan(error) ? HUGE_VAL : error;
        largest = std::max(largest, std::abs(expected[i]));
    }
    return difference / largest;
}

/// Central differences of `loss` in every element of `x` (restored afterwards).
inline std::vector<double> numeric_gradient(TypedValues& x, const std::function<double()>& loss,
                                            double step = 1e-5) {
    std::vector<double> gradient(x.count());
    for (size_t i = 0; i < x.count(); ++i) {
        const double old = x[i];
        x.set(i, old + step);
        const double above = loss();
        x.set(i, old - step);
        const double below = loss();
        x.set(i, old);
        gradient[i] = (above - below) / (2 * step);
    }
    return gradient;
}

inline double dot(const TypedValues& a, const std::vector<double>& b) {
    double sum = 0;
    for (size_t i = 0; i < b.size(); ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace longhaul::test

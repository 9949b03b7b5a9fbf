// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the tests of CUDA kernels share. The same tests run in two ways: kernels compiled for the
// host (every machine), and kernels compiled by nvcc on a GPU (tests/gpu/device.sh).

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/stream.h"
#include "lib/base/hash.h"
#include "lib/base/philox.h"
#include "lib/gpu/buffer.h"
#include "lib/gpu/stream.h"
#include "lib/tensor/dtype.h"
#include "tests/gpu/kernels/schedule.h"

namespace longhaul::kernels::test {

using tensor::BFloat16;

template <class T>
inline constexpr tensor::DType kDType = tensor::DType::kF32;
template <>
inline constexpr tensor::DType kDType<double> = tensor::DType::kF64;
template <>
inline constexpr tensor::DType kDType<BFloat16> = tensor::DType::kBF16;

/// The type of statistics and weight gradients for activations of T (kernels/rmsnorm.h).
template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Half a unit in the last place of T, relative: what one rounding may lose.
template <class T>
inline constexpr double kHalfUlp = 0x1p-24;
template <>
inline constexpr double kHalfUlp<double> = 0x1p-53;
template <>
inline constexpr double kHalfUlp<BFloat16> = 0x1p-8;

inline double to_double(float value) {
    return value;
}
inline double to_double(double value) {
    return value;
}
inline double to_double(BFloat16 value) {
    return tensor::to_float(value);
}

template <class T>
T from_double(double value) {
    if constexpr (std::is_same_v<T, BFloat16>) return tensor::to_bf16(static_cast<float>(value));
    return static_cast<T>(value);
}
template <>
inline BFloat16 from_double<BFloat16>(double value) {
    return tensor::to_bf16(static_cast<float>(value));
}

/// `count` values in (-scale, scale), rounded to T; a function of `stream` alone.
template <class T>
std::vector<T> random_values(size_t count, double scale, uint64_t stream) {
    std::vector<T> values(count);
    for (size_t i = 0; i < count; ++i) {
        const PhiloxBlock block = philox_draw({7, RandomPurpose::kTest, stream, 0}, i);
        values[i] = from_double<T>(scale * (2 * uniform_double(block.word[0], block.word[1]) - 1));
    }
    return values;
}

template <class T>
std::vector<double> widen_all(const std::vector<T>& values) {
    std::vector<double> wide(values.size());
    for (size_t i = 0; i < values.size(); ++i) wide[i] = to_double(values[i]);
    return wide;
}

/// A device, as far as a test needs one: upload, run on stream(), download. All share one stream,
/// as cuBLASLt's workspace belongs to a stream.
class Device {
 public:
    Device() : stream_(shared_stream()), op_stream_(Stream::cuda(stream_.native())) {}

    template <class T>
    gpu::DeviceBuffer<T> upload(const std::vector<T>& values) {
        gpu::DeviceBuffer<T> buffer(values.size());
        gpu::copy_to_device(buffer, std::span<const T>(values), stream_);
        return buffer;
    }
    /// Filled with NaN by the host double; undefined on a GPU.
    template <class T>
    gpu::DeviceBuffer<T> make(size_t count) {
        return gpu::DeviceBuffer<T>(count);
    }
    template <class T>
    std::vector<T> download(const gpu::DeviceBuffer<T>& buffer) {
        std::vector<T> values(buffer.size());
        gpu::copy_to_host(std::span<T>(values), buffer, stream_);
        stream_.synchronize();
        return values;
    }
    Stream& stream() { return op_stream_; }

 private:
    static gpu::CudaStream& shared_stream() {
        static gpu::CudaStream stream;
        return stream;
    }

    gpu::CudaStream& stream_;
    Stream op_stream_;
};

template <class... Vectors>
Hash128 hash_of(const Vectors&... vectors) {
    Hasher128 hasher;
    (hasher.update(std::as_bytes(std::span(vectors))), ...);
    return hasher.digest();
}

/// Runs `run(device)` once in each schedule (on a GPU: as often), requires equal hash()es, and
/// returns the first result.
template <class Run>
auto in_all_schedules(const Run& run) {
    choose_schedule(0);
    Device device;
    const auto first = run(device);
    for (int schedule = 1; schedule < num_schedules(); ++schedule) {
        choose_schedule(schedule);
        Device again;
        const bool is_equal = run(again).hash() == first.hash();
        CHECK_MESSAGE(is_equal, "schedule ", schedule, " gives other bits than schedule 0");
    }
    choose_schedule(0);
    return first;
}

/// max |got - expected| / (|expected| + floor) <= tolerance; false for NaN. `floor` is the size
/// below which a value counts as noise.
template <class T>
void check_close(const std::string& what, const std::vector<T>& got,
                 const std::vector<double>& expected, double tolerance, double floor) {
    REQUIRE(got.size() == expected.size());
    double worst = 0;
    size_t place = 0;
    for (size_t i = 0; i < got.size(); ++i) {
        const double error =
            std::abs(to_double(got[i]) - expected[i]) / (std::abs(expected[i]) + floor);
        if (!(error <= worst)) {  // also NaN
            worst = error;
            place = i;
            if (std::isnan(error)) break;
        }
    }
    INFO(what, "[", place, "]: error ", worst, ", allowed ", tolerance);
    CHECK(worst <= tolerance);
}

}  // namespace longhaul::kernels::test

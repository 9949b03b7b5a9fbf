// SPDX-License-Identifier: BSD-3-Clause
// Softmax cross-entropy, forward and backward; the contract is kernels/cross_entropy.h.
// One block a row. The first pass finds maximum and sum of exponentials together (online softmax,
// Milakov and Gimelshein 2018, algorithm 3), the second writes the gradient: two reads and one
// write of the logits, which is all the traffic there is.
#include "kernels/cross_entropy.h"

#include <limits>

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/reduce.cuh"

namespace longhaul::kernels::cuda {

namespace {

constexpr int kThreads = 512;  // a row of 50k bf16 is 12 vectors a thread
constexpr const char* kOp = "cross_entropy";

/// Below every finite value; exp(kLowest - finite) is 0 and never NaN, unlike with infinity.
template <class Acc>
constexpr Acc kLowest = std::numeric_limits<Acc>::lowest();
template <class Acc>
constexpr Acc kNotANumber = std::numeric_limits<Acc>::quiet_NaN();

/// The row's maximum and sum of exp(value - maximum), known to every thread.
template <class T>
__device__ void row_statistics(const T* row, int64_t vocab, Accumulator<T>& maximum,
                               Accumulator<T>& total) {
    using Acc = Accumulator<T>;
    constexpr int kSize = Vector<T>::kSize;
    Acc thread_maximum = kLowest<Acc>;
    Acc thread_total = 0;
    for (int64_t i = threadIdx.x; i * kSize < vocab; i += blockDim.x) {
        const Vector<T> logits = load_vector(row, i);
        for (int k = 0; k < kSize; ++k) {
            if (i * kSize + k >= vocab) break;
            const Acc logit = widen(logits.element[k]);
            if (logit > thread_maximum) {
                thread_total *= exponential(thread_maximum - logit);
                thread_maximum = logit;
            }
            thread_total += exponential(logit - thread_maximum);
        }
    }
    maximum = block_reduce(thread_maximum, Max{}, kLowest<Acc>);
    total = block_reduce(thread_total * exponential(thread_maximum - maximum), Sum{}, Acc{0});
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    cross_entropy_kernel(T* logits_RV, const int32_t* targets_R, Accumulator<T>* losses_R,
                         int64_t vocab, int64_t padded_vocab, int32_t ignore_index,
                         Accumulator<T> grad_scale, bool want_grad) {
    using Acc = Accumulator<T>;
    constexpr int kSize = Vector<T>::kSize;
    const int64_t row_index = blockIdx.x;
    T* row = logits_RV + row_index * padded_vocab;
    const int64_t target = targets_R[row_index];
    const bool is_ignored = target == ignore_index;
    const bool is_valid = target >= 0 && target < vocab;

    Acc maximum, total;
    row_statistics(row, vocab, maximum, total);
    if (threadIdx.x == 0) {
        losses_R[row_index] = is_ignored ? Acc{0}
                              : is_valid ? logarithm(total) + (maximum - widen(row[target]))
                                         : kNotANumber<Acc>;
    }
    if (!want_grad) return;
    __syncthreads();  // row[target] is read above and overwritten below

    const Acc inverse = Acc{1} / total;
    const Acc scale = is_ignored || is_valid ? grad_scale : kNotANumber<Acc>;
    for (int64_t i = threadIdx.x; i * kSize < padded_vocab; i += blockDim.x) {
        Vector<T> values = load_vector(row, i);
        for (int k = 0; k < kSize; ++k) {
            const int64_t column = i * kSize + k;
            Acc grad = 0;
            if (column < vocab && !is_ignored) {
                grad = exponential(widen(values.element[k]) - maximum) * inverse;
                grad = (grad - (column == target ? Acc{1} : Acc{0})) * scale;
            }
            values.element[k] = narrow<T>(grad);
        }
        store_vector(row, i, values);
    }
}

template <class T>
void run(Stream& stream, const CrossEntropyArgs& args) {
    launch(kOp, cross_entropy_kernel<T>, {args.rows, kThreads}, stream,
           static_cast<T*>(args.logits), args.targets, static_cast<Accumulator<T>*>(args.losses),
           args.vocab, args.padded_vocab, args.ignore_index, args.grad_scale, args.want_grad);
}

}  // namespace

void cross_entropy(Stream& stream, const CrossEntropyArgs& args) {
    require(args.rows >= 0 && args.vocab > 0 && args.padded_vocab >= args.vocab, kOp,
            "need rows >= 0 and 0 < vocab <= padded_vocab");
    require(
        args.padded_vocab * static_cast<int64_t>(tensor::size_of(args.dtype)) % kVectorBytes == 0,
        kOp, "a row (padded_vocab) must be a multiple of 16 bytes");
    if (args.rows == 0) return;
    require_buffer(args.logits, kVectorBytes, kOp, "logits");
    require_buffer(args.targets, sizeof(int32_t), kOp, "targets");
    require_buffer(args.losses, sizeof(float), kOp, "losses");
    with_float_type(args.dtype, kOp,
                    [&](auto tag) { run<typename decltype(tag)::Type>(stream, args); });
}

}  // namespace longhaul::kernels::cuda

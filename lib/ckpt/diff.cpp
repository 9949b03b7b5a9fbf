// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/diff.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "lib/base/error.h"
#include "lib/ckpt/cast.h"
#include "lib/ckpt/workers.h"

namespace longhaul::ckpt {
namespace {

using tensor::DType;

constexpr int64_t kBlockElements = 1 << 20;

/// Elements as doubles: exact for every float type that is stored.
std::vector<double> to_doubles(DType dtype, const std::vector<std::byte>& bytes) {
    std::vector<double> values(bytes.size() / tensor::size_of(dtype));
    if (dtype == DType::kF16) {
        std::vector<float> floats(values.size());
        cast(DType::kF16, bytes, DType::kF32, std::as_writable_bytes(std::span(floats)));
        std::copy(floats.begin(), floats.end(), values.begin());
    } else {
        cast(dtype, bytes, DType::kF64, std::as_writable_bytes(std::span(values)));
    }
    return values;
}

bool is_float(DType dtype) {
    return dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kBF16 ||
           dtype == DType::kF16;
}

double distance(double a, double b) {
    if (std::isnan(a) && std::isnan(b)) return 0;
    const double difference = std::fabs(a - b);
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

void note_difference(TensorDiff& result, int64_t index) {
    if (result.num_different++ == 0) result.first_different = index;
    result.status = DiffStatus::kDifferent;
}

/// Adds the elements [first, first + count) of both tensors.
void compare_values(TensorDiff& result, int64_t first, DType type_a,
                    const std::vector<std::byte>& a, DType type_b,
                    const std::vector<std::byte>& b) {
    const std::vector<double> left = to_doubles(type_a, a);
    const std::vector<double> right = to_doubles(type_b, b);
    const bool by_bits = type_a == type_b;
    const size_t element = tensor::size_of(type_a);
    for (size_t i = 0; i < left.size(); ++i) {
        const double gap = distance(left[i], right[i]);
        const bool differs =
            by_bits ? std::memcmp(a.data() + i * element, b.data() + i * element, element) != 0
                    : gap != 0;
        if (differs) note_difference(result, first + static_cast<int64_t>(i));
        result.max_abs = std::max(result.max_abs, gap);
        if (std::isfinite(right[i])) {
            result.max_magnitude = std::max(result.max_magnitude, std::fabs(right[i]));
        }
    }
}

void compare_bits(TensorDiff& result, int64_t first, size_t element,
                  const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    for (size_t i = 0; i < a.size() / element; ++i) {
        if (std::memcmp(a.data() + i * element, b.data() + i * element, element) != 0) {
            note_difference(result, first + static_cast<int64_t>(i));
        }
    }
}

void compare_tensor(TensorDiff& result, const Checkpoint& first, const TensorEntry& a,
                    const Checkpoint& second, const TensorEntry& b, const DiffOptions& options) {
    if (a.shape != b.shape || is_float(a.dtype) != is_float(b.dtype) ||
        (!is_float(a.dtype) && a.dtype != b.dtype)) {
        result.status = DiffStatus::kOtherShape;
        return;
    }
    result.num_elements = tensor::num_elements(a.shape);
    const bool is_same = a.dtype == b.dtype && a.fingerprint == b.fingerprint;
    if (is_same && !options.read_all) return;
    result.is_read = true;
    const tensor::Box whole = tensor::Box::whole(a.shape);
    for (int64_t at = 0; at < result.num_elements; at += kBlockElements) {
        const tensor::Slice block{whole, at, std::min(kBlockElements, result.num_elements - at)};
        const auto count = static_cast<size_t>(block.count);
        std::vector<std::byte> left(count * tensor::size_of(a.dtype));
        std::vector<std::byte> right(count * tensor::size_of(b.dtype));
        first.read(a.name, a.kind, block, a.dtype, left);
        second.read(b.name, b.kind, block, b.dtype, right);
        if (is_float(a.dtype)) {
            compare_values(result, at, a.dtype, left, b.dtype, right);
        } else {
            compare_bits(result, at, tensor::size_of(a.dtype), left, right);
        }
        if (options.on_progress) options.on_progress(left.size());
    }
}

}  // namespace

const char* status_name(DiffStatus status) {
    switch (status) {
        case DiffStatus::kEqual:
            return "equal";
        case DiffStatus::kDifferent:
            return "different";
        case DiffStatus::kOnlyFirst:
            return "only in the first";
        case DiffStatus::kOnlySecond:
            return "only in the second";
        case DiffStatus::kOtherShape:
            return "other shape or type";
    }
    return "";
}

std::vector<TensorDiff> diff(const Checkpoint& first, const Checkpoint& second,
                             const DiffOptions& options) {
    std::set<std::pair<std::string, Kind>> keys;
    for (const Checkpoint* checkpoint : {&first, &second}) {
        for (const TensorEntry& tensor : checkpoint->manifest().tensors) {
            const bool is_wanted =
                options.kinds.empty() || std::find(options.kinds.begin(), options.kinds.end(),
                                                   tensor.kind) != options.kinds.end();
            if (is_wanted) keys.emplace(tensor.name, tensor.kind);
        }
    }
    std::vector<TensorDiff> results;
    for (const auto& [name, kind] : keys) results.push_back({.name = name, .kind = kind});
    for_each_parallel(results.size(), options.threads, [&](size_t i) {
        TensorDiff& result = results[i];
        const TensorEntry* a = first.find(result.name, result.kind);
        const TensorEntry* b = second.find(result.name, result.kind);
        if (a == nullptr || b == nullptr) {
            result.status = a == nullptr ? DiffStatus::kOnlySecond : DiffStatus::kOnlyFirst;
            return;
        }
        compare_tensor(result, first, *a, second, *b, options);
    });
    return results;
}

}  // namespace longhaul::ckpt

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Interval arithmetic over the slices of one tensor: which stored slices overlap a wanted one, and
// do they cover the tensor exactly. Sort and bisect; never all pairs.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lib/tensor/box.h"

namespace longhaul::ckpt {

/// The slices of one tensor, grouped by box. Immutable, thread-safe.
class SliceIndex {
 public:
    /// @param slices numbered 0.. in this order; empty ones are ignored.
    explicit SliceIndex(std::span<const tensor::Slice> slices);

    /// Calls `visit(number)` for every slice that may share elements with `wanted`; those that do
    /// are all visited, once. O(log n + visited) for slices that tile the tensor.
    void overlapping(const tensor::Slice& wanted,
                     const std::function<void(uint32_t number)>& visit) const;

    struct Part {
        int64_t first = 0;
        int64_t count = 0;
        uint32_t number = 0;
    };
    struct Group {
        tensor::Box box;
        std::vector<Part> parts;  // by first
    };
    /// Distinct boxes, in order of the sweep axis.
    const std::vector<Group>& groups() const { return groups_; }

 private:
    std::vector<Group> groups_;
    std::vector<int64_t> highest_end_;  // of groups_[0..i] along axis_
    size_t axis_ = 0;
};

/// Throws DataError unless the slices are disjoint and cover `shape` exactly. Every box must be
/// covered by its own ranges, and the boxes must tile the tensor.
/// @param name of the tensor, for the message, which tells the place of the overlap or the hole.
void check_cover(const std::string& name, const tensor::Shape& shape, const SliceIndex& index);

}  // namespace longhaul::ckpt

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Boxes and slices of row-major tensors: the arithmetic under sharding, checkpoints and resharding.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace longhaul::tensor {

using Shape = std::vector<int64_t>;

int64_t num_elements(const Shape& shape);

/// An axis-aligned part of a tensor: elements offset[d] <= i_d < offset[d] + extent[d].
struct Box {
    std::vector<int64_t> offset;
    std::vector<int64_t> extent;

    auto operator<=>(const Box&) const = default;
    int64_t num_elements() const;
    bool is_empty() const { return num_elements() == 0; }
    static Box whole(const Shape& shape);
};

/// The common part of two boxes of one tensor, or nothing when they are disjoint.
std::optional<Box> intersect(const Box& a, const Box& b);

/// The row-major elements [first, first + count) inside a box: a TP shard (box) cut by ZeRO
/// (range). The whole box is first = 0, count = box.num_elements().
struct Slice {
    Box box;
    int64_t first = 0;
    int64_t count = 0;

    auto operator<=>(const Slice&) const = default;
    static Slice whole(const Box& box) { return {box, 0, box.num_elements()}; }
};

/// A run of elements that is contiguous in both slices' own packed storage.
struct CopyRun {
    int64_t source_index;       // in elements from the start of the source slice's data
    int64_t destination_index;  // same, in the destination
    int64_t count;
    auto operator<=>(const CopyRun&) const = default;
};

/// All runs that copy the elements common to both slices, in order of the destination.
std::vector<CopyRun> copy_runs(const Slice& source, const Slice& destination);
/// The same without the vector. Finding the first run costs O(log rows), each further one O(rank).
void for_each_copy_run(const Slice& source, const Slice& destination,
                       const std::function<void(const CopyRun&)>& visit);
/// How many elements two slices have in common, in O(log rows).
int64_t num_common(const Slice& a, const Slice& b);

/// Splits [0, total) into `parts` almost equal ranges; the first total % parts are one longer.
struct Range {
    int64_t first = 0, count = 0;
    auto operator<=>(const Range&) const = default;
};
Range split_evenly(int64_t total, int64_t parts, int64_t index);

/// The smallest range of row-major positions inside `box` that holds all its elements that are in
/// `slice`; empty when there are none.
Range positions_of(const Slice& slice, const Box& box);

}  // namespace longhaul::tensor

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/slice_index.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "lib/base/error.h"

namespace longhaul::ckpt {
namespace {

using tensor::Box;
using tensor::Range;
using tensor::Slice;

std::string describe(const Box& box) {
    std::string text = "[";
    for (size_t d = 0; d < box.offset.size(); ++d) {
        text += format("{}{}:{}", d == 0 ? "" : ", ", box.offset[d], box.offset[d] + box.extent[d]);
    }
    return text + "]";
}

/// The axis along which the boxes have the most different offsets: best for bisection.
size_t best_axis(const std::vector<SliceIndex::Group>& groups) {
    size_t best = 0;
    size_t most = 0;
    const size_t rank = groups.empty() ? 0 : groups[0].box.offset.size();
    for (size_t d = 0; d < rank; ++d) {
        std::set<int64_t> offsets;
        for (const auto& group : groups) offsets.insert(group.box.offset[d]);
        if (offsets.size() > most) {
            most = offsets.size();
            best = d;
        }
    }
    return best;
}

int64_t begin_of(const Box& box, size_t axis) {
    return box.offset.empty() ? 0 : box.offset[axis];
}
int64_t end_of(const Box& box, size_t axis) {
    return box.offset.empty() ? 1 : box.offset[axis] + box.extent[axis];
}

using Boxes = std::span<const Box*>;

[[noreturn]] void overlap(const std::string& name, const Box& a, const Box& b) {
    throw DataError(format("tensor {}: slices {} and {} overlap", name, describe(a), describe(b)));
}

void check_pairs(const std::string& name, Boxes boxes) {
    for (size_t i = 0; i < boxes.size(); ++i) {
        for (size_t j = i + 1; j < boxes.size(); ++j) {
            if (tensor::intersect(*boxes[i], *boxes[j])) overlap(name, *boxes[i], *boxes[j]);
        }
    }
}

/// Sorts along `axis` and gives the lengths of groups whose intervals touch no other group's.
std::vector<size_t> separate(Boxes boxes, size_t axis) {
    std::sort(boxes.begin(), boxes.end(),
              [&](const Box* a, const Box* b) { return begin_of(*a, axis) < begin_of(*b, axis); });
    std::vector<size_t> lengths;
    int64_t end = 0;
    for (const Box* box : boxes) {
        if (lengths.empty() || begin_of(*box, axis) >= end) {
            lengths.push_back(0);
            end = 0;
        }
        ++lengths.back();
        end = std::max(end, end_of(*box, axis));
    }
    return lengths;
}

/// Splits by planes that cut no box, axis after axis; grids fall apart in `rank` rounds. What no
/// plane can split is compared pair by pair.
void check_disjoint(const std::string& name, Boxes boxes) {
    if (boxes.size() < 2) return;
    for (size_t axis = 0; axis < boxes[0]->offset.size(); ++axis) {
        const std::vector<size_t> lengths = separate(boxes, axis);
        if (lengths.size() == 1) continue;
        size_t begin = 0;
        for (const size_t length : lengths) {
            check_disjoint(name, boxes.subspan(begin, length));
            begin += length;
        }
        return;
    }
    check_pairs(name, boxes);
}

void check_ranges(const std::string& name, const SliceIndex::Group& group) {
    int64_t next = 0;
    for (const SliceIndex::Part& part : group.parts) {
        if (part.first < next) {
            throw DataError(format("tensor {}: two slices of {} overlap from element {} on", name,
                                   describe(group.box), part.first));
        }
        if (part.first > next) break;
        next = part.first + part.count;
    }
    if (next < group.box.num_elements()) {
        throw DataError(format("tensor {}: elements from {} on of slice {} are missing", name, next,
                               describe(group.box)));
    }
}

}  // namespace

SliceIndex::SliceIndex(std::span<const Slice> slices) {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < slices.size(); ++i) {
        if (slices[i].count > 0) order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return std::tie(slices[a], a) < std::tie(slices[b], b);
    });
    for (const uint32_t number : order) {
        const Slice& slice = slices[number];
        if (groups_.empty() || groups_.back().box != slice.box) groups_.push_back({slice.box, {}});
        groups_.back().parts.push_back({slice.first, slice.count, number});
    }
    axis_ = best_axis(groups_);
    std::stable_sort(groups_.begin(), groups_.end(), [&](const Group& a, const Group& b) {
        return begin_of(a.box, axis_) < begin_of(b.box, axis_);
    });
    int64_t highest = 0;
    for (const Group& group : groups_) {
        highest = std::max(highest, end_of(group.box, axis_));
        highest_end_.push_back(highest);
    }
}

void SliceIndex::overlapping(const Slice& wanted,
                             const std::function<void(uint32_t)>& visit) const {
    if (wanted.count == 0) return;
    const int64_t begin = begin_of(wanted.box, axis_);
    const int64_t end = end_of(wanted.box, axis_);
    // highest_end_ grows: no group before this one can reach `begin`.
    size_t i = static_cast<size_t>(
        std::upper_bound(highest_end_.begin(), highest_end_.end(), begin) - highest_end_.begin());
    for (; i < groups_.size() && begin_of(groups_[i].box, axis_) < end; ++i) {
        const Group& group = groups_[i];
        const Range hull = tensor::positions_of(wanted, group.box);
        if (hull.count == 0) continue;
        auto part =
            std::partition_point(group.parts.begin(), group.parts.end(),
                                 [&](const Part& p) { return p.first + p.count <= hull.first; });
        for (; part != group.parts.end() && part->first < hull.first + hull.count; ++part) {
            visit(part->number);
        }
    }
}

void check_cover(const std::string& name, const tensor::Shape& shape, const SliceIndex& index) {
    int64_t covered = 0;
    std::vector<const Box*> boxes;
    for (const SliceIndex::Group& group : index.groups()) {
        check_ranges(name, group);
        covered += group.box.num_elements();
        boxes.push_back(&group.box);
    }
    check_disjoint(name, boxes);
    const int64_t wanted = tensor::num_elements(shape);
    if (covered != wanted) {
        throw DataError(format("tensor {}: slices hold {} of {} elements", name, covered, wanted));
    }
}

}  // namespace longhaul::ckpt

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tensor/box.h"

#include <algorithm>
#include <utility>

#include "lib/base/check.h"

namespace longhaul::tensor {
namespace {

/// Row-major position inside a box of the element at global index `index`.
int64_t position_in(const Box& box, const std::vector<int64_t>& index) {
    int64_t position = 0;
    for (size_t d = 0; d < index.size(); ++d) {
        position = position * box.extent[d] + (index[d] - box.offset[d]);
    }
    return position;
}

/// The common elements of two boxes, numbered in row-major order. They come in rows: the longest
/// stretches contiguous in both boxes. A higher number is a higher position in either box, so a
/// range of positions in one box is a range of numbers, found by bisection.
class Common {
 public:
    Common(Box common, const Box& a, const Box& b) : common_(std::move(common)), a_(a), b_(b) {
        split_ = common_.extent.size();
        while (split_ > 0) {  // a dimension joins the row while all inner ones are whole in both
            --split_;
            length_ *= common_.extent[split_];
            const bool whole = common_.extent[split_] == a.extent[split_] &&
                               common_.extent[split_] == b.extent[split_];
            if (!whole) break;
        }
        for (size_t d = 0; d < split_; ++d) num_rows_ *= common_.extent[d];
        index_ = common_.offset;
    }

    int64_t row_length() const { return length_; }

    /// Positions in both boxes of the first element of a row.
    std::pair<int64_t, int64_t> row_start(int64_t row) {
        for (size_t d = split_; d-- > 0;) {
            index_[d] = common_.offset[d] + row % common_.extent[d];
            row /= common_.extent[d];
        }
        return {position_in(a_, index_), position_in(b_, index_)};
    }

    /// How many common elements lie before `position` of the first (or the second) box.
    int64_t num_before(int64_t position, bool in_second) {
        int64_t low = 0;
        int64_t high = num_rows_;
        while (low < high) {  // first row that ends behind `position`
            const int64_t middle = low + (high - low) / 2;
            const auto [first, second] = row_start(middle);
            if ((in_second ? second : first) + length_ <= position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == num_rows_) return num_rows_ * length_;
        const auto [first, second] = row_start(low);
        return low * length_ + std::max(int64_t{0}, position - (in_second ? second : first));
    }

    /// Numbers of the elements that both slices hold.
    Range numbers(const Slice& in_a, const Slice& in_b) {
        const int64_t begin = std::max(num_before(in_a.first, false), num_before(in_b.first, true));
        const int64_t end = std::min(num_before(in_a.first + in_a.count, false),
                                     num_before(in_b.first + in_b.count, true));
        return {begin, std::max(int64_t{0}, end - begin)};
    }

 private:
    Box common_;
    const Box& a_;
    const Box& b_;
    size_t split_ = 0;    // dimensions [0, split_) are counted, [split_, n) form the row
    int64_t length_ = 1;  // elements of a row
    int64_t num_rows_ = 1;
    std::vector<int64_t> index_;
};

}  // namespace

int64_t num_elements(const Shape& shape) {
    int64_t product = 1;
    for (const int64_t extent : shape) product *= extent;
    return product;
}

int64_t Box::num_elements() const {
    return tensor::num_elements(extent);
}

Box Box::whole(const Shape& shape) {
    return {std::vector<int64_t>(shape.size(), 0), shape};
}

std::optional<Box> intersect(const Box& a, const Box& b) {
    LH_CHECK(a.offset.size() == b.offset.size(), "boxes of rank {} and {}", a.offset.size(),
             b.offset.size());
    Box common;
    common.offset.resize(a.offset.size());
    common.extent.resize(a.offset.size());
    for (size_t d = 0; d < a.offset.size(); ++d) {
        const int64_t begin = std::max(a.offset[d], b.offset[d]);
        const int64_t end = std::min(a.offset[d] + a.extent[d], b.offset[d] + b.extent[d]);
        if (end <= begin) return std::nullopt;
        common.offset[d] = begin;
        common.extent[d] = end - begin;
    }
    return common;
}

void for_each_copy_run(const Slice& source, const Slice& destination,
                       const std::function<void(const CopyRun&)>& visit) {
    auto box = intersect(source.box, destination.box);
    if (!box) return;
    Common common(std::move(*box), source.box, destination.box);
    const Range numbers = common.numbers(source, destination);
    const int64_t end = numbers.first + numbers.count;
    const int64_t length = common.row_length();
    CopyRun pending{0, 0, 0};
    for (int64_t number = numbers.first; number < end;) {
        const auto [in_source, in_destination] = common.row_start(number / length);
        const int64_t skip = number % length;
        const CopyRun run{in_source + skip - source.first,
                          in_destination + skip - destination.first,
                          std::min(length - skip, end - number)};
        number += run.count;
        if (pending.source_index + pending.count == run.source_index &&
            pending.destination_index + pending.count == run.destination_index) {
            pending.count += run.count;
            continue;
        }
        if (pending.count > 0) visit(pending);
        pending = run;
    }
    if (pending.count > 0) visit(pending);
}

int64_t num_common(const Slice& a, const Slice& b) {
    auto box = intersect(a.box, b.box);
    if (!box) return 0;
    return Common(std::move(*box), a.box, b.box).numbers(a, b).count;
}

Range positions_of(const Slice& slice, const Box& box) {
    auto both = intersect(box, slice.box);
    if (!both) return {};
    Common common(std::move(*both), box, slice.box);
    const Range numbers = common.numbers(Slice::whole(box), slice);
    if (numbers.count == 0) return {};
    const int64_t length = common.row_length();
    const int64_t last = numbers.first + numbers.count - 1;
    const int64_t begin = common.row_start(numbers.first / length).first + numbers.first % length;
    const int64_t end = common.row_start(last / length).first + last % length + 1;
    return {begin, end - begin};
}

std::vector<CopyRun> copy_runs(const Slice& source, const Slice& destination) {
    std::vector<CopyRun> runs;
    for_each_copy_run(source, destination, [&](const CopyRun& run) { runs.push_back(run); });
    return runs;
}

Range split_evenly(int64_t total, int64_t parts, int64_t index) {
    LH_CHECK(total >= 0 && parts > 0 && index >= 0 && index < parts, "part {} of {} of {}", index,
             parts, total);
    const int64_t base = total / parts;
    const int64_t longer = total % parts;
    return {index * base + std::min(index, longer), base + (index < longer ? 1 : 0)};
}

}  // namespace longhaul::tensor

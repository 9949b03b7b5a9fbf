// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Named axes over the ranks of a job, in two checked views: dense (pp, dp_replicate, dp_shard, cp,
// tp) and sparse for experts (pp, dp_replicate, expert_dp, ep). Pure arithmetic, no communication.
// TP is innermost (neighbouring ranks), PP outermost.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::mesh {

/// The first five are the dense view, outermost first; the last two replace dp_shard, cp and tp in
/// the sparse view.
enum class Axis : uint8_t { kPp, kDpReplicate, kDpShard, kCp, kTp, kExpertDp, kEp };
inline constexpr int kNumAxes = 7;
inline constexpr std::array<Axis, 5> kDenseAxes = {Axis::kPp, Axis::kDpReplicate, Axis::kDpShard,
                                                   Axis::kCp, Axis::kTp};
inline constexpr std::array<Axis, 4> kSparseAxes = {Axis::kPp, Axis::kDpReplicate, Axis::kExpertDp,
                                                    Axis::kEp};
std::string_view name_of(Axis axis);

/// A set of axes as bits.
class AxisSet {
 public:
    constexpr AxisSet() = default;
    constexpr AxisSet(std::initializer_list<Axis> axes) {
        for (const Axis axis : axes) insert(axis);
    }
    constexpr void insert(Axis axis) { bits_ |= 1u << static_cast<unsigned>(axis); }
    constexpr void erase(Axis axis) { bits_ &= ~(1u << static_cast<unsigned>(axis)); }
    constexpr bool contains(Axis axis) const {
        return (bits_ >> static_cast<unsigned>(axis) & 1u) != 0;
    }
    constexpr bool is_empty() const { return bits_ == 0; }
    constexpr auto operator<=>(const AxisSet&) const = default;
    /// "dp_replicate+dp_shard", or "none".
    std::string name() const;

 private:
    uint8_t bits_ = 0;
};

/// Sizes asked for in `[parallel]`; 0 = free. ep is part of dp_shard * cp * tp.
struct MeshSizes {
    int64_t tp = 1, pp = 1, cp = 1, ep = 1, dp_replicate = 1, dp_shard = 1;
};

/// A rank's position on every axis of both views.
using Coord = std::array<int, kNumAxes>;

class Mesh {
 public:
    /// Fills the free axis so that the product is `world_size`, and checks both views.
    /// @throws UsageError naming the sizes that do not fit.
    Mesh(MeshSizes sizes, int world_size);

    int world_size() const { return world_size_; }
    int size(Axis axis) const { return sizes_[static_cast<size_t>(axis)]; }
    /// Product of the sizes of `axes`.
    int size(AxisSet axes) const;
    /// Data-parallel degree: dp_replicate * dp_shard.
    int num_data_ranks() const { return size(Axis::kDpReplicate) * size(Axis::kDpShard); }

    Coord coord(int rank) const;
    /// Inverse of coord() for the dense view.
    int rank_at(const Coord& dense) const;
    /// The ranks that differ from `rank` in `axes` only (one view), in order; includes `rank`.
    std::vector<int> group(AxisSet axes, int rank) const;
    /// Index of `rank` within group(axes, rank).
    int index_in_group(AxisSet axes, int rank) const;

 private:
    void check_views() const;

    int world_size_;
    std::array<int, kNumAxes> sizes_;
    std::array<int, kNumAxes> strides_;
};

}  // namespace longhaul::mesh

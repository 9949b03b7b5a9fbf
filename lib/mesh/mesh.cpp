// SPDX-License-Identifier: BSD-3-Clause
#include "lib/mesh/mesh.h"

#include <algorithm>
#include <span>

#include "lib/base/check.h"
#include "lib/base/error.h"

namespace longhaul::mesh {

namespace {

constexpr std::array<std::string_view, kNumAxes> kNames = {"pp", "dp_replicate", "dp_shard", "cp",
                                                           "tp", "expert_dp",    "ep"};
constexpr size_t index_of(Axis axis) {
    return static_cast<size_t>(axis);
}

struct NamedSize {
    const char* name;
    int64_t* value;
};

/// Gives the one free (0) size what is left of the world.
void fill_free_size(MeshSizes& sizes, int world_size) {
    const NamedSize named[] = {{"tp", &sizes.tp},
                               {"pp", &sizes.pp},
                               {"cp", &sizes.cp},
                               {"dp_replicate", &sizes.dp_replicate},
                               {"dp_shard", &sizes.dp_shard}};
    int64_t product = 1;
    const NamedSize* free_size = nullptr;
    std::string text;
    for (const NamedSize& size : named) {
        if (*size.value < 0 || *size.value > world_size) {
            throw UsageError(format("parallel.{} = {} does not fit {} ranks", size.name,
                                    *size.value, world_size));
        }
        if (*size.value == 0) {
            if (free_size != nullptr) {
                throw UsageError(format("parallel.{} and parallel.{} are both free (0): give one",
                                        free_size->name, size.name));
            }
            free_size = &size;
            continue;
        }
        product *= *size.value;
        text += format("{}{}={}", text.empty() ? "" : " ", size.name, *size.value);
    }
    if (free_size != nullptr && world_size % product == 0) {
        *free_size->value = world_size / product;
        return;
    }
    if (free_size == nullptr && product == world_size) return;
    throw UsageError(format("{} ranks {} {}: their product is {}", world_size,
                            free_size != nullptr ? "cannot be divided by" : "are not", text,
                            product));
}

}  // namespace

std::string_view name_of(Axis axis) {
    return kNames[index_of(axis)];
}

std::string AxisSet::name() const {
    std::string text;
    for (int i = 0; i < kNumAxes; ++i) {
        const auto axis = static_cast<Axis>(i);
        if (contains(axis)) text += format("{}{}", text.empty() ? "" : "+", name_of(axis));
    }
    return text.empty() ? "none" : text;
}

Mesh::Mesh(MeshSizes sizes, int world_size) : world_size_(world_size) {
    LH_CHECK(world_size >= 1, "a mesh of {} ranks", world_size);
    fill_free_size(sizes, world_size);
    const int64_t inner = sizes.dp_shard * sizes.cp * sizes.tp;
    if (sizes.ep < 1 || inner % sizes.ep != 0) {
        throw UsageError(
            format("parallel.ep = {} does not divide dp_shard * cp * tp = {}", sizes.ep, inner));
    }
    const int64_t by_axis[kNumAxes] = {sizes.pp, sizes.dp_replicate, sizes.dp_shard, sizes.cp,
                                       sizes.tp, inner / sizes.ep,   sizes.ep};
    for (size_t i = 0; i < kNumAxes; ++i) sizes_[i] = static_cast<int>(by_axis[i]);
    const auto set_strides = [this](std::span<const Axis> view) {
        int stride = 1;
        for (auto axis = view.rbegin(); axis != view.rend(); ++axis) {
            strides_[index_of(*axis)] = stride;
            stride *= size(*axis);
        }
    };
    set_strides(kSparseAxes);
    set_strides(kDenseAxes);
    check_views();
}

/// The axes that both views share must enumerate the same groups of ranks.
void Mesh::check_views() const {
    int sparse_inner = size(Axis::kExpertDp) * size(Axis::kEp);
    int dense_inner = size(Axis::kDpShard) * size(Axis::kCp) * size(Axis::kTp);
    LH_CHECK(sparse_inner == dense_inner, "the sparse view covers {} ranks, the dense one {}",
             sparse_inner, dense_inner);
    LH_CHECK(strides_[index_of(Axis::kDpReplicate)] == sparse_inner,
             "dp_replicate has stride {} in the dense view, {} in the sparse one",
             strides_[index_of(Axis::kDpReplicate)], sparse_inner);
}

int Mesh::size(AxisSet axes) const {
    int product = 1;
    for (int i = 0; i < kNumAxes; ++i) {
        const auto axis = static_cast<Axis>(i);
        if (axes.contains(axis)) product *= size(axis);
    }
    return product;
}

Coord Mesh::coord(int rank) const {
    LH_CHECK(rank >= 0 && rank < world_size_, "rank {} of {}", rank, world_size_);
    Coord coord{};
    for (size_t i = 0; i < kNumAxes; ++i) coord[i] = rank / strides_[i] % sizes_[i];
    return coord;
}

int Mesh::rank_at(const Coord& dense) const {
    int rank = 0;
    for (const Axis axis : kDenseAxes) rank += dense[index_of(axis)] * strides_[index_of(axis)];
    return rank;
}

std::vector<int> Mesh::group(AxisSet axes, int rank) const {
    // Ranks of one view that agree with `rank` on every axis outside the set.
    const bool is_sparse = axes.contains(Axis::kExpertDp) || axes.contains(Axis::kEp);
    const bool is_dense =
        axes.contains(Axis::kDpShard) || axes.contains(Axis::kCp) || axes.contains(Axis::kTp);
    LH_CHECK(!(is_sparse && is_dense), "axes {} are of two views", axes.name());
    std::vector<int> members = {rank};
    // Outermost first, so that the members come out ascending.
    const auto spread = [&](std::span<const Axis> view) {
        for (const Axis axis : view) {
            if (!axes.contains(axis)) continue;
            std::vector<int> wider;
            const int stride = strides_[index_of(axis)];
            for (const int member : members) {
                const int first = member - coord(member)[index_of(axis)] * stride;
                for (int i = 0; i < size(axis); ++i) wider.push_back(first + i * stride);
            }
            members = std::move(wider);
        }
    };
    if (is_sparse) {
        spread(kSparseAxes);
    } else {
        spread(kDenseAxes);
    }
    return members;
}

int Mesh::index_in_group(AxisSet axes, int rank) const {
    const std::vector<int> members = group(axes, rank);
    return static_cast<int>(std::find(members.begin(), members.end(), rank) - members.begin());
}

}  // namespace longhaul::mesh

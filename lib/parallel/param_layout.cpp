// SPDX-License-Identifier: BSD-3-Clause
#include "lib/parallel/param_layout.h"

#include <algorithm>

#include "lib/base/check.h"

namespace longhaul::parallel {

namespace {

using mesh::Axis;
using Kind = Placement::Kind;

const Placement& placement(const ParamSpec& spec, Axis axis) {
    return spec.place[static_cast<size_t>(axis)];
}

int coordinate(const mesh::Mesh& mesh, int rank, Axis axis) {
    return mesh.coord(rank)[static_cast<size_t>(axis)];
}

Axis axis_at(int index) {
    return static_cast<Axis>(index);
}

bool is_held(const ParamSpec& spec, const mesh::Mesh& mesh, int rank) {
    for (int i = 0; i < mesh::kNumAxes; ++i) {
        const Placement& place = placement(spec, axis_at(i));
        if (place.kind == Kind::kOwned && coordinate(mesh, rank, axis_at(i)) != place.owner) {
            return false;
        }
    }
    return true;
}

/// Splits `box` along every sharded axis, outer axes first.
tensor::Box shard_box(tensor::Box box, const ParamSpec& spec, const mesh::Mesh& mesh, int rank) {
    for (int i = 0; i < mesh::kNumAxes; ++i) {
        const Placement& place = placement(spec, axis_at(i));
        if (place.kind != Kind::kShard) continue;
        const auto dim = static_cast<size_t>(place.dim);
        const tensor::Range range = tensor::split_evenly(box.extent[dim], mesh.size(axis_at(i)),
                                                         coordinate(mesh, rank, axis_at(i)));
        box.offset[dim] += range.first;
        box.extent[dim] = range.count;
    }
    return box;
}

}  // namespace

void check_spec(const ParamSpec& spec) {
    LH_CHECK(!spec.name.empty(), "a weight without a name");
    LH_CHECK(!spec.shape.empty(), "{}: a weight without dimensions", spec.name);
    for (const int64_t extent : spec.shape) LH_CHECK(extent > 0, "{}: empty dimension", spec.name);
    for (const Placement& place : spec.place) {
        if (place.kind != Kind::kShard) continue;
        LH_CHECK(place.dim >= 0 && place.dim < static_cast<int>(spec.shape.size()),
                 "{}: sharded along dimension {} of {}", spec.name, place.dim, spec.shape.size());
    }
    if (spec.parts.empty()) {
        LH_CHECK(!spec.hf_name.empty(), "{}: no checkpoint name", spec.name);
        return;
    }
    int64_t rows = 0;
    for (const HfPart& part : spec.parts) rows += part.rows;
    LH_CHECK(rows == spec.shape[0], "{}: parts of {} rows, but it has {}", spec.name, rows,
             spec.shape[0]);
}

std::vector<LocalPart> local_parts(const ParamSpec& spec, const mesh::Mesh& mesh, int rank) {
    std::vector<LocalPart> parts;
    if (!is_held(spec, mesh, rank)) return parts;
    const auto add = [&](const std::string& hf_name, int64_t rows) {
        LocalPart part;
        part.hf_name = hf_name;
        part.shape = spec.shape;
        part.shape[0] = rows;
        part.box = shard_box(tensor::Box::whole(part.shape), spec, mesh, rank);
        if (!parts.empty()) {
            part.storage_first = parts.back().storage_first + parts.back().box.num_elements();
        }
        parts.push_back(std::move(part));
    };
    if (spec.parts.empty()) {
        add(spec.hf_name, spec.shape[0]);
    } else {
        for (const HfPart& part : spec.parts) add(part.hf_name, part.rows);
    }
    return parts;
}

int64_t local_count(const ParamSpec& spec, const mesh::Mesh& mesh, int rank) {
    int64_t count = 0;
    for (const LocalPart& part : local_parts(spec, mesh, rank)) count += part.box.num_elements();
    return count;
}

std::vector<StorageSlice> storage_slices(const ParamSpec& spec, const mesh::Mesh& mesh, int rank,
                                         tensor::Range range) {
    std::vector<StorageSlice> slices;
    for (const LocalPart& part : local_parts(spec, mesh, rank)) {
        const int64_t end = part.storage_first + part.box.num_elements();
        const int64_t first = std::max(range.first, part.storage_first);
        const int64_t last = std::min(range.first + range.count, end);
        if (first >= last) continue;
        slices.push_back({part.hf_name,
                          part.shape,
                          {part.box, first - part.storage_first, last - first},
                          first});
    }
    return slices;
}

mesh::AxisSet grad_axes(const ParamSpec& spec, mesh::AxisSet varying) {
    mesh::AxisSet axes;
    for (int i = 0; i < mesh::kNumAxes; ++i) {
        const bool is_replica = placement(spec, axis_at(i)).kind == Kind::kReplicate;
        if (is_replica && varying.contains(axis_at(i))) axes.insert(axis_at(i));
    }
    return axes;
}

mesh::AxisSet varying_axes(bool sequence_parallel) {
    mesh::AxisSet axes = {Axis::kDpReplicate, Axis::kDpShard, Axis::kCp};
    if (sequence_parallel) axes.insert(Axis::kTp);
    return axes;
}

double norm_weight(const ParamSpec& spec, const mesh::Mesh& mesh, int rank, mesh::AxisSet split) {
    if (!spec.tie.empty() || !is_held(spec, mesh, rank)) return 0;
    for (const Axis axis : mesh::kDenseAxes) {
        if (split.contains(axis)) continue;
        const bool is_replica = placement(spec, axis).kind == Kind::kReplicate;
        if (is_replica && coordinate(mesh, rank, axis) != 0) return 0;
    }
    return 1;
}

}  // namespace longhaul::parallel

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/parallel/region_op.h"

#include "lib/base/check.h"
#include "lib/parallel/param_layout.h"

namespace longhaul::parallel {

namespace {

using mesh::Axis;
using mesh::AxisSet;
using Kind = TypedStep::Kind;

/// What check() knows on its way: the activation's types and the sums each weight needs.
class Walk {
 public:
    Walk(const std::vector<ParamSpec>& specs, const mesh::Mesh& mesh, LocalTypes input)
        : specs_(specs), mesh_(mesh), value_(input), needed_(specs.size()) {}

    /// @return what is wrong with the step, or "".
    std::string take(const TypedStep& step) {
        for (const Axis axis : mesh::kDenseAxes) {
            if (mesh_.size(axis) == 1) continue;
            if (step.kind == Kind::kRegion && step.axis != axis) continue;
            const std::string problem = take(step, axis);
            if (!problem.empty()) {
                return format("{}: along {}: {}", step.where, mesh::name_of(axis), problem);
            }
        }
        return "";
    }

    const AxisSet& needed(size_t param) const { return needed_[param]; }

 private:
    std::string take(const TypedStep& step, Axis axis) {
        Local& value = value_[static_cast<size_t>(axis)];
        switch (step.kind) {
            case Kind::kRegion: {
                const RegionRule& rule = rule_of(step.op);
                if (value != rule.from) {
                    return format("{} takes a {} value, but it is {}", rule.name,
                                  name_of(rule.from), name_of(value));
                }
                value = rule.to;
                return "";
            }
            case Kind::kLocal:
                if (value != Local::kPartial) return "";
                return "a partial value enters an op that is not linear: sum it first";
            case Kind::kLinear:
                return use_weight(step, axis, value);
        }
        return "";
    }

    std::string use_weight(const TypedStep& step, Axis axis, Local& value) {
        const auto param = static_cast<size_t>(step.param);
        const Placement& place = specs_[param].place[static_cast<size_t>(axis)];
        if (place.kind != Placement::Kind::kShard) {
            // The same weight on all ranks: its gradient is partial unless all of them do the same.
            if (value != Local::kInvariant) needed_[param].insert(axis);
            return "";
        }
        if (step.contracts_shard) {
            if (value != Local::kVarying) {
                return format(
                    "a weight sharded along its contracted dimension takes a varying "
                    "value, but it is {}",
                    name_of(value));
            }
            value = Local::kPartial;
            return "";
        }
        if (value != Local::kReplicated) {
            return format(
                "a sharded weight takes a replicated value, but it is {}: its gradient "
                "would stay unsummed",
                name_of(value));
        }
        value = Local::kVarying;
        return "";
    }

    const std::vector<ParamSpec>& specs_;
    const mesh::Mesh& mesh_;
    LocalTypes value_;
    std::vector<AxisSet> needed_;
};

}  // namespace

const char* name_of(Local local) {
    switch (local) {
        case Local::kReplicated:
            return "replicated";
        case Local::kInvariant:
            return "invariant";
        case Local::kVarying:
            return "varying";
        case Local::kPartial:
            return "partial";
    }
    return "unknown";
}

Local dual(Local local) {
    switch (local) {
        case Local::kReplicated:
            return Local::kPartial;
        case Local::kPartial:
            return Local::kReplicated;
        default:
            return local;
    }
}

const std::array<RegionRule, 6>& region_rules() {
    static const std::array<RegionRule, 6> kRules = {{
        {RegionOp::kConvert, "convert", Local::kInvariant, Local::kReplicated, "all_reduce"},
        {RegionOp::kAllReduce, "all_reduce", Local::kPartial, Local::kInvariant, "none"},
        {RegionOp::kReduceScatter, "reduce_scatter", Local::kPartial, Local::kVarying,
         "all_gather"},
        {RegionOp::kAllGather, "all_gather", Local::kVarying, Local::kReplicated, "reduce_scatter"},
        {RegionOp::kGatherSame, "gather_same", Local::kVarying, Local::kInvariant, "slice"},
        {RegionOp::kAllToAll, "all_to_all", Local::kVarying, Local::kVarying, "all_to_all"},
    }};
    return kRules;
}

const RegionRule& rule_of(RegionOp op) {
    return region_rules()[static_cast<size_t>(op)];
}

std::string check(const std::vector<TypedStep>& steps, const std::vector<ParamSpec>& specs,
                  const mesh::Mesh& mesh, LocalTypes input, AxisSet varying) {
    Walk walk(specs, mesh, input);
    for (const TypedStep& step : steps) {
        LH_CHECK(step.kind != Kind::kLinear ||
                     (step.param >= 0 && step.param < static_cast<int>(specs.size())),
                 "{}: weight {} does not exist", step.where, step.param);
        const std::string problem = walk.take(step);
        if (!problem.empty()) return problem;
    }
    for (size_t i = 0; i < specs.size(); ++i) {
        AxisSet summed;
        const AxisSet derived = grad_axes(specs[i], varying);
        for (const Axis axis : mesh::kDenseAxes) {
            if (derived.contains(axis) && mesh.size(axis) > 1) summed.insert(axis);
        }
        if (summed == walk.needed(i)) continue;
        return format("{}: its gradient is partial along {}, but it is summed over {}",
                      specs[i].name, walk.needed(i).name(), summed.name());
    }
    return "";
}

LocalTypes input_types() {
    LocalTypes types;
    types.fill(Local::kInvariant);
    for (const Axis axis : {Axis::kDpReplicate, Axis::kDpShard, Axis::kCp, Axis::kExpertDp}) {
        types[static_cast<size_t>(axis)] = Local::kVarying;
    }
    return types;
}

std::vector<TypedStep> plain_steps(const std::vector<ParamSpec>& specs) {
    std::vector<TypedStep> steps;
    for (size_t i = 0; i < specs.size(); ++i) {
        TypedStep step;
        step.kind = Kind::kLinear;
        step.where = specs[i].name;
        step.param = static_cast<int>(i);
        steps.push_back(std::move(step));
    }
    return steps;
}

}  // namespace longhaul::parallel

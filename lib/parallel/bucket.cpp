// SPDX-License-Identifier: BSD-3-Clause
#include "lib/parallel/bucket.h"

#include <algorithm>
#include <cstring>

#include "lib/base/check.h"

namespace longhaul::parallel {

namespace {

using tensor::Buffer;
using tensor::MemoryClass;

FlatLayout make_layout(const BucketContext& context, const std::vector<int>& params) {
    std::vector<int64_t> counts;
    for (const int param : params) {
        counts.push_back(
            local_count(context.specs[static_cast<size_t>(param)], *context.mesh, context.rank));
    }
    return FlatLayout(params, counts, context.groups.shard->size());
}

}  // namespace

BucketPolicy BucketPolicy::from_zero(int64_t zero) {
    if (zero < 0 || zero > 3)
        throw UsageError(format("parallel.zero = {} is none of 0 to 3", zero));
    return {zero >= 3, zero >= 2, zero >= 1};
}

void check_supported(const BucketPolicy& policy) {
    if (!policy.shard_gradient && !policy.shard_parameter) return;
    throw UsageError(
        format("parallel.zero = {} (sharded {}) is planned (--dry-run shows its memory) "
               "but cannot run yet; use zero = 1",
               policy.shard_parameter ? 3 : 2, policy.shard_parameter ? "weights" : "gradients"));
}

Precision Precision::of(tensor::DType compute) {
    const bool is_double = compute == tensor::DType::kF64;
    return {compute, is_double ? tensor::DType::kF64 : tensor::DType::kF32};
}

Bucket::Bucket(const BucketContext& context, int block, std::vector<int> params,
               tensor::Alloc& alloc)
    : context_(context), block_(block), layout_(make_layout(context, params)) {
    const BucketPolicy& policy = context.policy;
    const tensor::Range shard = layout_.shard(context.groups.shard->rank());
    owned_ = policy.shard_optimizer ? shard : layout_.whole();
    const auto name = [&](const char* what) { return format("block {} {}", block, what); };
    weights_ =
        alloc.get(MemoryClass::kParameter, policy.shard_parameter ? shard.count : layout_.size(),
                  context.precision.compute, name("weights"));
    if (!context.has_gradients) return;
    const tensor::DType state = context.precision.state;
    gradients_ =
        alloc.get(MemoryClass::kGradient, policy.shard_gradient ? shard.count : layout_.size(),
                  state, name("gradients"));
    if (context.precision.has_master()) {
        master_ = alloc.get(MemoryClass::kMaster, owned_.count, state, name("master"));
    }
    m_ = alloc.get(MemoryClass::kMoment, owned_.count, state, name("m"));
    v_ = alloc.get(MemoryClass::kMoment, owned_.count, state, name("v"));
}

Buffer Bucket::part_of(const Buffer& flat, int param) const {
    for (const FlatEntry& entry : layout_.entries()) {
        if (entry.param == param) return flat.part(entry.first, entry.count);
    }
    LH_CHECK(false, "weight {} is not in the bucket of block {}", param, block_);
    return {};
}

Buffer Bucket::owned_weight() const {
    return weights_.part(owned_.first, owned_.count);
}

Buffer Bucket::owned_gradient() const {
    return gradients_.part(owned_.first, owned_.count);
}

Buffer Bucket::state(StateKind kind) const {
    switch (kind) {
        case StateKind::kMaster:
            return context_.precision.has_master() ? master_ : owned_weight();
        case StateKind::kM:
            return m_;
        case StateKind::kV:
            return v_;
    }
    return {};
}

void Bucket::zero_gradients() {
    if (gradients_.data != nullptr) std::memset(gradients_.data, 0, gradients_.size_bytes());
}

void Bucket::start_reduce(int64_t step) {
    const comm::Tag tag{step, block_, "gradients"};
    comm::Comm& shard = *context_.groups.shard;
    if (shard.size() == 1) return;
    reduce_ = context_.policy.shard_optimizer
                  ? shard.start_reduce_scatter(gradients_, owned_gradient(), comm::Op::kSum, tag)
                  : shard.start_all_reduce(gradients_, comm::Op::kSum, tag);
}

void Bucket::finish_reduce(int64_t step) {
    const comm::Tag tag{step, block_, "gradients"};
    if (context_.groups.shard->size() > 1) context_.groups.shard->wait(reduce_);
    comm::Comm& replica = *context_.groups.replica;
    if (replica.size() > 1) replica.all_reduce(owned_gradient(), comm::Op::kSum, tag);
}

void Bucket::start_gather(int64_t step) {
    if (!context_.policy.shard_optimizer || context_.groups.shard->size() == 1) return;
    gather_ = context_.groups.shard->start_all_gather(owned_weight(), weights_,
                                                      {step, block_, "weights"});
}

void Bucket::finish_gather() {
    if (!context_.policy.shard_optimizer || context_.groups.shard->size() == 1) return;
    context_.groups.shard->wait(gather_);
}

void Bucket::for_each_state(const StateVisitor& visit) const {
    for (const FlatPiece& piece : layout_.pieces(owned_)) {
        const ParamSpec& spec = context_.specs[static_cast<size_t>(piece.param)];
        for (const StorageSlice& slice : storage_slices(spec, *context_.mesh, context_.rank,
                                                        {piece.param_first, piece.count})) {
            const int64_t first =
                piece.bucket_first - owned_.first + (slice.storage_first - piece.param_first);
            for (const StateKind kind : {StateKind::kMaster, StateKind::kM, StateKind::kV}) {
                visit(kind, slice, state(kind).part(first, slice.slice.count));
            }
        }
    }
}

ParamStore::ParamStore(const BucketContext& context, tensor::Alloc& alloc) : context_(context) {
    int last_block = 0;
    for (const ParamSpec& spec : context.specs) last_block = std::max(last_block, spec.block);
    for (int block = 0; block <= last_block; ++block) {
        std::vector<int> params;
        for (size_t i = 0; i < context.specs.size(); ++i) {
            const ParamSpec& spec = context.specs[i];
            if (spec.block == block && spec.tie.empty()) params.push_back(static_cast<int>(i));
        }
        if (!params.empty()) buckets_.emplace_back(context_, block, std::move(params), alloc);
    }
    reserve_gathered(alloc);
}

/// Sharded weights and gradients pass through whole blocks: the one in use and the next.
void ParamStore::reserve_gathered(tensor::Alloc& alloc) const {
    constexpr int64_t kInUse = 2;
    int64_t largest = 0;
    for (const Bucket& bucket : buckets_) largest = std::max(largest, bucket.layout().size());
    if (context_.policy.shard_parameter) {
        alloc.get(MemoryClass::kParameter, kInUse * largest, context_.precision.compute,
                  "gathered weights");
    }
    if (context_.policy.shard_gradient && context_.has_gradients) {
        alloc.get(MemoryClass::kGradient, kInUse * largest, context_.precision.state,
                  "whole gradients");
    }
}

int ParamStore::storage_of(int param) const {
    const std::string& tie = context_.specs[static_cast<size_t>(param)].tie;
    if (tie.empty()) return param;
    for (size_t i = 0; i < context_.specs.size(); ++i) {
        if (context_.specs[i].name == tie) return static_cast<int>(i);
    }
    LH_CHECK(false, "{} is tied to {}, which does not exist",
             context_.specs[static_cast<size_t>(param)].name, tie);
    return -1;
}

const Bucket& ParamStore::bucket_of(int param) const {
    const int block = context_.specs[static_cast<size_t>(param)].block;
    for (const Bucket& bucket : buckets_) {
        if (bucket.block() == block) return bucket;
    }
    LH_CHECK(false, "no bucket of block {}", block);
    return buckets_.front();
}

Bucket& ParamStore::bucket_of_block(int block) {
    for (Bucket& bucket : buckets_) {
        if (bucket.block() == block) return bucket;
    }
    LH_CHECK(false, "no bucket of block {}", block);
    return buckets_.front();
}

Buffer ParamStore::weight(int param) const {
    const int storage = storage_of(param);
    return bucket_of(storage).weight(storage);
}

Buffer ParamStore::gradient(int param) const {
    const int storage = storage_of(param);
    return bucket_of(storage).gradient(storage);
}

}  // namespace longhaul::parallel

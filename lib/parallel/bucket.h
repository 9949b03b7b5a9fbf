// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Bucket = ZeRO: the weights of one block in flat buffers, with a policy that says which of
// weights, gradients and optimizer state are held whole or as this rank's shard. Results do not
// depend on it: sums run in rank order element by element, whichever rank forms them.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/comm/comm.h"
#include "lib/parallel/flat_layout.h"
#include "lib/parallel/param_layout.h"
#include "lib/tensor/alloc.h"

namespace longhaul::parallel {

struct BucketPolicy {
    bool shard_parameter = false, shard_gradient = false, shard_optimizer = false;

    auto operator<=>(const BucketPolicy&) const = default;
    /// 0: all whole; 1: optimizer sharded; 2: gradients too; 3: weights too.
    /// @throws UsageError for other numbers.
    static BucketPolicy from_zero(int64_t zero);
};
/// @throws UsageError for policies that the bucket cannot run yet (ZeRO-2 and ZeRO-3), naming them.
void check_supported(const BucketPolicy& policy);

/// Element types. f32 and f64: one type for all; bf16: f32 gradients, masters and moments.
struct Precision {
    tensor::DType compute = tensor::DType::kF32;
    tensor::DType state = tensor::DType::kF32;  // gradients, masters, m, v

    bool has_master() const { return compute != state; }
    static Precision of(tensor::DType compute);
};

/// The groups that a bucket sums over. Both may be groups of one.
struct DataGroups {
    comm::Comm* shard = nullptr;    // dp_shard
    comm::Comm* replica = nullptr;  // dp_replicate
};

/// What the optimizer holds of a weight.
enum class StateKind : uint8_t { kMaster, kM, kV };

/// All that a bucket needs to know about the model and the rank.
struct BucketContext {
    std::span<const ParamSpec> specs;
    const mesh::Mesh* mesh = nullptr;
    int rank = 0;
    Precision precision;
    BucketPolicy policy;
    DataGroups groups;
    bool has_gradients = true;  // false: inference, weights only
};

class Bucket {
 public:
    /// @param block for messages and tags. @param params indices of its specs.
    Bucket(const BucketContext& context, int block, std::vector<int> params, tensor::Alloc& alloc);

    int block() const { return block_; }
    const FlatLayout& layout() const { return layout_; }
    /// The whole local weight and gradient of spec `param`.
    tensor::Buffer weight(int param) const { return part_of(weights_, param); }
    tensor::Buffer gradient(int param) const { return part_of(gradients_, param); }

    /// The elements that this rank updates: all, or its shard.
    tensor::Range owned() const { return owned_; }
    /// Flat state over owned(). The master of an f32 or f64 model is its weight itself.
    tensor::Buffer state(StateKind kind) const;
    tensor::Buffer owned_gradient() const;
    tensor::Buffer owned_weight() const;

    void zero_gradients();
    /// Sums gradients over the data ranks; on return of finish the owned range is final.
    void start_reduce(int64_t step);
    void finish_reduce(int64_t step);
    /// After an update: fetches the other ranks' shards of the weights.
    void start_gather(int64_t step);
    void finish_gather();

    /// Calls visit for every checkpoint slice of the state that this rank holds.
    using StateVisitor = std::function<void(StateKind, const StorageSlice&, tensor::Buffer)>;
    void for_each_state(const StateVisitor& visit) const;

 private:
    tensor::Buffer part_of(const tensor::Buffer& flat, int param) const;

    BucketContext context_;
    int block_;
    FlatLayout layout_;
    tensor::Range owned_;
    tensor::Buffer weights_, gradients_, master_, m_, v_;
    comm::Handle reduce_, gather_;
};

/// All buckets of a model on one rank: one per block.
class ParamStore {
 public:
    ParamStore(const BucketContext& context, tensor::Alloc& alloc);

    std::vector<Bucket>& buckets() { return buckets_; }
    const std::vector<Bucket>& buckets() const { return buckets_; }
    /// Weight and gradient of spec `param`; a tied one's are those of the spec it names.
    tensor::Buffer weight(int param) const;
    tensor::Buffer gradient(int param) const;
    Bucket& bucket_of_block(int block);
    std::span<const ParamSpec> specs() const { return context_.specs; }
    const BucketContext& context() const { return context_; }

 private:
    const Bucket& bucket_of(int param) const;
    int storage_of(int param) const;
    void reserve_gathered(tensor::Alloc& alloc) const;

    BucketContext context_;
    std::vector<Bucket> buckets_;
};

}  // namespace longhaul::parallel

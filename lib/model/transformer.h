// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A GPT-2 or Llama model that trains: hand-written forward, backward by inputs and by weights, no
// tape. All memory comes from one Alloc at construction; a step allocates nothing. It owns neither
// weights nor gradients (lib/parallel does) and knows no optimizer, no ranks and no files.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/stream.h"
#include "lib/model/config.h"
#include "lib/parallel/param_spec.h"
#include "lib/tensor/alloc.h"
#include "lib/tensor/dtype.h"

namespace longhaul::model {

/// All weights of the model in storage order, grouped by block: 0 the embeddings, 1..L the decoder
/// blocks, L+1 the final norm and head. Shapes and names are Hugging Face's: GPT-2 matrices are
/// (in, out), Llama's (out, in); Llama's q, k, v and gate, up are one spec with parts each. A tied
/// head has no spec: it is the token embedding.
/// @param compute dtype of the copy of the weights that computes.
std::vector<parallel::ParamSpec> param_specs(const ModelConfig& config,
                                             tensor::DType compute = tensor::DType::kF32);

/// What the backward pass computes again instead of keeping.
enum class Recompute : uint8_t {
    kNone,
    kSelective,  // outputs of norms and of the activation function: cheap, about a quarter of the
                 // memory
    kFull,       // everything but the input of each block: one more forward pass
};

struct TransformerOptions {
    int64_t micro_batch = 1;                      // sequences, at most, in one call
    int64_t seq_len = 0;                          // tokens per sequence, at most; 0: max_seq_len
    tensor::DType compute = tensor::DType::kF32;  // f32, f64 or bf16: weights and activations
    Recompute recompute = Recompute::kNone;
    bool training = true;             // false: no memory for a backward pass
    bool fixed_order_matmul = false;  // bits independent of threads; slower (f64 always is)
    int64_t head_chunk_tokens = 0;    // tokens whose logits exist at a time; 0: about 64 MiB
    int64_t cache_len = 0;            // > 0: memory to generate one sequence of so many tokens
};

/// The type of gradients, statistics and losses: f64 for f64, else f32.
tensor::DType accumulator_dtype(tensor::DType compute);

/// One micro-batch. The model predicts targets[i] from tokens up to i of its sequence. What the
/// pointers refer to must stay until the backward pass is done.
struct Batch {
    const int32_t* tokens = nullptr;   // (batch, seq_len), in [0, vocab_size)
    const int32_t* targets = nullptr;  // (batch, seq_len); -100: not counted
    int64_t batch = 0;
    int64_t seq_len = 0;
    /// (batch, seq_len), or null: for each token the position in its sequence at which its document
    /// begins, not decreasing. Tokens then see their own document only, and positions count from 0
    /// in each (the same as variable-length attention over cu_seqlens).
    const int32_t* document_begins = nullptr;
};

struct LossSums {
    double loss_sum = 0;  // natural logarithm, unscaled
    int64_t valid_tokens = 0;
};

/// Called when the gradients of one block are complete for this micro-batch.
using BlockDone = std::function<void(int block)>;

class Transformer {
 public:
    /// @param alloc a CountingAlloc to learn the sizes, then an ArenaAlloc: the same calls.
    Transformer(const ModelConfig& config, const TransformerOptions& options, tensor::Alloc& alloc);
    ~Transformer();
    Transformer(Transformer&&) noexcept;
    Transformer& operator=(Transformer&&) noexcept;

    const ModelConfig& config() const;
    const TransformerOptions& options() const;
    std::span<const parallel::ParamSpec> params() const;

    /// Sets where parameter `index` of params() lives. @param weight `compute` type, packed.
    /// @param gradient accumulator type, packed; empty for inference.
    void bind(int index, tensor::Buffer weight, tensor::Buffer gradient);

    /// Sum of the token losses; nothing is kept for a backward pass.
    LossSums forward(const Batch& batch);

    /// The same, keeping what backward() needs. The head's gradients are formed in this pass, chunk
    /// by chunk, so that logits are never whole.
    /// @param grad_scale 1 / (valid tokens of the global batch).
    LossSums forward_train(const Batch& batch, double grad_scale);

    /// ADDS the gradients of the last forward_train() to the bound buffers: head, blocks L..1,
    /// embedding; each block by inputs, then by weights.
    void backward(const BlockDone& on_block = {});

    /// The same in single steps, for pipeline schedules: in order block L..1, input before weight.
    void backward_input(int block);
    void backward_weight(int block);
    void backward_embedding();

    /// Logits of every position, (batch, seq_len, vocab_size) in the accumulator type: for tests,
    /// evaluation and export checks, not for training.
    void logits(const Batch& batch, std::span<double> out);

    /// Appends tokens to the cached sequence, in pieces of at most options().seq_len.
    /// @param out (vocab_size): logits after the last token. @throws UsageError when the sequence
    /// would outgrow cache_len.
    void extend(std::span<const int32_t> tokens, std::span<double> out);
    /// Tokens in the cache; extend() continues there.
    int64_t cached_tokens() const;
    /// Forgets all but the first `count` cached tokens.
    void truncate_cache(int64_t count);

 private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace longhaul::model

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/config.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/units.h"

namespace longhaul::train {

namespace {

void declare_job(config::Schema& schema, JobConfig& job) {
    schema.section("job", "the run as a whole");
    schema.add("job", "run", job.run, "run directory; empty: --run, $LONGHAUL_RUN, else \"run\"");
    schema.add("job", "steps", job.steps, "updates in all");
    schema.add("job", "seed", job.seed, "of initial weights, data order and rounding");
}

void declare_model(config::Schema& schema, ModelSection& model) {
    model::ModelConfig& shape = model.shape;
    schema.section("model", "the shape of the transformer");
    schema.add(
        "model", "family", model.family, {"gpt2", "llama"},
        "gpt2: LayerNorm, learned positions, GELU; llama: RMSNorm, rotary positions, SwiGLU");
    schema.add("model", "num_layers", shape.num_layers, "decoder blocks");
    schema.add("model", "hidden", shape.hidden, "width of the residual stream");
    schema.add("model", "num_heads", shape.num_heads, "query heads");
    schema.add("model", "num_kv_heads", shape.num_kv_heads, "key and value heads; 0: num_heads");
    schema.add("model", "head_dim", shape.head_dim, "0: hidden / num_heads");
    schema.add("model", "ffn_hidden", shape.ffn_hidden,
               "0: 4 * hidden (gpt2), 8/3 * hidden rounded up to 256 (llama)");
    schema.add("model", "vocab_size", model.vocab_size, "0: that of the data's tokenizer");
    schema.add("model", "max_seq_len", model.max_seq_len, "0: data.seq_len");
    schema.add("model", "norm_eps", shape.norm_eps, "epsilon of the norms");
    schema.add("model", "rope_theta", shape.rope_theta, "base of the rotary frequencies (llama)");
    schema.add("model", "rope_factor", shape.rope_scaling.factor,
               "Llama 3.1 stretching of low frequencies; 1: off");
    schema.add("model", "rope_low_freq_factor", shape.rope_scaling.low_freq_factor,
               "with rope_factor");
    schema.add("model", "rope_high_freq_factor", shape.rope_scaling.high_freq_factor,
               "with rope_factor");
    schema.add("model", "rope_original_seq_len", shape.rope_scaling.original_max_seq_len,
               "with rope_factor");
    schema.add("model", "tied_embedding", shape.tied_embedding, "the head is the token embedding");
    schema.add("model", "qkv_bias", shape.qkv_bias, "llama only (Qwen2)");
    schema.add("model", "qk_norm", shape.qk_norm, "llama only (Qwen3)");
    schema.add("model", "init_std", shape.init_std, "standard deviation of initial weights");
    schema.add("model", "init_from", model.init_from,
               "checkpoint whose weights a new run starts from; empty: random");
    schema.add("model", "recompute", model.recompute, {"none", "selective", "full"},
               "what the backward pass computes again instead of keeping");
}

void declare_data(config::Schema& schema, DataConfig& data) {
    schema.section("data", "token shards (tok-shard) and batches");
    schema.add("data", "train", data.train, "folders of token shards");
    schema.add("data", "weights", data.weights, "share of each folder; empty: equal");
    schema.add("data", "validation", data.validation, "folders for the validation loss");
    schema.add("data", "seq_len", data.seq_len, "tokens of a sequence");
    schema.add("data", "global_batch", data.global_batch, "sequences per update, over all ranks");
    schema.add("data", "micro_batch", data.micro_batch, "sequences at a time on a rank, at most");
    schema.add("data", "phase", data.phase,
               "raise it when a resumed run changes train, weights, seq_len or global_batch");
    schema.add("data", "skip", data.skip, "sample numbers never shown, as \"first-last\"");
    shards::SampleWords& samples = data.samples;
    schema.add("data", "order", samples.order, shards::order_names(),
               "which samples come when: all shuffled, as stored, by blocks, as Megatron-LM");
    schema.add("data", "order_block", samples.order_block,
               "order = \"block\": neighbouring samples that stay together");
    schema.add("data", "order_window", samples.order_window,
               "order = \"block\": blocks whose samples are shuffled into each other");
    schema.add("data", "order_samples", samples.order_samples,
               "order = \"megatron\": samples of the whole run; 0: job.steps * global_batch");
    schema.add("data", "packing", samples.packing, shards::packing_names(),
               "windows of the stream of tokens, or whole documents packed into samples");
    schema.add("data", "attention", samples.attention, shards::attention_names(),
               "to all tokens before, or to those of the same document, with positions from 0");
    schema.add("data", "mask_boundaries", samples.mask_boundaries,
               "no loss on the first token of a document");
    schema.add("data", "mask_ids", samples.mask_ids, "token ids without loss");
    schema.add("data", "loss_between", samples.loss_between,
               "two token ids: loss only after the first one, up to and with the second");
    schema.add("data", "prefetch", data.prefetch, "batches read ahead; 0: none");
    schema.add("data", "prefetch_threads", data.prefetch_threads, "threads of a rank that do it");
    schema.add("data", "cache_dir", data.cache_dir,
               "folder on the node's own disk for copies of the shards; empty: none");
    schema.add("data", "cache_size", data.cache_size,
               "limit of cache_dir, as \"500GiB\"; empty: 90 % of its disk");
    schema.add("data", "read_ahead", data.read_ahead,
               "order = \"block\": have whole windows of blocks read ahead on every node");
}

void declare_optimizer(config::Schema& schema, OptimConfig& optim, ScheduleConfig& schedule) {
    schema.section("optim", "AdamW");
    schema.add("optim", "beta1", optim.beta1, "decay of the first moment");
    schema.add("optim", "beta2", optim.beta2, "decay of the second moment");
    schema.add("optim", "epsilon", optim.epsilon, "added to the root of the second moment");
    schema.add("optim", "weight_decay", optim.weight_decay, "on matrices, not on norms and biases");
    schema.add("optim", "clip", optim.clip, "limit of the global gradient norm; 0: off");
    schema.section("schedule", "learning rate");
    schema.add("schedule", "kind", schedule.kind, {"constant", "cosine", "linear", "wsd"},
               "course after the warm-up");
    schema.add("schedule", "lr", schedule.lr, "after the warm-up");
    schema.add("schedule", "min_lr", schedule.min_lr, "at the end");
    schema.add("schedule", "warmup_steps", schedule.warmup_steps, "linear rise from lr / steps");
    schema.add("schedule", "decay_steps", schedule.decay_steps,
               "wsd: length of the fall at the end");
    schema.add("schedule", "decay_shape", schedule.decay_shape, {"linear", "sqrt", "cosine"},
               "wsd: its shape (sqrt: 1 - sqrt(x))");
}

void declare_parallel(config::Schema& schema, ParallelConfig& parallel,
                      PrecisionConfig& precision) {
    schema.section("parallel", "axes over the ranks; their product is the number of ranks");
    schema.add("parallel", "tp", parallel.tp, "tensor parallel");
    schema.add("parallel", "pp", parallel.pp, "pipeline parallel");
    schema.add("parallel", "cp", parallel.cp, "context parallel");
    schema.add("parallel", "ep", parallel.ep, "expert parallel (part of dp_shard * cp * tp)");
    schema.add("parallel", "dp_replicate", parallel.dp_replicate,
               "data parallel, state replicated");
    schema.add(
        "parallel", "dp_shard", parallel.dp_shard,
        "data parallel, state sharded; 0: what is left of the ranks (without a launcher: 1)");
    schema.add("parallel", "zero", parallel.zero,
               "sharded over dp_shard: 0 nothing, 1 optimizer state");
    schema.section("precision", "element types");
    schema.add("precision", "compute", precision.compute, {"f32", "bf16", "f64"},
               "weights and activations; bf16 has fp32 masters");
    schema.add("precision", "rounding", precision.rounding, {"nearest", "stochastic"},
               "of bf16 weights from their masters");
    schema.add("precision", "fixed_order_matmul", precision.fixed_order_matmul,
               "bits independent of threads and shapes, slower");
}

void declare_running(config::Schema& schema, TrainConfig& config) {
    schema.section("checkpoint", "RUN/ckpt");
    schema.add("checkpoint", "every", config.checkpoint.every,
               "steps; 0: at the end and on notice");
    schema.add("checkpoint", "keep_last", config.checkpoint.keep_last, "newest ones kept");
    schema.add("checkpoint", "keep_every", config.checkpoint.keep_every,
               "multiples of it are kept for ever; 0: none");
    schema.add("checkpoint", "retry_steps", config.checkpoint.retry_steps,
               "steps until a failed save is tried again");
    schema.section("guards", "when to give up");
    schema.add("guards", "comm_timeout_s", config.guards.comm_timeout_s,
               "longest wait for another rank; 0: for ever");
    schema.add("guards", "hang_timeout_s", config.guards.hang_timeout_s,
               "longest time without any progress; 0: for ever");
    schema.add("guards", "max_skipped", config.guards.max_skipped,
               "non-finite updates in a row before the run fails");
    schema.section("metrics", "what is reported");
    schema.add("metrics", "log_every", config.metrics.log_every, "steps between lines in a log");
    schema.add("metrics", "validate_every", config.metrics.validate_every, "steps; 0: never");
    schema.add("metrics", "validate_samples", config.metrics.validate_samples,
               "sequences of a validation, the same ones each time");
    schema.add("metrics", "tensorboard", config.metrics.tensorboard, "events in RUN/tensorboard");
    schema.add("metrics", "prometheus", config.metrics.prometheus,
               "text file to replace each step");
    schema.add("metrics", "peak_gflops", config.metrics.peak_gflops,
               "of all ranks together, for MFU; 0: a matrix product is timed at the start");
}

[[noreturn]] void refuse(const std::string& text) {
    throw UsageError(text);
}

void check_at_least(const char* key, int64_t value, int64_t least) {
    if (value < least) refuse(format("{} = {} is below {}", key, value, least));
}

/// Sizes beyond these would overflow in products long after memory has run out.
constexpr int64_t kMostTokens = int64_t{1} << 31;  // of a rank at a time
constexpr int64_t kMostSequences = int64_t{1} << 24;
constexpr int64_t kMostSteps = int64_t{1} << 40;

void check_at_most(const char* key, int64_t value, int64_t most) {
    if (value > most) refuse(format("{} = {} is above {}", key, value, most));
}

void check_data(const DataConfig& data) {
    if (data.train.empty())
        refuse("data.train is empty: name a folder of token shards (tok-shard)");
    if (!data.weights.empty() && data.weights.size() != data.train.size()) {
        refuse(format("data.weights has {} numbers for {} folders in data.train",
                      data.weights.size(), data.train.size()));
    }
    check_at_least("data.seq_len", data.seq_len, 1);
    check_at_least("data.global_batch", data.global_batch, 1);
    check_at_least("data.micro_batch", data.micro_batch, 1);
    check_at_least("data.phase", data.phase, 0);
    check_at_most("data.seq_len", data.seq_len, kMostTokens);
    check_at_most("data.global_batch", data.global_batch, kMostSequences);
    check_at_least("data.prefetch", data.prefetch, 0);
    check_at_least("data.prefetch_threads", data.prefetch_threads, 1);
    check_at_most("data.prefetch", data.prefetch, 1024);
    check_at_most("data.prefetch_threads", data.prefetch_threads, 256);
    shards::settings_of(data.samples);
    cache_bytes_of(data);
    if (data.samples.order == "megatron" && data.train.size() > 1 && data.weights.empty()) {
        refuse("data.order = \"megatron\" with several folders needs data.weights");
    }
    if (std::min(data.micro_batch, data.global_batch) > kMostTokens / data.seq_len) {
        refuse(format("data.micro_batch times data.seq_len is above {} tokens", kMostTokens));
    }
}

/// Axes that the training loop does not run yet are refused, not ignored.
void check_parallel(const ParallelConfig& parallel) {
    const std::pair<const char*, int64_t> single[] = {
        {"tp", parallel.tp}, {"pp", parallel.pp}, {"cp", parallel.cp}, {"ep", parallel.ep}};
    for (const auto& [name, size] : single) {
        if (size == 1) continue;
        refuse(
            format("parallel.{} = {}: train-run has data parallelism only (dp_replicate, "
                   "dp_shard); set it to 1",
                   name, size));
    }
    parallel::BucketPolicy::from_zero(parallel.zero);
}

}  // namespace

void declare(config::Schema& schema, TrainConfig& config) {
    declare_job(schema, config.job);
    declare_model(schema, config.model);
    declare_data(schema, config.data);
    declare_optimizer(schema, config.optim, config.schedule);
    declare_parallel(schema, config.parallel, config.precision);
    declare_running(schema, config);
}

void load(TrainConfig& config, const std::filesystem::path& file,
          const std::vector<std::string>& assignments) {
    config::Schema schema;
    declare(schema, config);
    if (!std::filesystem::is_regular_file(file)) refuse(format("{} is no file", file.string()));
    schema.load(file);
    for (const std::string& assignment : assignments) schema.set(assignment);
}

std::string print(TrainConfig& config) {
    config::Schema schema;
    declare(schema, config);
    return schema.print();
}

void check(const TrainConfig& config) {
    check_at_least("job.steps", config.job.steps, 1);
    check_at_most("job.steps", config.job.steps, kMostSteps);
    check_at_least("job.seed", config.job.seed, 0);
    check_data(config.data);
    check_parallel(config.parallel);
    optim::check(schedule_of(config));
    optim::check(adamw_of(config));
    if (!(config.optim.clip >= 0)) refuse(format("optim.clip = {} is negative", config.optim.clip));
    if (config.precision.rounding == "stochastic" && config.precision.compute != "bf16") {
        refuse("precision.rounding = \"stochastic\" is for precision.compute = \"bf16\" only");
    }
    check_at_least("checkpoint.every", config.checkpoint.every, 0);
    check_at_least("checkpoint.keep_last", config.checkpoint.keep_last, 1);
    check_at_least("checkpoint.keep_every", config.checkpoint.keep_every, 0);
    check_at_least("checkpoint.retry_steps", config.checkpoint.retry_steps, 1);
    check_at_least("guards.max_skipped", config.guards.max_skipped, 0);
    check_at_least("metrics.log_every", config.metrics.log_every, 1);
    check_at_least("metrics.validate_every", config.metrics.validate_every, 0);
    check_at_least("metrics.validate_samples", config.metrics.validate_samples, 1);
    if (config.metrics.validate_every > 0 && config.data.validation.empty()) {
        refuse("metrics.validate_every is set, but data.validation is empty");
    }
}

uint64_t cache_bytes_of(const DataConfig& data) {
    if (data.cache_size.empty()) return 0;
    const auto bytes = parse_bytes(data.cache_size);
    if (!bytes || *bytes == 0) {
        refuse(format("data.cache_size = \"{}\" is no size such as \"500GiB\"", data.cache_size));
    }
    return *bytes;
}

optim::Schedule schedule_of(const TrainConfig& config) {
    const ScheduleConfig& from = config.schedule;
    optim::Schedule schedule;
    schedule.kind = optim::schedule_from_name(from.kind).value_or(optim::ScheduleKind::kCosine);
    schedule.peak = from.lr;
    schedule.final_rate = from.min_lr;
    schedule.warmup_steps = from.warmup_steps;
    schedule.total_steps = config.job.steps;
    schedule.decay_steps = from.decay_steps;
    schedule.decay_shape =
        optim::decay_shape_from_name(from.decay_shape).value_or(optim::DecayShape::kSqrt);
    return schedule;
}

optim::AdamWSettings adamw_of(const TrainConfig& config) {
    optim::AdamWSettings settings;
    settings.beta1 = config.optim.beta1;
    settings.beta2 = config.optim.beta2;
    settings.epsilon = config.optim.epsilon;
    settings.weight_decay = config.optim.weight_decay;
    settings.rounding = config.precision.rounding == "stochastic" ? kernels::Rounding::kStochastic
                                                                  : kernels::Rounding::kNearestEven;
    settings.seed = static_cast<uint64_t>(config.job.seed);
    return settings;
}

mesh::MeshSizes mesh_sizes_of(const ParallelConfig& config) {
    return {config.tp, config.pp, config.cp, config.ep, config.dp_replicate, config.dp_shard};
}

tensor::DType compute_dtype_of(const PrecisionConfig& config) {
    return tensor::dtype_from_name(config.compute).value_or(tensor::DType::kF32);
}

model::Recompute recompute_of(const ModelSection& config) {
    if (config.recompute == "full") return model::Recompute::kFull;
    return config.recompute == "selective" ? model::Recompute::kSelective : model::Recompute::kNone;
}

model::ModelConfig model_of(const TrainConfig& config, int64_t data_vocab_size) {
    model::ModelConfig shape = config.model.shape;
    shape.family = model::family_from_name(config.model.family).value_or(model::Family::kGpt2);
    shape.vocab_size = config.model.vocab_size > 0 ? config.model.vocab_size : data_vocab_size;
    shape.max_seq_len =
        config.model.max_seq_len > 0 ? config.model.max_seq_len : config.data.seq_len;
    if (shape.vocab_size < data_vocab_size) {
        refuse(format("model.vocab_size = {} is below the {} ids of the data's tokenizer",
                      shape.vocab_size, data_vocab_size));
    }
    if (shape.max_seq_len < config.data.seq_len) {
        refuse(format("model.max_seq_len = {} is below data.seq_len = {}", shape.max_seq_len,
                      config.data.seq_len));
    }
    return model::complete(shape);
}

std::vector<ConfigChange> differences(TrainConfig from, TrainConfig to) {
    config::Schema before, after;
    declare(before, from);
    declare(after, to);
    std::vector<ConfigChange> changes;
    for (size_t i = 0; i < before.keys().size(); ++i) {
        const std::string old_value = before.keys()[i].print();
        const std::string new_value = after.keys()[i].print();
        if (old_value == new_value) continue;
        changes.push_back(
            {before.keys()[i].section + "." + before.keys()[i].name, old_value, new_value});
    }
    return changes;
}

}  // namespace longhaul::train

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// run.toml (longhaul-run.toml.5) as a struct, with the declaration that parses and prints it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/config/schema.h"
#include "lib/mesh/mesh.h"
#include "lib/model/config.h"
#include "lib/model/transformer.h"
#include "lib/optim/adamw.h"
#include "lib/optim/schedule.h"
#include "lib/shards/sample_settings.h"

namespace longhaul::train {

struct JobConfig {
    std::string run;    // run directory; empty: --run, $LONGHAUL_RUN, else "run"
    int64_t steps = 0;  // updates in all
    int64_t seed = 1;
};

struct DataConfig {
    std::vector<std::string> train;  // folders of token shards
    std::vector<double> weights;     // one per folder; empty: equal
    std::vector<std::string> validation;
    int64_t seq_len = 1024;
    int64_t global_batch = 8;       // sequences per update
    int64_t micro_batch = 4;        // sequences at a time, at most
    int64_t phase = 0;              // raise it to change data, seq_len or global_batch
    std::vector<std::string> skip;  // "first-last": sample numbers never shown
    shards::SampleWords samples;    // how samples are made and ordered
    int64_t prefetch = 2;           // batches read before they are needed
    int64_t prefetch_threads = 1;
    std::string cache_dir;    // on the node's own disk; "": none
    std::string cache_size;   // "500GiB"; "": 90 % of the disk
    bool read_ahead = false;  // order = "block": ask for whole windows of blocks
};

struct OptimConfig {
    double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weight_decay = 0.1;
    double clip = 1.0;  // global gradient norm; 0: off
};

struct ScheduleConfig {
    std::string kind = "cosine";
    double lr = 3e-4, min_lr = 3e-5;
    int64_t warmup_steps = 0, decay_steps = 0;
    std::string decay_shape = "sqrt";
};

struct ModelSection {
    std::string family = "gpt2";
    model::ModelConfig shape;
    int64_t vocab_size = 0;   // 0: that of the data
    int64_t max_seq_len = 0;  // 0: data.seq_len
    std::string init_from;    // checkpoint whose weights a new run starts from
    std::string recompute = "none";
};

struct ParallelConfig {
    int64_t tp = 1, pp = 1, cp = 1, ep = 1, dp_replicate = 1, dp_shard = 0;
    int64_t zero = 1;
};

struct PrecisionConfig {
    std::string compute = "f32";
    std::string rounding = "nearest";
    bool fixed_order_matmul = false;
};

struct CheckpointConfig {
    int64_t every = 100;  // steps; 0: only at the end and on notice
    int64_t keep_last = 3;
    int64_t keep_every = 0;    // steps; multiples are kept for ever
    int64_t retry_steps = 10;  // after a failed save
};

struct GuardsConfig {
    double comm_timeout_s = 600;
    double hang_timeout_s = 1800;  // without any progress
    int64_t max_skipped = 10;      // non-finite updates in a row
};

struct MetricsConfig {
    int64_t log_every = 10;
    int64_t validate_every = 0;
    int64_t validate_samples = 64;
    bool tensorboard = false;
    std::string prometheus;  // file
    double peak_gflops = 0;  // of all ranks, for MFU; 0: measured at the start
};

/// Everything that run.toml says.
struct TrainConfig {
    JobConfig job;
    ModelSection model;
    DataConfig data;
    OptimConfig optim;
    ScheduleConfig schedule;
    ParallelConfig parallel;
    PrecisionConfig precision;
    CheckpointConfig checkpoint;
    GuardsConfig guards;
    MetricsConfig metrics;
};

/// The schema bound to `config`, which must outlive it.
void declare(config::Schema& schema, TrainConfig& config);

/// Reads run.toml and applies --set assignments. @throws UsageError
void load(TrainConfig& config, const std::filesystem::path& file,
          const std::vector<std::string>& assignments);
/// The complete effective file.
std::string print(TrainConfig& config);

/// Checks what does not depend on the data. @throws UsageError naming section.key.
void check(const TrainConfig& config);

/// data.cache_size in bytes; 0: not limited. @throws UsageError
uint64_t cache_bytes_of(const DataConfig& data);

/// What other layers take.
optim::Schedule schedule_of(const TrainConfig& config);
optim::AdamWSettings adamw_of(const TrainConfig& config);
mesh::MeshSizes mesh_sizes_of(const ParallelConfig& config);
tensor::DType compute_dtype_of(const PrecisionConfig& config);
model::Recompute recompute_of(const ModelSection& config);
/// @param data_vocab_size used where model.vocab_size is 0.
model::ModelConfig model_of(const TrainConfig& config, int64_t data_vocab_size);

/// A key whose value differs between two configurations.
struct ConfigChange {
    std::string key;  // "schedule.lr"
    std::string from, to;
};
std::vector<ConfigChange> differences(TrainConfig from, TrainConfig to);

}  // namespace longhaul::train

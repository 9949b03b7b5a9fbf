// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/state.h"

#include <vector>

#include "lib/base/error.h"
#include "lib/ckpt/cast.h"
#include "lib/io/json.h"
#include "lib/model/hf_config.h"
#include "lib/parallel/init.h"
#include "lib/train/exit_cause.h"

namespace longhaul::train {

namespace {

using parallel::Bucket;
using parallel::StateKind;
using parallel::StorageSlice;

ckpt::Kind kind_of(StateKind kind) {
    switch (kind) {
        case StateKind::kMaster:
            return ckpt::Kind::kMaster;
        case StateKind::kM:
            return ckpt::Kind::kM;
        case StateKind::kV:
            return ckpt::Kind::kV;
    }
    return ckpt::Kind::kState;
}

std::span<std::byte> bytes_of(const tensor::Buffer& data) {
    return {static_cast<std::byte*>(data.data), data.size_bytes()};
}

const parallel::ParamSpec& spec_of(const Engine& engine, const std::string& hf_name,
                                   std::span<const parallel::ParamSpec> specs) {
    for (const parallel::ParamSpec& spec : specs) {
        if (spec.hf_name == hf_name && spec.parts.empty()) return spec;
        for (const parallel::HfPart& part : spec.parts) {
            if (part.hf_name == hf_name) return spec;
        }
    }
    throw Error(format("no weight holds tensor {} of {}", hf_name,
                       model::name_of(engine.options().model.family)));
}

/// Masters are set: derive the weights that compute, and give every rank all of them.
void spread_weights(Engine& engine, const optim::AdamWSettings& settings, int64_t update) {
    for (Bucket& bucket : engine.store().buckets()) {
        optim::round_weights(bucket, engine.store().context(), settings, update);
        bucket.start_gather(-1);
        bucket.finish_gather();
    }
}

/// Fills one slice from a checkpoint, converting the element type where it differs.
void read_slice(const ckpt::Checkpoint& checkpoint, StateKind kind, const StorageSlice& slice,
                const tensor::Buffer& out) {
    const ckpt::TensorEntry* entry = checkpoint.find(slice.hf_name, kind_of(kind));
    if (entry == nullptr) {
        throw UsageError(format("{} has no tensor {} ({})", checkpoint.directory().string(),
                                slice.hf_name, ckpt::name_of(kind_of(kind))));
    }
    if (entry->shape != slice.shape) {
        throw UsageError(format("{}: tensor {} has another shape than in [model]",
                                checkpoint.directory().string(), slice.hf_name));
    }
    if (entry->dtype == out.dtype) {
        checkpoint.read(slice.hf_name, kind_of(kind), slice.slice, out.dtype, bytes_of(out));
        return;
    }
    std::vector<std::byte> stored(static_cast<size_t>(out.count) * tensor::size_of(entry->dtype));
    checkpoint.read(slice.hf_name, kind_of(kind), slice.slice, entry->dtype, stored);
    ckpt::cast(entry->dtype, stored, out.dtype, bytes_of(out));
}

[[noreturn]] void refuse(const std::string& text) {
    throw UsageError(text);
}

/// The first key of [model] that differs.
std::string model_difference(const model::ModelConfig& there, const model::ModelConfig& here) {
    struct Key {
        const char* name;
        double there, here;
    };
    const auto number = [](auto value) { return static_cast<double>(value); };
    if (there.family != here.family) {
        return format("model.family = {}, but it was {}", model::name_of(here.family),
                      model::name_of(there.family));
    }
    const Key keys[] = {
        {"num_layers", number(there.num_layers), number(here.num_layers)},
        {"hidden", number(there.hidden), number(here.hidden)},
        {"num_heads", number(there.num_heads), number(here.num_heads)},
        {"num_kv_heads", number(there.num_kv_heads), number(here.num_kv_heads)},
        {"head_dim", number(there.head_dim), number(here.head_dim)},
        {"ffn_hidden", number(there.ffn_hidden), number(here.ffn_hidden)},
        {"vocab_size", number(there.vocab_size), number(here.vocab_size)},
        {"max_seq_len", number(there.max_seq_len), number(here.max_seq_len)},
        {"norm_eps", there.norm_eps, here.norm_eps},
        {"rope_theta", there.rope_theta, here.rope_theta},
        {"tied_embedding", number(there.tied_embedding), number(here.tied_embedding)},
        {"qkv_bias", number(there.qkv_bias), number(here.qkv_bias)},
        {"qk_norm", number(there.qk_norm), number(here.qk_norm)}};
    for (const Key& key : keys) {
        if (key.there == key.here) continue;
        return format("model.{} = {}, but it was {}", key.name, key.here, key.there);
    }
    return "model.rope_* differ";
}

void check_same_model(const Engine& engine, const ckpt::Checkpoint& checkpoint,
                      const TrainConfig& config) {
    const std::string where = checkpoint.directory().string();
    const model::ModelConfig there =
        model::from_hf_config_json(checkpoint.header().hf_config_json, where);
    model::ModelConfig here = engine.options().model;
    here.init_std = there.init_std;  // only of a new run
    if (there.vocab_size != here.vocab_size && config.model.vocab_size == 0) {
        refuse(
            format("data.train was made by another tokenizer ({} ids) than the data the run was "
                   "trained on ({} ids)",
                   here.vocab_size, there.vocab_size));
    }
    if (there != here) {
        refuse(
            format("{} holds another model than [model] describes ({}); a new run needs another "
                   "run directory (--run)",
                   where, model_difference(there, here)));
    }
    if (checkpoint.header().seed != static_cast<uint64_t>(config.job.seed)) {
        refuse(format("job.seed = {}, but the run was started with {}", config.job.seed,
                      checkpoint.header().seed));
    }
}

/// What differs between the phase of the checkpoint and the one asked for; "" when nothing does.
std::string phase_difference(const DataPhase& there, const DataPhase& here) {
    if (there.data != here.data) return "data.train names other data (manifest hashes differ)";
    if (there.weights != here.weights) return "data.weights differs";
    if (there.seq_len != here.seq_len) {
        return format("data.seq_len = {}, but it was {}", here.seq_len, there.seq_len);
    }
    if (there.global_batch != here.global_batch) {
        return format("data.global_batch = {}, but it was {}", here.global_batch,
                      there.global_batch);
    }
    return difference(there.samples, here.samples);
}

void continue_data(DataCursor& cursor, const TrainConfig& config, const DataIdentity& data,
                   int64_t step) {
    DataPhase here = phase_of(config, data, step);
    const DataPhase& there = cursor.phase();
    // A phase that began with the old order of blended sets ends with it.
    if (here.number == there.number) {
        here.samples.blend_version = there.samples.blend_version;
    }
    if (there.tokenizer != here.tokenizer) {
        refuse("data.train was made by another tokenizer than the data the run was trained on");
    }
    if (here.number > there.number) {
        cursor.begin_phase(here);
    } else if (here.number < there.number) {
        refuse(format("data.phase = {}, but the run is in phase {} already", here.number,
                      there.number));
    } else if (const std::string what = phase_difference(there, here); !what.empty()) {
        refuse(
            format("{}; to change data on purpose, set data.phase = {}", what, there.number + 1));
    }
    cursor.set_skip(skip_ranges_of(config.data));
}

/// Adds what this configuration changes to the list in the checkpoint.
std::string record_changes(const ckpt::Header& header, TrainConfig& config) {
    io::Json changes = io::Json::array();
    if (!header.changes_json.empty()) changes = io::parse_json(header.changes_json, "changes");
    TrainConfig before;
    config::Schema schema;
    declare(schema, before);
    schema.load_text(header.config, "the checkpoint's run.toml");
    for (const ConfigChange& change : differences(before, config)) {
        if (change.key == "job.run") continue;
        io::Json entry;
        entry["step"] = header.step;
        entry["key"] = change.key;
        entry["from"] = change.from;
        entry["to"] = change.to;
        changes.push_back(std::move(entry));
    }
    return io::to_line(changes);
}

TrainState read_header(const ckpt::Checkpoint& checkpoint, TrainConfig& config,
                       const DataIdentity& data) {
    const ckpt::Header& header = checkpoint.header();
    const std::string where = checkpoint.directory().string();
    TrainState state;
    state.step = state.committed_step = header.step;
    state.cursor = DataCursor::from_json(io::parse_json(header.cursor_json, where), where);
    continue_data(state.cursor, config, data, state.step);
    const io::Json schedule = io::parse_json(header.schedule_json, where);
    state.skipped = io::require<int64_t>(schedule, "skipped", where);
    state.skipped_in_row = io::require<int64_t>(schedule, "skipped_in_row", where);
    state.changes_json = record_changes(header, config);
    state.parent = {checkpoint.directory().filename().string(), checkpoint.manifest().self};
    return state;
}

template <class Wanted>
void read_states(parallel::ParamStore& store, const ckpt::Checkpoint& checkpoint, Wanted wanted) {
    for (const Bucket& bucket : store.buckets()) {
        bucket.for_each_state([&](StateKind kind, const StorageSlice& slice, tensor::Buffer out) {
            if (wanted(kind)) read_slice(checkpoint, kind, slice, out);
        });
    }
}

}  // namespace

void init_weights(Engine& engine, uint64_t seed, const optim::AdamWSettings& settings) {
    for (Bucket& bucket : engine.store().buckets()) {
        bucket.for_each_state([&](StateKind kind, const StorageSlice& slice, tensor::Buffer data) {
            if (kind != StateKind::kMaster) return;
            const parallel::ParamSpec& spec =
                spec_of(engine, slice.hf_name, engine.store().specs());
            std::vector<double> values(static_cast<size_t>(data.count));
            parallel::init_values(spec.init, slice, seed, values);
            for (size_t i = 0; i < values.size(); ++i) {
                if (data.dtype == tensor::DType::kF64) {
                    data.as<double>()[i] = values[i];
                } else {
                    data.as<float>()[i] = static_cast<float>(values[i]);
                }
            }
        });
    }
    spread_weights(engine, settings, 0);
}

void load_weights(Engine& engine, const ckpt::Checkpoint& checkpoint,
                  const optim::AdamWSettings& settings) {
    run_agreed(engine.world(), [&] {
        read_states(engine.store(), checkpoint,
                    [](StateKind kind) { return kind == StateKind::kMaster; });
    });
    spread_weights(engine, settings, 0);
}

void load_inference_weights(parallel::ParamStore& store, const ckpt::Checkpoint& checkpoint) {
    read_states(store, checkpoint, [](StateKind kind) { return kind == StateKind::kMaster; });
}

TrainState new_run(const TrainConfig& config, const DataIdentity& data) {
    TrainState state;
    state.cursor = DataCursor(phase_of(config, data, 0), skip_ranges_of(config.data));
    return state;
}

TrainState resume(Engine& engine, const ckpt::Checkpoint& checkpoint, TrainConfig& config,
                  const DataIdentity& data) {
    TrainState state;
    std::string damage;  // on this rank
    run_agreed(engine.world(), [&] {
        check_same_model(engine, checkpoint, config);
        try {
            state = read_header(checkpoint, config, data);
            read_states(engine.store(), checkpoint, [](StateKind) { return true; });
        } catch (const DataError& error) {
            damage = error.describe();
        } catch (const StoreError& error) {
            damage = error.describe();
        }
    });
    try {
        comm::agree(engine.world(), damage);
    } catch (const comm::AgreedError& error) {
        throw DamagedCheckpoint(error.describe());
    }
    spread_weights(engine, adamw_of(config), state.step);
    return state;
}

ckpt::SaveResult save(Engine& engine, const TrainState& state,
                      const std::filesystem::path& directory, const SaveContext& context) {
    const mesh::Mesh& mesh = engine.mesh();
    ckpt::Header header;
    header.step = state.step;
    header.seed = static_cast<uint64_t>(context.config->job.seed);
    header.cursor_json = io::to_line(state.cursor.to_json());
    io::Json schedule;
    schedule["kind"] = context.config->schedule.kind;
    schedule["updates"] = state.step;
    schedule["skipped"] = state.skipped;
    schedule["skipped_in_row"] = state.skipped_in_row;
    header.schedule_json = io::to_line(schedule);
    header.hf_config_json = model::to_hf_config_json(engine.options().model);
    header.changes_json = state.changes_json;
    header.config = print(*context.config);
    header.layout.dp_replicate = mesh.size(mesh::Axis::kDpReplicate);
    header.layout.dp_shard = mesh.size(mesh::Axis::kDpShard);
    header.layout.zero = context.config->parallel.zero;
    header.parent = state.parent;
    for (size_t i = 0; i < context.data->folders.size(); ++i) {
        header.data.push_back({context.data->folders[i],
                               Hash128::from_hex(context.data->hashes[i]).value_or(Hash128{})});
    }
    header.health = context.health;
    header.checkpoint_class = context.checkpoint_class;
    header.writer = "train-run " LH_VERSION;
    std::vector<ckpt::LocalSlice> slices;
    for (const Bucket& bucket : engine.store().buckets()) {
        bucket.for_each_state([&](StateKind kind, const StorageSlice& slice, tensor::Buffer data) {
            slices.push_back({slice.hf_name, kind_of(kind), data.dtype, slice.shape, slice.slice,
                              bytes_of(data)});
        });
    }
    return ckpt::save(directory, header, slices, engine.world());
}

}  // namespace longhaul::train

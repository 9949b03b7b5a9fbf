// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where a run stands, and its way into and out of checkpoints.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/ckpt/load.h"
#include "lib/ckpt/save.h"
#include "lib/train/config.h"
#include "lib/train/engine.h"
#include "lib/train/exit_cause.h"
#include "lib/train/sample_reader.h"

namespace longhaul::train {

/// Equal on all ranks. Weights and moments are in the engine.
struct TrainState {
    int64_t step = 0;     // updates done
    int64_t skipped = 0;  // non-finite updates left out, in all
    int64_t skipped_in_row = 0;
    int64_t committed_step = -1;  // of the newest checkpoint; -1: none
    DataCursor cursor;
    std::string changes_json = "[]";  // what resumed runs changed
    ckpt::Parent parent;
};

/// Fresh weights by their init laws.
void init_weights(Engine& engine, uint64_t seed, const optim::AdamWSettings& settings);

/// Masters of `checkpoint` only, for a new run (model.init_from). @throws UsageError when its
/// shapes are not the model's.
void load_weights(Engine& engine, const ckpt::Checkpoint& checkpoint,
                  const optim::AdamWSettings& settings);

/// The weights of a store without gradients (its own masters, whole on this rank).
void load_inference_weights(parallel::ParamStore& store, const ckpt::Checkpoint& checkpoint);

/// The content of a checkpoint is not what its manifest says: an older one may serve.
class DamagedCheckpoint : public TrainError {
 public:
    explicit DamagedCheckpoint(const std::string& text)
        : TrainError("data", text, ExitCode::kFailed) {}
};

/// Weights, moments and TrainState of `checkpoint`. What the configuration changes is recorded in
/// changes_json. @throws on all ranks: DamagedCheckpoint; TrainError for another model or seed, and
/// for a change of data that is no new data.phase.
TrainState resume(Engine& engine, const ckpt::Checkpoint& checkpoint, TrainConfig& config,
                  const DataIdentity& data);

/// The state of a new run.
TrainState new_run(const TrainConfig& config, const DataIdentity& data);

/// What save() records besides weights.
struct SaveContext {
    TrainConfig* config = nullptr;
    const DataIdentity* data = nullptr;
    std::string checkpoint_class = "regular";
    std::string health = "ok";
};

/// Collective: all slices of this engine into `directory`. @throws ckpt::SaveError on all ranks.
ckpt::SaveResult save(Engine& engine, const TrainState& state,
                      const std::filesystem::path& directory, const SaveContext& context);

}  // namespace longhaul::train

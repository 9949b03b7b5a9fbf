// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Choosing the checkpoint that a run goes on from.

#include <filesystem>
#include <functional>
#include <string>

#include "lib/ckpt/load.h"

namespace longhaul::ckpt {

/// Collective. Calls `load` with the loadable checkpoints under `run_checkpoints`, newest first,
/// until one is accepted. Rank 0 chooses and warns of each that is passed over.
/// @param load returns "" when the content was loaded, or why it is damaged; alike on all ranks.
/// @return false on all ranks when there is no step-* directory at all.
/// @throws AgreedError on all ranks when there are some and none can be loaded, or one cannot be
/// read for a reason that is no damage (permission, I/O error).
bool load_latest(const std::filesystem::path& run_checkpoints, comm::Comm& comm,
                 const std::function<std::string(const Checkpoint&)>& load);

}  // namespace longhaul::ckpt

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the tokenizer of a checkpoint's model is found.

#include <filesystem>
#include <optional>

#include "lib/ckpt/load.h"

namespace longhaul::ckpt {

/// The first that exists of: CHECKPOINT/tokenizer; RUN/tokenizer of the run that the checkpoint, or
/// the one it was made of, lies in (train-run copies it there); the tokenizer beside its data; the
/// folder of an imported model.
std::optional<std::filesystem::path> tokenizer_folder(const Checkpoint& checkpoint);

}  // namespace longhaul::ckpt

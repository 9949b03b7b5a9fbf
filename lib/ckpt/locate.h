// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a person means by a path: a checkpoint, a folder of checkpoints, or a run directory.

#include <filesystem>
#include <vector>

#include "lib/ckpt/load.h"

namespace longhaul::ckpt {

/// The folder that holds step-* directories: RUN/ckpt for a run directory, else `path` itself.
std::filesystem::path checkpoint_folder(const std::filesystem::path& path);

/// True for a directory with a manifest or containers, whole or not.
bool is_checkpoint_directory(const std::filesystem::path& path);

/// The checkpoint `path` itself, or the newest loadable one of a folder or run directory.
/// @throws UsageError when there is none, with the reasons.
std::filesystem::path locate_checkpoint(const std::filesystem::path& path);

/// A checkpoint and its ancestors as far as they can be found, newest first. Parents are looked
/// for by the hash of their manifest beside the child and at the recorded path.
struct Ancestor {
    std::filesystem::path directory;  // as recorded when not found
    bool is_found = false;
    Manifest manifest;  // header only is of interest; empty when not found
};
std::vector<Ancestor> lineage(const std::filesystem::path& directory);

}  // namespace longhaul::ckpt

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How a checkpoint directory comes and goes (longhaul-checkpoint.5, "COMMIT"). One process at a
// time may do this in a folder: train-run's run lock, or a person at the prompt.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/ckpt/manifest.h"

namespace longhaul::ckpt {

/// Creates ".NAME.tmp-<nonce>" beside `final_directory` and removes wrecks of earlier attempts at
/// the same name, after finishing commits that were interrupted at the last step.
std::filesystem::path make_temporary(const std::filesystem::path& final_directory);

/// Makes `temporary` the committed `final_directory`: its files must be on disk already. Writes
/// the manifest (temporary name, fsync, rename, fsync), renames an existing `final_directory` to
/// ".trash-NAME-<nonce>", renames `temporary`, syncs the parent, deletes the trash.
/// @throws IoError; then `final_directory` is as it was, and `temporary` is gone.
void commit_directory(const std::filesystem::path& temporary,
                      const std::filesystem::path& final_directory, Manifest& manifest);

/// The last steps alone, for folders that have no manifest (exports): an existing `final_directory`
/// to trash, rename, sync, delete the trash.
void publish_directory(const std::filesystem::path& temporary,
                       const std::filesystem::path& final_directory);

/// Deletes a directory so that it never looks whole on the way: the manifest first. Best effort.
void remove_directory(const std::filesystem::path& directory) noexcept;

/// Renames a committed directory to ".trash-NAME-<nonce>", syncs the parent, deletes it.
/// @throws IoError when the rename fails.
void trash_directory(const std::filesystem::path& directory);

/// A name of the form ".NAME.tmp-<nonce>". @return NAME.
std::optional<std::string> final_name_of_temporary(const std::string& name);
bool is_trash_name(const std::string& name);

/// Finishes commits that a crash interrupted between the last two renames: a temporary directory
/// that is complete, while its final name is free. @return the directories made visible.
std::vector<std::filesystem::path> finish_interrupted_commits(const std::filesystem::path& folder);

/// Why `directory` does not hold what its manifest says: a file missing or of another size.
/// @return nothing when all sizes are right.
std::optional<std::string> missing_content(const std::filesystem::path& directory,
                                           const Manifest& manifest);

}  // namespace longhaul::ckpt

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Temporary files that have no name: nothing is left of them, however the process ends.

#include <filesystem>

#include "lib/io/file.h"

namespace longhaul::io {

/// A new empty file on the file system of `folder`, open for reading and writing.
/// @throws IoError naming the folder and --tmp-dir
UniqueFd open_unnamed(const std::filesystem::path& folder);

}  // namespace longhaul::io

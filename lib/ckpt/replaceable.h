// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a command may replace: only what it wrote itself, and never what it reads from.

#include <filesystem>
#include <string_view>

namespace longhaul::ckpt {

enum class Output { kCheckpoint, kModel };

/// Checks a destination before any work. It must have a name, and be absent or a real directory (no
/// symbolic link) that is neither the source nor in it nor above it. With `force` it may hold only
/// files that such an output has.
/// @return the destination without a trailing slash. @throws UsageError
std::filesystem::path check_destination(const std::filesystem::path& source,
                                        const std::filesystem::path& destination, Output output,
                                        bool force);

/// True for names of files that belong to a tokenizer, as transformers and tiktoken name them.
bool is_tokenizer_file(std::string_view name);

}  // namespace longhaul::ckpt

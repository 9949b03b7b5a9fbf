// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is looked at before an output is written or called complete.

#include <string>
#include <vector>

#include "lib/record/manifest.h"
#include "lib/token/tokenizer.h"
#include "lib/tokenize/job.h"

namespace longhaul::tokenize {

/// For a file that is about to be written as `option` asks.
/// @param inputs files that the run reads
/// @throws UsageError: it is one of them, or "-"
void check_output_path(const std::string& path, const char* option,
                       const std::vector<std::string>& inputs);

/// Whether `path` is `folder` or lies in it, links resolved; neither need exist.
bool is_inside(const std::string& path, const std::string& folder);

/// For an output folder that --force empties.
/// @param path  something that the run reads; @param what it is to the user
/// @throws UsageError: it lies in the folder and would be lost
void check_outside(const std::string& path, const char* what, const std::string& output);

/// For an output that has its manifest: it can be read, each file is there with its size, and
/// DIR/tokenizer/ is that tokenizer.
/// @throws UsageError naming the file and the remedy
record::Manifest check_complete_folder(const std::string& output,
                                       const token::Tokenizer& tokenizer);
/// For an output of encoding that has its manifest: the manifest can be read, each shard is there
/// with its size, DIR/tokenizer/ is that tokenizer, and inputs touched since hold the bytes of
/// then.
/// @throws UsageError naming the file and the remedy
void check_complete(const EncodeJob& job, const token::Tokenizer& tokenizer);

}  // namespace longhaul::tokenize

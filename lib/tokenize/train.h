// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `tok-shard train`: a tokenizer.json out of documents.

#include <optional>
#include <string>
#include <vector>

#include "lib/base/exit_code.h"
#include "lib/corpus/document_reader.h"
#include "lib/token/trainer.h"

namespace longhaul::tokenize {

struct TrainJob {
    std::vector<std::string> inputs;
    corpus::ReaderOptions reader;
    token::TrainOptions train;
    std::string output;  // tokenizer.json
    int threads = 1;
    bool force = false;
    std::optional<bool> progress;
};

/// Counts the pieces of all documents in parallel, trains, and writes the file and its manifest.
/// The output does not depend on the number of threads or the order of the inputs' documents.
ExitCode run_train(const TrainJob& job);

}  // namespace longhaul::tokenize

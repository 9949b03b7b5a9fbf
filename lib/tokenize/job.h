// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What `tok-shard -t TOKENIZER -o DIR INPUT...` is asked to do.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/cli/command.h"
#include "lib/corpus/document_reader.h"
#include "lib/shards/shard_writer.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"
#include "lib/tokenize/resolve_borders.h"

namespace longhaul::tokenize {

/// What becomes of documents without text.
/// kKeep: only their BOS and EOS. kBare: without any token, as Megatron's preprocess_data.py.
enum class EmptyDocuments { kSkip, kKeep, kBare };

/// Which share of the units this process does; units u with u % count == index.
struct Task {
    uint64_t index = 0, count = 1;
};

/// Options of an encoding run. Those above the line decide the output.
struct EncodeJob {
    token::TokenizerSource tokenizer;
    std::vector<std::string> inputs;  // "-" is stdin
    corpus::ReaderOptions reader;
    token::SpecialText special_text = token::SpecialText::kPlain;
    EmptyDocuments empty_documents = EmptyDocuments::kSkip;
    BorderWords bos, eos;  // none: "auto"
    uint64_t unit_bytes = uint64_t{512} << 20;
    shards::Container container;
    // ------
    std::string output;
    int threads = 1;
    uint64_t memory_bytes = 0;  // 0: 1 GiB + 128 MiB a thread
    std::string tmp_dir;        // of the spools
    Task task;
    bool force = false;
    bool dry_run = false;
    std::string parent;  // manifest of what comes on stdin
    std::string report;  // file for times, threads, rates
    std::optional<bool> progress;
};

}  // namespace longhaul::tokenize

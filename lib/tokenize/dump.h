// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `tok-shard decode` and `tok-shard cat`: documents of a folder of shards as text or as ids.

#include <cstdint>
#include <string>

#include "lib/base/exit_code.h"
#include "lib/tokenize/data_source.h"

namespace longhaul::tokenize {

struct DumpOptions {
    DataSource source;
    uint64_t first = 0;         // document
    uint64_t count = 0;         // of documents; 0: all to the end
    bool as_json = false;       // an object a document, with its source
    bool keep_special = false;  // decode: control tokens as their text
};

/// The text of each document, a newline after each; or JSON lines with text, file, record, tokens.
ExitCode run_decode(const DumpOptions& options);
/// The ids of each document, one line each.
ExitCode run_cat(const DumpOptions& options);

}  // namespace longhaul::tokenize

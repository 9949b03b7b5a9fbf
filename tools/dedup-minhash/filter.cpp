// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/filter.h"

#include "lib/base/error.h"
#include "tools/dedup-minhash/options.h"

namespace longhaul {

ExitCode run_filter(const cli::Args& args) {
    dedup::Options options;
    cli::Bytes max_line{64 << 20};
    bool takes_unlisted = false;
    cli::CommonOptions common;
    cli::Command command("dedup-minhash filter", "apply a removal list that was written before");
    command.positional("INPUT", options.inputs,
                       "the files that the list was made from, in any order; folders");
    command.option("--removal-list", options.removal_list, "FILE", "what goes").required();
    command.option("-o,--output", options.output, "OUT",
                   "file (one input), folder that mirrors the inputs, or - for stdout");
    command.flag("--allow-unlisted", takes_unlisted,
                 "keep files whole that the list does not know");
    command.option("--manifest", options.manifest, "FILE", "write the manifest also here");
    command.flag("--force", options.is_forced, "redo a finished output");
    command
        .option("--input-format", options.reader.layout, "WORD",
                "auto, jsonl, lines, file or parquet")
        .group("Input");
    command.option("--max-line", max_line, "SIZE", "as when the list was made").group("Input");
    add_resource_options(command, common);
    command.parse(args);
    if (options.inputs.empty()) throw UsageError("no INPUT");
    if (max_line.value < 1) throw UsageError("--max-line must be at least 1");
    options.reader.max_line_bytes = max_line.value;
    resolve_resources(common, options);
    return dedup::run_filter(options, takes_unlisted);
}

}  // namespace longhaul

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/json.h"
#include "lib/io/stream.h"
#include "tools/gpu-health/subcommands.h"

namespace longhaul::gpu_health {

ExitCode run_record(const cli::Args& args) {
    SourceOptions source;
    std::string output = "-";
    cli::CommonOptions common;
    cli::Command command("gpu-health record", "write what can be read of this node to a file");
    command.option("-o,--output", output, "FILE", "the recording, for --input; - is stdout");
    source.add_to(command);
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);

    const health::Snapshot snapshot = health::collect(source.collect_options(60));
    const auto file = io::open_output(output);
    file->write(io::to_pretty(health::to_json(snapshot)));
    file->close();
    return ExitCode::kOk;
}

}  // namespace longhaul::gpu_health

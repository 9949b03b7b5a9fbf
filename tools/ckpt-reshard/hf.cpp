// SPDX-License-Identifier: BSD-3-Clause
// import-hf and export-hf.
#include "lib/ckpt/hf.h"

#include "lib/base/units.h"
#include "lib/ckpt/locate.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/cli/progress.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "tools/ckpt-reshard/commands.h"

namespace longhaul::ckpt_reshard {

ExitCode run_import_hf(const cli::Args& args) {
    std::string folder, directory;
    std::string dtype = "f32";
    ckpt::HfImportOptions options;
    bool json = false;
    cli::CommonOptions common;
    cli::Command command("ckpt-reshard import-hf", "make a checkpoint of a Hugging Face model");
    command.positional("HF", folder, "folder with config.json and safetensors").required();
    command.positional("DST", directory, "checkpoint to write").required();
    command.option("--dtype", dtype, "TYPE", "of the master weights: f32, bf16, f64 or keep")
        .choices({"f32", "bf16", "f64", "keep"});
    command.option("--step", options.step, "N", "step that the checkpoint says").range(0, 1e15);
    command.flag("--force", options.force, "replace an existing DST");
    command.flag("--json", json, "one JSON object on stdout");
    cli::add_common_options(command, common, cli::kQuietVerbose | cli::kProgress);
    command.parse(args);
    options.dtype = tensor::dtype_from_name(dtype);
    cli::Progress progress("import", 0, common.progress);
    options.on_progress = [&](uint64_t bytes) { progress.add(bytes); };
    const Hash128 self = ckpt::import_hf(folder, directory, options);
    progress.finish();
    if (json) {
        cli::print(io::to_line({{"schema", 1}, {"directory", directory}, {"self", self.hex()}}) +
                   "\n");
    } else {
        log::info("imported {} into {}", folder, directory);
    }
    return ExitCode::kOk;
}

ExitCode run_export_hf(const cli::Args& args) {
    std::string source, folder, dtype, tokenizer;
    ckpt::HfExportOptions options;
    cli::Bytes max_shard{options.max_shard_bytes};
    bool json = false;
    cli::CommonOptions common;
    cli::Command command("ckpt-reshard export-hf", "make a Hugging Face model of a checkpoint");
    command.positional("CKPT", source, "checkpoint, or a folder of them: its newest").required();
    command.positional("HF", folder, "folder to write").required();
    command.option("--dtype", dtype, "TYPE", "f32, bf16 or f16; default is what the model says")
        .choices({"f32", "bf16", "f16"});
    command.option("--tokenizer", tokenizer, "DIR",
                   "copy tokenizer files from here; default is the training data's tokenizer");
    command.option("--max-shard", max_shard, "SIZE", "largest safetensors file");
    command.flag("--force", options.force, "replace an existing folder");
    command.flag("--json", json, "one JSON object on stdout");
    cli::add_common_options(command, common, cli::kQuietVerbose | cli::kProgress);
    command.parse(args);
    if (!dtype.empty()) options.dtype = tensor::dtype_from_name(dtype);
    options.tokenizer = tokenizer;
    options.max_shard_bytes = max_shard.value;
    const auto checkpoint = ckpt::Checkpoint::open(ckpt::locate_checkpoint(source));
    cli::Progress progress("export", 0, common.progress);
    options.on_progress = [&](uint64_t bytes) { progress.add(bytes); };
    const auto result = ckpt::export_hf(checkpoint, folder, options);
    progress.finish();
    if (result.tokenizer.empty()) {
        log::warn("no tokenizer files were found; give --tokenizer DIR to add them");
    }
    if (json) {
        cli::print(io::to_line({{"schema", 1},
                                {"folder", folder},
                                {"step", checkpoint.header().step},
                                {"bytes", result.bytes},
                                {"files", result.num_files},
                                {"tokenizer", result.tokenizer.string()}}) +
                   "\n");
    } else {
        log::info("wrote step {} to {}: {} in {} file(s)", checkpoint.header().step, folder,
                  human_bytes(result.bytes), result.num_files);
    }
    return ExitCode::kOk;
}

}  // namespace longhaul::ckpt_reshard

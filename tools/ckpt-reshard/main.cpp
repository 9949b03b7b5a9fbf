// SPDX-License-Identifier: BSD-3-Clause
#include "tools/ckpt-reshard/commands.h"

using namespace longhaul;

int main(int argc, char** argv) {
    return cli::run_main("ckpt-reshard", argc, argv, [](const cli::Args& args) {
        return cli::dispatch(
            "ckpt-reshard", "change the layout of checkpoints, check, compare and convert them",
            args,
            {{"plan", "say what a reshard would read and write", ckpt_reshard::run_plan},
             {"run", "write a checkpoint in another layout", ckpt_reshard::run_run},
             {"verify", "check every byte of a checkpoint", ckpt_reshard::run_verify},
             {"diff", "compare two checkpoints tensor by tensor", ckpt_reshard::run_diff},
             {"ls", "list the checkpoints of a run", ckpt_reshard::run_ls},
             {"show", "what is in a checkpoint, and where it comes from", ckpt_reshard::run_show},
             {"import-hf", "make a checkpoint of a Hugging Face model",
              ckpt_reshard::run_import_hf},
             {"export-hf", "make a Hugging Face model of a checkpoint",
              ckpt_reshard::run_export_hf},
             {"gc", "delete old checkpoints and wrecks", ckpt_reshard::run_gc},
             {"doctor", "say why a directory can not be loaded", ckpt_reshard::run_doctor}},
            nullptr);
    });
}

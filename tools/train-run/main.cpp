// SPDX-License-Identifier: BSD-3-Clause
// train-run: distributed training of GPT and Llama style models.
#include "tools/train-run/subcommands.h"

int main(int argc, char** argv) {
    using namespace longhaul;
    const std::vector<cli::Subcommand> subcommands = {
        {"generate", "text from a checkpoint", train_run::run_generate}};
    return cli::run_main("train-run", argc, argv, [&](const cli::Args& args) {
        return cli::dispatch("train-run", train_run::kOneLine, args, subcommands,
                             train_run::run_train);
    });
}

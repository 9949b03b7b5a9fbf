// SPDX-License-Identifier: BSD-3-Clause
// dedup-minhash: exact and near-duplicate removal of documents, verified.

#include "lib/cli/run_main.h"
#include "tools/dedup-minhash/parameters.h"

using namespace longhaul;

int main(int argc, char** argv) {
    const auto run = [](const cli::Args& args) { return run_dedup("dedup-minhash run", args); };
    const auto run_by_default = [](const cli::Args& args) {
        return run_dedup("dedup-minhash", args);
    };
    return cli::run_main("dedup-minhash", argc, argv, [&](const cli::Args& args) {
        return cli::dispatch(
            "dedup-minhash", "exact and near-duplicate removal of documents", args,
            {{"run", "remove duplicates (the default)", run},
             {"explain", "print how likely which duplicates are found", run_explain}},
            run_by_default);
    });
}

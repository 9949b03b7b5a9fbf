// SPDX-License-Identifier: BSD-3-Clause
// dedup-minhash: exact and near-duplicate removal of documents, verified.

#include <functional>
#include <map>

#include "lib/cli/run_main.h"
#include "tools/dedup-minhash/options.h"

using namespace longhaul;

int main(int argc, char** argv) {
    const auto run = [](const cli::Args& args) { return run_dedup("dedup-minhash run", args); };
    const auto run_by_default = [](const cli::Args& args) {
        return run_dedup("dedup-minhash", args);
    };
    return cli::run_main("dedup-minhash", argc, argv, [&](const cli::Args& args) {
        const std::map<std::string, std::function<ExitCode(const cli::Args&)>> special{
            {"run", run},         {"explain", run_explain}, {"plan", run_plan},
            {"apply", run_apply}, {"filter", run_filter},   {"spans", run_spans}};
        std::vector<cli::Subcommand> subcommands;
        for (const auto& [name, one_line] : subcommand_lines()) {
            const auto found = special.find(name);
            const auto stage = [name = name](const cli::Args& rest) {
                return run_stage(name, rest);
            };
            subcommands.push_back({name, one_line, found != special.end() ? found->second : stage});
        }
        return cli::dispatch("dedup-minhash", "exact and near-duplicate removal of documents", args,
                             subcommands, run_by_default);
    });
}

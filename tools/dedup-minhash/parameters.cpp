// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dedup-minhash/parameters.h"

#include "lib/base/error.h"

namespace longhaul {

void ParameterOptions::add_to(cli::Command& command) {
    const std::string group = "Parameters";
    command
        .option("--preset", preset, "NAME",
                "recipe: fineweb, native, slimpajama, rpv2, text-dedup, bigcode, nemo")
        .group(group);
    command
        .option("--threshold", given.threshold, "J",
                "true Jaccard from which a document goes; also chooses bands and rows")
        .group(group);
    command.option("--bands", given.bands, "N", "bands of a signature").group(group);
    command.option("--rows", given.rows, "N", "hashes in a band").group(group);
    command
        .option("--num-hashes", given.permutations, "N",
                "permutations that --threshold may choose from")
        .group(group);
    command.option("--ngram", given.ngram, "N", "words or characters in a shingle").group(group);
    command
        .option("--hash", hash, "NAME",
                "native (fast), or the preset's program: signatures equal to its own")
        .group(group);
}

dedup::Parameters ParameterOptions::resolve(const cli::Command& command) const {
    dedup::Parameters parameters = dedup::preset_parameters(preset);
    if (command.was_given("--hash")) {
        parameters.scheme = dedup::parse_scheme(hash, parameters.recipe);
    }
    if (command.was_given("--ngram")) parameters.ngram = given.ngram;
    if (command.was_given("--num-hashes")) parameters.permutations = given.permutations;
    if (command.was_given("--threshold")) parameters.threshold = given.threshold;
    dedup::validate(parameters);
    if (command.was_given("--threshold") || command.was_given("--num-hashes")) {
        const dedup::Banding best = dedup::best_banding(
            parameters.threshold, parameters.permutations, parameters.miss_weight);
        parameters.bands = best.bands;
        parameters.rows = best.rows;
    }
    if (command.was_given("--bands") != command.was_given("--rows")) {
        throw UsageError("--bands and --rows are given together or not at all");
    }
    if (command.was_given("--bands")) {
        parameters.bands = given.bands;
        parameters.rows = given.rows;
    }
    dedup::validate(parameters);
    if (command.was_given("--num-hashes") && parameters.num_hashes() > parameters.permutations) {
        throw UsageError(format("--bands {} x --rows {} need more than --num-hashes {}",
                                parameters.bands, parameters.rows, parameters.permutations));
    }
    return parameters;
}

}  // namespace longhaul

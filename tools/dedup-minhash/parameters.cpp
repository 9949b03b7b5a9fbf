// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dedup-minhash/parameters.h"

#include "lib/base/error.h"

namespace longhaul {

void ParameterOptions::add_to(cli::Command& command) {
    const std::string group = "Parameters";
    command.option("--preset", preset, "NAME", "recipe: fineweb (14 x 8, 5 words)").group(group);
    command
        .option("--threshold", given.threshold, "J",
                "true Jaccard from which a document goes; also chooses bands and rows")
        .group(group);
    command.option("--bands", given.bands, "N", "bands of a signature").group(group);
    command.option("--rows", given.rows, "N", "hashes in a band").group(group);
    command.option("--ngram", given.ngram, "N", "words in a shingle").group(group);
    command
        .option("--hash", hash, "NAME",
                "native, or datatrove: signatures equal to that program's, slower")
        .group(group);
}

dedup::Parameters ParameterOptions::resolve(const cli::Command& command) const {
    dedup::Parameters parameters = dedup::preset_parameters(preset);
    parameters.preset = preset;
    parameters.scheme = dedup::parse_scheme(hash);
    if (command.was_given("--ngram")) parameters.ngram = given.ngram;
    if (command.was_given("--threshold")) {
        parameters.threshold = given.threshold;
        dedup::validate(parameters);
        const dedup::Banding best = dedup::best_banding(given.threshold);
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
    return parameters;
}

}  // namespace longhaul

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/dump.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "lib/base/error.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/shards/dataset.h"
#include "lib/token/load.h"

namespace longhaul::tokenize {

namespace {

using Visit = std::function<void(const shards::DocumentRef&, const std::vector<uint32_t>&)>;

void visit_documents(const shards::Dataset& dataset, const DumpOptions& options,
                     const Visit& visit) {
    const uint64_t total = dataset.info().num_documents;
    if (options.first > total) {
        throw UsageError(
            format("--first {}: {} has {} documents", options.first, options.source.path, total));
    }
    const uint64_t rest = total - options.first;
    const uint64_t count = options.count == 0 ? rest : std::min(options.count, rest);
    std::vector<uint32_t> ids;
    for (uint64_t i = 0; i < count; ++i) {
        const shards::DocumentRef document = dataset.document(options.first + i);
        ids.resize(document.num_tokens);
        dataset.read(document.first_token, std::span<uint32_t>(ids));
        visit(document, ids);
    }
}

io::Json describe(const shards::Dataset& dataset, const shards::DocumentRef& document) {
    return {{"document", document.index},
            {"file", dataset.input_paths().at(document.input)},
            {"record", document.record},
            {"tokens", document.num_tokens}};
}

}  // namespace

ExitCode run_decode(const DumpOptions& options) {
    const OpenedData data = open_data(options.source);
    if (!data.tokenizer) {
        throw UsageError(
            format("{} does not say its tokenizer: name it by --tokenizer", options.source.path));
    }
    const shards::Dataset dataset(options.source.path, data.options);
    const token::Tokenizer& tokenizer = *data.tokenizer;
    visit_documents(dataset, options, [&](const auto& document, const auto& ids) {
        // Also borders that are no control tokens are no text of the document.
        const std::string text =
            options.keep_special
                ? tokenizer.decode(ids, false)
                : tokenizer.decode(inside_borders(ids, data.set.details.borders), true);
        if (!options.as_json) {
            cli::print(text + "\n");
            return;
        }
        io::Json line = describe(dataset, document);
        line["text"] = text;
        cli::print(io::to_line(line) + "\n");
    });
    return ExitCode::kOk;
}

ExitCode run_cat(const DumpOptions& options) {
    const OpenedData data = open_data(options.source);
    const shards::Dataset dataset(options.source.path, data.options);
    visit_documents(dataset, options, [&](const auto& document, const auto& ids) {
        if (options.as_json) {
            io::Json line = describe(dataset, document);
            line["ids"] = ids;
            cli::print(io::to_line(line) + "\n");
            return;
        }
        std::string line;
        for (const uint32_t id : ids) line += (line.empty() ? "" : " ") + std::to_string(id);
        cli::print(line + "\n");
    });
    return ExitCode::kOk;
}

}  // namespace longhaul::tokenize

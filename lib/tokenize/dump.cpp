// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/dump.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "lib/base/error.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "lib/shards/dataset.h"
#include "lib/text/unicode.h"
#include "lib/token/load.h"
#include "lib/tokenize/source_text.h"

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

/// JSON is UTF-8: what is not stands beside its best reading as hexadecimal digits.
void add_text(const std::string& text, io::Json& line) {
    if (text::is_valid_utf8(text)) {
        line["text"] = text;
        return;
    }
    uint64_t replaced = 0;
    line["text"] = text::replace_invalid_utf8(text, replaced);
    std::string hex;
    for (const char byte : text) hex += format("{:02x}", static_cast<uint8_t>(byte));
    line["text_hex"] = hex;
}

/// Ids that the tokenizer does not have give no text, as in HF's decoders.
struct Unknown {
    uint64_t count = 0, first_document = 0;
    uint32_t first_id = 0;

    void look(const token::Tokenizer& tokenizer, uint64_t document, std::span<const uint32_t> ids) {
        for (const uint32_t id : ids) {
            if (tokenizer.is_token(id)) continue;
            if (count++ > 0) continue;
            first_document = document;
            first_id = id;
        }
    }
    void warn() const {
        if (count == 0) return;
        log::warn(
            "{} ids are no tokens of the tokenizer and give no text, the first, {}, in document {}",
            count, first_id, first_document);
    }
};

}  // namespace

ExitCode run_decode(const DumpOptions& options) {
    const OpenedData data = open_data(options.source);
    if (!data.tokenizer) {
        throw UsageError(
            format("{} does not say its tokenizer: name it by --tokenizer", options.source.path));
    }
    const shards::Dataset dataset(options.source.path, data.options);
    const token::Tokenizer& tokenizer = *data.tokenizer;
    const bool keeps_bytes = keeps_raw_bytes(data.set.manifest);
    Unknown unknown;
    visit_documents(dataset, options, [&](const auto& document, const auto& ids) {
        std::span<const uint32_t> shown(ids);
        unknown.look(tokenizer, document.index, shown);
        // Also borders that are no control tokens are no text of the document.
        if (!options.keep_special) shown = inside_borders(ids, data.set.details.borders);
        const std::string text = keeps_bytes ? tokenizer.decode_bytes(shown, !options.keep_special)
                                             : tokenizer.decode(shown, !options.keep_special);
        if (!options.as_json) {
            cli::print(text + "\n");
            return;
        }
        io::Json line = describe(dataset, document);
        add_text(text, line);
        cli::print(io::to_line(line) + "\n");
    });
    unknown.warn();
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

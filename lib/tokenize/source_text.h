// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finding the source text of documents in shards again.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/corpus/document_scanner.h"
#include "lib/record/manifest.h"
#include "lib/shards/format.h"
#include "lib/token/encoder.h"

namespace longhaul::tokenize {

/// The options of the run that made the shards, as far as reading the sources again needs them.
struct SourceOptions {
    std::string input_format, text_field;
    uint64_t max_line_bytes = 0;
    corpus::TextPolicy text_policy;
    token::SpecialText special_text = token::SpecialText::kPlain;
    bool skips_empty = true;  // --empty=skip
};
/// False when the tokens came from files of another program, without texts.
bool has_source_options(const record::Manifest& manifest);
/// True when documents may hold bytes that are not UTF-8: decoding must keep them.
bool keeps_raw_bytes(const std::optional<record::Manifest>& manifest);
/// @throws DataError naming the manifest and the key
SourceOptions read_source_options(const record::Manifest& manifest, const std::string& name);

/// Calls visit(row, text) for the wanted rows of a segment; `rows` ascending, counted from its
/// begin.
/// @throws IoError when the input is not there, DataError when it is damaged.
void visit_rows(const shards::ShardDetails& details, const shards::Segment& segment,
                const SourceOptions& options, const std::vector<uint64_t>& rows,
                const std::function<void(uint64_t row, std::string_view text)>& visit);

}  // namespace longhaul::tokenize

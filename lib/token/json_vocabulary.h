// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Parses tokenizer JSON whose vocabulary has 10^5 members without building them as JSON values
// (ordered JSON objects are quadratic in their size).

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/io/json_fwd.h"

namespace longhaul::token {

/// Where the vocabulary and the merges sit, and who receives them.
struct VocabularyVisitor {
    /// Keys on the way to the vocabulary: {"model", "vocab"}, or none for a bare vocab.json.
    std::vector<std::string> vocabulary_path;
    std::function<void(const std::string& content, int64_t id)> on_token;
    /// For a vocabulary that is an array of [content, score]; empty: such a one is not taken out.
    std::function<void(const std::string& content, double score)> on_scored = {};
    /// Keys on the way to an array of "a b" or ["a", "b"]; empty: no merges are taken out.
    std::vector<std::string> merges_path;
    std::function<void(std::string_view left, std::string_view right, size_t index)> on_merge;
};

/// @return the rest of the document; the flags tell what was there.
struct ParsedVocabulary {
    bool has_vocabulary = false, has_scored = false, has_merges = false;
};
/// @throws DataError naming `source` and the place.
io::Json parse_with_vocabulary(std::string_view text, const std::string& source,
                               const VocabularyVisitor& visitor, ParsedVocabulary& parsed);

}  // namespace longhaul::token

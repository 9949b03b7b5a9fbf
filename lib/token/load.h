// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reading tokenizers: tokenizer.json of HF tokenizers, SentencePiece models, vocab.json +
// merges.txt, and tiktoken rank files. What can not be done exactly is refused by name.

#include <string>
#include <string_view>
#include <vector>

#include "lib/token/tokenizer.h"

namespace longhaul::token {

/// How the user names a tokenizer.
struct TokenizerSource {
    /// A tokenizer.json, a SentencePiece .model, a vocab.json with merges.txt beside it, a rank
    /// file, or a folder that holds source.json (written by Tokenizer::save), tokenizer.json,
    /// tokenizer.model, or vocab.json and merges.txt.
    std::string path;
    std::string pattern;                // a scheme's name; needed where the files do not say it
    std::vector<std::string> specials;  // "TEXT=ID", likewise
};

/// @throws DataError naming file and place; UsageError when pattern or specials are missing,
///         unknown, or given although the files say them.
Tokenizer load_tokenizer(const TokenizerSource& source);

// The formats by their content; `name` is the file's name for messages. For load_tokenizer(), tests
// and fuzzers.
TokenizerParts parse_tokenizer_json(std::string_view text, const std::string& name);
TokenizerParts parse_sentencepiece(std::string_view content, const std::string& name);
TokenizerParts parse_vocab_merges(std::string_view vocab, std::string_view merges,
                                  const std::string& vocab_name, const std::string& merges_name,
                                  const std::string& pattern);
TokenizerParts parse_ranks(std::string_view text, const std::string& name,
                           const std::string& pattern);
/// Sets the scheme that --pattern names. Rank files and merges do not say how text is cut, and a
/// wrong guess would give wrong ids without any error, so there is no default.
/// @throws UsageError: empty or unknown.
void set_named_pattern(TokenizerParts& parts, const std::string& pattern, const std::string& name);
/// Adds "TEXT=ID" tokens as special tokens.
void add_specials(TokenizerParts& parts, const std::vector<std::string>& specials);

}  // namespace longhaul::token

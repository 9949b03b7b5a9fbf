// SPDX-License-Identifier: BSD-3-Clause
// tokenizer.json of HF tokenizers. Source of the format: huggingface/tokenizers,
// tokenizer/serialization.rs.
#include <algorithm>
#include <array>

#include "lib/token/foreign_file.h"
#include "lib/token/load.h"
#include "lib/token/tokenizer_json_parts.h"

namespace longhaul::token {

namespace {

void check_version(const JsonField& version) {
    if (!version.is_null() && version.text() != "1.0") {
        version.fail(format("\"{}\" is not 1.0", version.text()));
    }
}

/// What HF tokenizers refuses, too: a name spelt wrongly would leave out a section without a word.
void check_keys(const io::Json& document, const JsonField& root) {
    constexpr std::array<std::string_view, 9> kKnown = {
        "version",       "truncation",     "padding", "added_tokens", "normalizer",
        "pre_tokenizer", "post_processor", "decoder", "model"};
    if (!document.is_object()) root.fail("is not an object");
    for (const auto& item : document.items()) {
        if (std::find(kKnown.begin(), kKnown.end(), item.key()) == kKnown.end()) {
            root.fail(format("\"{}\" is no section of a tokenizer.json", item.key()));
        }
    }
}

void note_ignored(const JsonField& root, TokenizerParts& parts) {
    for (const char* key : {"truncation", "padding"}) {
        const JsonField section = root.member(key);
        if (section.is_null()) continue;
        if (!section.is_object()) section.fail("is neither null nor an object");
        parts.warnings.push_back(format("{}: \"{}\" is ignored", root.place(), key));
    }
}

}  // namespace

TokenizerParts parse_tokenizer_json(std::string_view text, const std::string& name) {
    refuse_foreign_file(text, name);
    TokenizerParts parts;
    parts.kind = "tokenizer.json";
    parts.files = {{"tokenizer.json", std::string(text)}};
    JsonModel model(name);
    ParsedVocabulary parsed;
    const io::Json document = parse_with_vocabulary(text, name, model.visitor(), parsed);
    const JsonField root(&document, name);
    check_keys(document, root);
    check_version(root.member("version"));
    read_normalizer(root.member("normalizer"), parts.normalizer);
    read_pre_tokenizer(root.member("pre_tokenizer"), parts.pre_tokenizer);
    const bool is_translated = parts.normalizer.ends_in_byte_alphabet();
    const bool is_byte_level = parts.pre_tokenizer.ends_in_byte_alphabet(is_translated);
    parts.model = model.build(root.member("model"), parsed, is_byte_level, parts.warnings);
    if (parts.model->takes_bytes()) parts.pre_tokenizer.hand_over_bytes(is_translated);
    read_added_tokens(root.member("added_tokens"), model, parts);
    read_post_processor(root.member("post_processor"), parts);
    read_decoder(root.member("decoder"), parts.decoder);
    note_ignored(root, parts);
    return parts;
}

}  // namespace longhaul::token

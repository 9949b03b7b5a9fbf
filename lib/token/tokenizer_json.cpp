// SPDX-License-Identifier: BSD-3-Clause
// tokenizer.json of HF tokenizers. Source of the format: huggingface/tokenizers,
// tokenizer/serialization.rs.
#include "lib/token/load.h"
#include "lib/token/tokenizer_json_parts.h"

namespace longhaul::token {

namespace {

void check_version(const JsonField& version) {
    if (!version.is_null() && version.text() != "1.0") {
        version.fail(format("\"{}\" is not 1.0", version.text()));
    }
}

void note_ignored(const JsonField& root, TokenizerParts& parts) {
    for (const char* key : {"truncation", "padding"}) {
        if (!root.member(key).is_null()) {
            parts.warnings.push_back(format("{}: \"{}\" is ignored", root.place(), key));
        }
    }
}

}  // namespace

TokenizerParts parse_tokenizer_json(std::string_view text, const std::string& name) {
    TokenizerParts parts;
    parts.kind = "tokenizer.json";
    parts.files = {{"tokenizer.json", std::string(text)}};
    JsonModel model(name);
    ParsedVocabulary parsed;
    const io::Json document = parse_with_vocabulary(text, name, model.visitor(), parsed);
    const JsonField root(&document, name);
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

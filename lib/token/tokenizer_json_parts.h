// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sections of tokenizer.json around the model, each read by a file of its own. Source of the
// format: the Deserialize of each component of huggingface/tokenizers 0.23. Heavy: include from
// .cpp files only. All throw DataError naming file, path and cause.

#include "lib/token/json_field.h"
#include "lib/token/tokenizer.h"
#include "lib/token/tokenizer_json_model.h"

namespace longhaul::token {

/// Sequences inside sequences deeper than this are refused: the readers are recursive.
inline constexpr int kMaxNesting = 16;

/// "type" of a component.
inline std::string component_type(const JsonField& field, int depth) {
    if (depth > kMaxNesting) field.fail("sequences are nested too deeply");
    return field.member("type").text();
}
/// A complaint about a type that is not known.
[[noreturn]] inline void refuse_type(const JsonField& field, const std::string& type,
                                     const char* known) {
    field.fail(format("\"{}\" is not supported ({} are)", type, known));
}

/// The fields of ByteLevel that change offsets only, and so nothing here, where it is no step that
/// cuts: they must be there all the same.
inline void check_byte_level(const JsonField& field) {
    field.member("add_prefix_space").flag();
    field.member("trim_offsets").flag();
    field.member("use_regex").boolean(true);
}

/// {"String": ...} or {"Regex": ...} of Split and Replace.
struct JsonPattern {
    std::string text;
    bool is_regex = false;
    std::string place;
};
JsonPattern read_pattern(const JsonField& field);

/// What Metaspace of pre-tokeniser and decoder share.
Metaspace read_metaspace(const JsonField& field);

// null is nothing, for all of them.
void read_normalizer(const JsonField& field, Normalizer& steps);
void read_pre_tokenizer(const JsonField& field, PreTokenizer& steps);
void read_decoder(const JsonField& field, Decoder& decoder);
/// After the model and the added tokens, of which the ids must be.
void read_post_processor(const JsonField& field, TokenizerParts& parts);
void read_added_tokens(const JsonField& field, const JsonModel& model, TokenizerParts& parts);

}  // namespace longhaul::token

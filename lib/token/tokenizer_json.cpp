// SPDX-License-Identifier: BSD-3-Clause
// tokenizer.json of HF tokenizers, the byte-level BPE subset. Source of the format:
// huggingface/tokenizers, tokenizer/serialization.rs and the serialization of each component.
#include <algorithm>
#include <utility>

#include "lib/token/json_field.h"
#include "lib/token/json_vocabulary.h"
#include "lib/token/load.h"
#include "lib/token/tokenizer_json_model.h"

namespace longhaul::token {

namespace {

/// What a component is, or a complaint that names it.
std::string type_of(const JsonField& field) {
    return field.member("type").text();
}

[[noreturn]] void refuse(const JsonField& field, const std::string& type) {
    field.fail(format("\"{}\" is not supported", type));
}

void read_normalizer(const JsonField& field, TokenizerParts& parts) {
    if (field.is_null()) return;
    const std::string type = type_of(field);
    if (type == "NFC") {
        parts.normalizer.add_nfc();
    } else if (type == "Sequence") {
        for (const JsonField& step : field.member("normalizers").elements()) {
            read_normalizer(step, parts);
        }
    } else {
        refuse(field, type);
    }
}

SplitBehavior read_behavior(const JsonField& field) {
    const std::string name = field.text();
    if (name == "Removed") return SplitBehavior::kRemoved;
    if (name == "Isolated") return SplitBehavior::kIsolated;
    if (name == "MergedWithPrevious") return SplitBehavior::kMergedWithPrevious;
    if (name == "MergedWithNext") return SplitBehavior::kMergedWithNext;
    if (name == "Contiguous") return SplitBehavior::kContiguous;
    field.fail(format("\"{}\" is no behavior", name));
}

void read_split(const JsonField& field, PreTokenizer& steps) {
    const SplitBehavior behavior = read_behavior(field.member("behavior"));
    const bool is_inverted = field.member("invert").boolean(false);
    const JsonField pattern = field.member("pattern");
    const JsonField regex = pattern.member("Regex"), literal = pattern.member("String");
    if (regex.is_null() == literal.is_null()) pattern.fail("is neither {Regex} nor {String}");
    if (!literal.is_null()) {
        if (literal.text().empty()) literal.fail("is empty");
        steps.add_literal(literal.text(), behavior, is_inverted);
        return;
    }
    const std::string text = regex.text();
    with_context(
        [&] {
            if (const auto scheme = scheme_by_pattern(text)) {
                steps.add_scheme(*scheme, behavior, is_inverted);
            } else {
                steps.add_regex(text, behavior, is_inverted);
            }
        },
        "{}", regex.place());
}

/// @param has_byte_level set by ByteLevel, after which no step may follow.
void read_pre_tokenizer(const JsonField& field, PreTokenizer& steps, bool& has_byte_level) {
    if (field.is_null()) return;
    const std::string type = type_of(field);
    if (has_byte_level) {
        field.fail(format("\"{}\" after ByteLevel is not supported", type));
    }
    if (type == "Sequence") {
        for (const JsonField& step : field.member("pretokenizers").elements()) {
            read_pre_tokenizer(step, steps, has_byte_level);
        }
    } else if (type == "ByteLevel") {
        if (field.member("add_prefix_space").boolean(true)) steps.add_prefix_space();
        if (field.member("use_regex").boolean(true)) {
            steps.add_scheme(Scheme::kGpt2, SplitBehavior::kIsolated, false);
        }
        has_byte_level = true;
    } else if (type == "Split") {
        read_split(field, steps);
    } else if (type == "Digits") {
        const bool each = field.member("individual_digits").boolean(false);
        steps.add_regex("\\p{N}", each ? SplitBehavior::kIsolated : SplitBehavior::kContiguous,
                        false);
    } else {
        refuse(field, type);
    }
}

/// Ids of the special tokens before and after the text in TemplateProcessing.single.
void read_template(const JsonField& field, TokenizerParts& parts) {
    const JsonField specials = field.member("special_tokens");
    bool after_text = false;
    for (const JsonField& item : field.member("single").elements()) {
        const JsonField special = item.member("SpecialToken");
        if (special.is_null()) {
            const JsonField sequence = item.member("Sequence");
            if (sequence.is_null()) item.fail("is neither SpecialToken nor Sequence");
            if (after_text) sequence.fail("the text occurs twice");
            after_text = true;
            continue;
        }
        const std::string name = special.member("id").text();
        const JsonField known = specials.member(name.c_str());
        if (known.is_null()) special.fail(format("\"{}\" is not in special_tokens", name));
        for (const JsonField& id : known.member("ids").elements()) {
            const int64_t value = id.integer();
            if (value < 0 || value > kMaxTokenId) id.fail(format("{} is no token id", value));
            (after_text ? parts.suffix : parts.prefix).push_back(static_cast<uint32_t>(value));
        }
    }
    if (!after_text) field.member("single").fail("has no Sequence for the text");
}

void read_post_processor(const JsonField& field, TokenizerParts& parts) {
    if (field.is_null()) return;
    const std::string type = type_of(field);
    if (type == "TemplateProcessing") {
        if (!parts.prefix.empty() || !parts.suffix.empty()) field.fail("a second template");
        read_template(field, parts);
    } else if (type == "Sequence") {
        for (const JsonField& step : field.member("processors").elements()) {
            read_post_processor(step, parts);
        }
    } else if (type != "ByteLevel") {  // ByteLevel changes offsets only
        refuse(field, type);
    }
}

void read_decoder(const JsonField& field) {
    if (field.is_null()) return;
    const std::string type = type_of(field);
    if (type == "Sequence") {
        for (const JsonField& step : field.member("decoders").elements()) read_decoder(step);
    } else if (type != "ByteLevel") {
        refuse(field, type);
    }
}

/// Added tokens, with the ids that HF tokenizers would give them: it ignores the file's.
void read_added_tokens(const JsonField& field, const JsonModel& model, TokenizerParts& parts) {
    if (field.is_null()) return;
    int64_t largest_id = -1;  // of the added tokens so far
    for (const JsonField& item : field.elements()) {
        AddedToken token;
        token.content = item.member("content").text();
        token.is_single_word = item.member("single_word").boolean(false);
        token.strips_left = item.member("lstrip").boolean(false);
        token.strips_right = item.member("rstrip").boolean(false);
        token.is_special = item.member("special").boolean(false);
        token.is_normalized = item.member("normalized").boolean(!token.is_special);
        const int64_t id = item.member("id").integer();
        if (token.content.empty()) item.fail("an empty added token");
        for (const AddedToken& other : parts.added) {
            if (other.content == token.content) {
                item.fail(format("\"{}\" is added twice", token.content));
            }
        }
        const uint32_t in_model = model.find(token.content);
        const int64_t next_id = std::max<int64_t>(model.num_tokens(), largest_id + 1);
        const int64_t expected = in_model != kNoToken ? int64_t{in_model} : next_id;
        largest_id = std::max(largest_id, expected);
        if (id != expected) {
            item.fail(format("\"{}\" has id {}, but {} it gets {} in HF tokenizers; renumber it",
                             token.content, id,
                             in_model != kNoToken ? "as a token of model.vocab" : "as a new token",
                             expected));
        }
        if (id > kMaxTokenId) item.fail(format("id {} is too large", id));
        token.id = static_cast<uint32_t>(id);
        parts.added.push_back(std::move(token));
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
    if (const JsonField version = root.member("version"); !version.is_null()) {
        if (version.text() != "1.0") version.fail(format("\"{}\" is not 1.0", version.text()));
    }
    read_normalizer(root.member("normalizer"), parts);
    bool has_byte_level = false;
    read_pre_tokenizer(root.member("pre_tokenizer"), parts.pre_tokenizer, has_byte_level);
    parts.model = model.build(root.member("model"), parsed, has_byte_level, parts.warnings);
    read_added_tokens(root.member("added_tokens"), model, parts);
    read_post_processor(root.member("post_processor"), parts);
    read_decoder(root.member("decoder"));
    note_ignored(root, parts);
    for (const AddedToken& token : parts.added) {
        const Vocabulary& vocabulary = parts.model->vocabulary();
        if (vocabulary.contains(token.id) && model.find(token.content) != token.id) {
            throw DataError(
                format("{}: added token \"{}\" and a token of model.vocab both have id "
                       "{}",
                       name, token.content, token.id));
        }
    }
    return parts;
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
// The "post_processor" section of tokenizer.json: which tokens stand before and after a text.
#include <algorithm>

#include "lib/token/tokenizer_json_parts.h"

namespace longhaul::token {

namespace {

constexpr const char* kKnown =
    "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel and Sequence";

uint32_t read_id(const JsonField& field, const TokenizerParts& parts) {
    const int64_t value = field.integer();
    if (value < 0 || value > kMaxTokenId) field.fail(format("{} is no token id", value));
    const auto id = static_cast<uint32_t>(value);
    const bool is_added = std::any_of(parts.added.begin(), parts.added.end(),
                                      [id](const AddedToken& token) { return token.id == id; });
    if (!is_added && !parts.model->vocabulary().contains(id)) {
        field.fail(format("{} is the id of no token", value));
    }
    return id;
}

void append_ids(const JsonField& special, const JsonField& specials, const TokenizerParts& parts,
                std::vector<uint32_t>& ids) {
    const std::string name = special.member("id").text();
    const JsonField known = specials.member(name.c_str());
    if (known.is_null()) special.fail(format("\"{}\" is not in special_tokens", name));
    for (const JsonField& id : known.member("ids").elements()) ids.push_back(read_id(id, parts));
}

/// An element of a template. @param texts "A", or "AB" where two may occur @return true for a
/// special token
bool check_template_element(const JsonField& item, const char* texts) {
    const JsonField special = item.member("SpecialToken"), sequence = item.member("Sequence");
    if (special.is_null() == sequence.is_null()) item.fail("is neither SpecialToken nor Sequence");
    const bool is_special = sequence.is_null();
    const JsonField& given = is_special ? special : sequence;
    const JsonField id = given.member("id"), type_id = given.member("type_id");
    if (!type_id.is_null()) type_id.count();  // of no use here, but a sign of a damaged file
    const std::string name = id.text();
    if (!is_special &&
        (name.size() != 1 || std::string_view(texts).find(name) == std::string::npos)) {
        id.fail(format("\"{}\" is not {}", name, texts[1] == 0 ? "A, the text" : "A or B"));
    }
    return is_special;
}

/// TemplateProcessing.single: special tokens before and after the text.
void read_template(const JsonField& field, TokenizerParts& parts) {
    const JsonField specials = field.member("special_tokens"), pair = field.member("pair");
    bool after_text = false;
    for (const JsonField& item : field.member("single").elements()) {
        if (check_template_element(item, "A")) {
            append_ids(item.member("SpecialToken"), specials, parts,
                       after_text ? parts.suffix : parts.prefix);
            continue;
        }
        if (after_text) item.member("Sequence").fail("the text occurs twice");
        after_text = true;
    }
    if (!after_text) field.member("single").fail("has no Sequence for the text");
    if (pair.is_null()) return;
    for (const JsonField& item : pair.elements()) check_template_element(item, "AB");
}

/// BertProcessing and RobertaProcessing: "cls" before and "sep" after the text, each [text, id].
void read_cls_and_sep(const JsonField& field, TokenizerParts& parts) {
    const auto read_pair = [&](const char* key) {
        const JsonField pair = field.member(key);
        const std::vector<JsonField> elements = pair.elements();
        if (elements.size() != 2) pair.fail("is not a pair of text and id");
        elements[0].text();
        return read_id(elements[1], parts);
    };
    parts.prefix.push_back(read_pair("cls"));
    parts.suffix.push_back(read_pair("sep"));
}

void read_steps(const JsonField& field, TokenizerParts& parts, int depth) {
    const std::string type = component_type(field, depth);
    if (type == "Sequence") {
        for (const JsonField& step : field.member("processors").elements()) {
            read_steps(step, parts, depth + 1);
        }
        return;
    }
    if (type == "ByteLevel") return check_byte_level(field);
    const bool is_pair = type == "BertProcessing" || type == "RobertaProcessing";
    if (!is_pair && type != "TemplateProcessing") refuse_type(field, type, kKnown);
    if (parts.has_template) field.fail(format("\"{}\" is a second template", type));
    parts.has_template = true;
    if (is_pair) {
        read_cls_and_sep(field, parts);
    } else {
        read_template(field, parts);
    }
}

}  // namespace

void read_post_processor(const JsonField& field, TokenizerParts& parts) {
    if (!field.is_null()) read_steps(field, parts, 0);
}

}  // namespace longhaul::token

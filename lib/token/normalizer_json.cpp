// SPDX-License-Identifier: BSD-3-Clause
// The "normalizer" section of tokenizer.json.
#include "lib/token/base64.h"
#include "lib/token/normalizer_steps.h"
#include "lib/token/tokenizer_json_parts.h"

namespace longhaul::token {

namespace {

constexpr const char* kKnown =
    "NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Prepend, Replace, Precompiled, "
    "ByteLevel, "
    "BertNormalizer, Nmt and Sequence";

NormalizerStepPtr read_replace(const JsonField& field) {
    const JsonPattern pattern = read_pattern(field.member("pattern"));
    std::string content = field.member("content").text();
    if (!pattern.is_regex) return make_replace_step(pattern.text, std::move(content));
    return with_context([&] { return make_replace_regex_step(pattern.text, std::move(content)); },
                        "{}", pattern.place);
}

NormalizerStepPtr read_precompiled(const JsonField& field) {
    const JsonField map = field.member("precompiled_charsmap");
    const auto bytes = decode_base64(map.text());
    if (!bytes) map.fail("is not base64");
    return make_precompiled_step(Charsmap::parse(*bytes, map.place()));
}

NormalizerStepPtr read_bert(const JsonField& field) {
    BertNormalizerOptions options;
    options.cleans_text = field.member("clean_text").flag();
    options.isolates_han = field.member("handle_chinese_chars").flag();
    options.lowers_case = field.member("lowercase").flag();
    options.strips_accents = field.member("strip_accents").boolean(options.lowers_case);
    return make_bert_step(options);
}

NormalizerStepPtr read_step(const JsonField& field, const std::string& type) {
    if (type == "NFC") return make_form_step(text::Form::kNfc);
    if (type == "NFD") return make_form_step(text::Form::kNfd);
    if (type == "NFKC") return make_form_step(text::Form::kNfkc);
    if (type == "NFKD") return make_form_step(text::Form::kNfkd);
    if (type == "Lowercase") return make_lowercase_step();
    if (type == "StripAccents") return make_strip_accents_step();
    if (type == "Strip") {
        const bool left = field.member("strip_left").flag();
        return make_strip_step(left, field.member("strip_right").flag());
    }
    if (type == "Prepend") return make_prepend_step(field.member("prepend").text());
    if (type == "Replace") return read_replace(field);
    if (type == "Precompiled") return read_precompiled(field);
    if (type == "ByteLevel") return make_byte_level_step();
    if (type == "BertNormalizer") return read_bert(field);
    if (type == "Nmt") return make_nmt_step();
    refuse_type(field, type, kKnown);
}

void read_steps(const JsonField& field, Normalizer& steps, int depth) {
    const std::string type = component_type(field, depth);
    if (type != "Sequence") {
        steps.add(read_step(field, type));
        return;
    }
    for (const JsonField& step : field.member("normalizers").elements()) {
        read_steps(step, steps, depth + 1);
    }
}

}  // namespace

JsonPattern read_pattern(const JsonField& field) {
    const JsonField regex = field.member("Regex"), literal = field.member("String");
    if (regex.is_null() == literal.is_null()) field.fail("is neither {Regex} nor {String}");
    const JsonField& given = regex.is_null() ? literal : regex;
    JsonPattern pattern{given.text(), !regex.is_null(), given.place()};
    if (pattern.text.empty()) given.fail("is empty");
    return pattern;
}

void read_normalizer(const JsonField& field, Normalizer& steps) {
    if (!field.is_null()) read_steps(field, steps, 0);
}

}  // namespace longhaul::token

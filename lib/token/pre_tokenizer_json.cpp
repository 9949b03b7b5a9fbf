// SPDX-License-Identifier: BSD-3-Clause
// The "pre_tokenizer" section of tokenizer.json.
#include "lib/token/tokenizer_json_parts.h"

namespace longhaul::token {

namespace {

constexpr const char* kKnown =
    "Split, ByteLevel, Digits, Metaspace, Punctuation, Whitespace, WhitespaceSplit, "
    "BertPreTokenizer, CharDelimiterSplit, UnicodeScripts, FixedLength and Sequence";

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
    const bool is_inverted = field.member("invert").flag();
    const JsonPattern pattern = read_pattern(field.member("pattern"));
    if (!pattern.is_regex) {
        steps.add_literal(pattern.text, behavior, is_inverted);
        return;
    }
    with_context(
        [&] {
            if (const auto scheme = scheme_by_pattern(pattern.text)) {
                steps.add_scheme(*scheme, behavior, is_inverted);
            } else {
                steps.add_regex(pattern.text, behavior, is_inverted);
            }
        },
        "{}", pattern.place);
}

void read_byte_level(const JsonField& field, PreTokenizer& steps) {
    field.member("trim_offsets").flag();  // changes offsets only
    if (field.member("add_prefix_space").flag()) steps.add_prefix_space();
    if (field.member("use_regex").boolean(true)) {
        steps.add_scheme(Scheme::kGpt2, SplitBehavior::kIsolated, false);
    }
    steps.add_byte_alphabet();
}

void read_digits(const JsonField& field, PreTokenizer& steps) {
    const bool each = field.member("individual_digits").flag();
    steps.add_class(SplitClass::kNumeric,
                    each ? SplitBehavior::kIsolated : SplitBehavior::kContiguous);
}

void read_punctuation(const JsonField& field, PreTokenizer& steps) {
    const JsonField behavior = field.member("behavior");
    steps.add_class(SplitClass::kPunctuation,
                    behavior.is_null() ? SplitBehavior::kIsolated : read_behavior(behavior));
}

void read_fixed_length(const JsonField& field, PreTokenizer& steps) {
    const JsonField length = field.member("length");
    const size_t value = length.is_null() ? 5 : length.count();
    if (value == 0) length.fail("0 characters make no piece");
    steps.add_fixed_length(value);
}

void read_steps(const JsonField& field, PreTokenizer& steps, int depth) {
    const std::string type = component_type(field, depth);
    if (type == "Sequence") {
        for (const JsonField& step : field.member("pretokenizers").elements()) {
            read_steps(step, steps, depth + 1);
        }
    } else if (type == "Split") {
        read_split(field, steps);
    } else if (type == "ByteLevel") {
        read_byte_level(field, steps);
    } else if (type == "Digits") {
        read_digits(field, steps);
    } else if (type == "Metaspace") {
        steps.add_metaspace(read_metaspace(field));
    } else if (type == "Punctuation") {
        read_punctuation(field, steps);
    } else if (type == "Whitespace") {
        steps.add_words();
    } else if (type == "WhitespaceSplit") {
        steps.add_class(SplitClass::kWhiteSpace, SplitBehavior::kRemoved);
    } else if (type == "BertPreTokenizer") {
        steps.add_class(SplitClass::kWhiteSpace, SplitBehavior::kRemoved);
        steps.add_class(SplitClass::kPunctuation, SplitBehavior::kIsolated);
    } else if (type == "CharDelimiterSplit") {
        steps.add_literal(field.member("delimiter").character(), SplitBehavior::kRemoved, false);
    } else if (type == "UnicodeScripts") {
        steps.add_scripts();
    } else if (type == "FixedLength") {
        read_fixed_length(field, steps);
    } else {
        refuse_type(field, type, kKnown);
    }
}

}  // namespace

Metaspace read_metaspace(const JsonField& field) {
    Metaspace metaspace;
    metaspace.replacement = field.member("replacement").character();
    metaspace.splits = field.member("split").boolean(true);
    const JsonField scheme = field.member("prepend_scheme");
    const std::string name = scheme.is_null() ? "always" : scheme.text();
    if (name == "never") {
        metaspace.prepend = Metaspace::Prepend::kNever;
    } else if (name == "first") {
        metaspace.prepend = Metaspace::Prepend::kFirst;
    } else if (name != "always") {
        scheme.fail(format("\"{}\" is none of always, first, never", name));
    }
    // Files from before 0.19 have only this; "true" never changes anything.
    if (!field.member("add_prefix_space").boolean(true)) {
        if (!scheme.is_null() && name != "never") {
            scheme.fail(format("\"{}\" contradicts add_prefix_space false", name));
        }
        metaspace.prepend = Metaspace::Prepend::kNever;
    }
    return metaspace;
}

void read_pre_tokenizer(const JsonField& field, PreTokenizer& steps) {
    if (!field.is_null()) read_steps(field, steps, 0);
}

}  // namespace longhaul::token

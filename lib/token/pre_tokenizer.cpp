// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/pre_tokenizer.h"

#include <algorithm>

#include "lib/text/unicode.h"
#include "lib/token/byte_level.h"
#include "lib/token/hf_unicode.h"

namespace longhaul::token {

namespace {

/// Replaces every piece by what `write(piece, out)` appends, all in one new string.
template <class Write>
void rewrite_all(Pieces& pieces, size_t growth, Write&& write) {
    size_t size = 0;
    for (const std::string_view piece : pieces.views) size += piece.size();
    std::string& out = pieces.rewritten.emplace_back();
    out.reserve(size * growth + 4 * pieces.views.size());  // never grows: views point into it
    for (std::string_view& piece : pieces.views) {
        const size_t begin = out.size();
        write(piece, out);
        piece = std::string_view(out.data() + begin, out.size() - begin);
    }
}

void append_alphabet(std::string_view bytes, std::string& out) {
    for (const char byte : bytes) text::append_utf8(byte_to_char(static_cast<uint8_t>(byte)), out);
}

void append_bytes(std::string_view text, std::string& out) {
    for (size_t i = 0; i < text.size();) {
        const text::Decoded c = text::decode_utf8(text, i);
        if (const auto byte = char_to_byte(c.code_point)) out.push_back(static_cast<char>(*byte));
        i += c.length;
    }
}

/// The replacement may be longer than a space: at most four bytes for one, and one in front.
void append_metaspace(const Metaspace& metaspace, std::string_view piece, bool is_first,
                      std::string& out) {
    const bool has_it = piece.starts_with(' ') || piece.starts_with(metaspace.replacement);
    const bool prepends = metaspace.prepend == Metaspace::Prepend::kAlways ||
                          (metaspace.prepend == Metaspace::Prepend::kFirst && is_first);
    if (prepends && !has_it) out += metaspace.replacement;
    for (const char c : piece) {
        if (c == ' ') {
            out += metaspace.replacement;
        } else {
            out.push_back(c);
        }
    }
}

}  // namespace

void PreTokenizer::add_scheme(Scheme scheme, SplitBehavior behavior, bool is_inverted) {
    Step step{Kind::kScheme, behavior, is_inverted};
    step.scheme = scheme;
    step.truth = std::make_shared<const SchemeTruth>(scheme);
    steps_.push_back(std::move(step));
}

void PreTokenizer::add_regex(std::string_view pattern, SplitBehavior behavior, bool is_inverted) {
    Step step{Kind::kRegex, behavior, is_inverted};
    step.literal = std::string(pattern);
    step.regex = std::make_shared<const Regex>(pattern);
    steps_.push_back(std::move(step));
}

void PreTokenizer::add_literal(std::string literal, SplitBehavior behavior, bool is_inverted) {
    Step step{Kind::kLiteral, behavior, is_inverted};
    step.literal = std::move(literal);
    steps_.push_back(std::move(step));
}

void PreTokenizer::add_class(SplitClass what, SplitBehavior behavior) {
    Step step{Kind::kClass, behavior};
    step.split_class = what;
    steps_.push_back(std::move(step));
}

void PreTokenizer::add_words() {
    steps_.push_back({Kind::kWords, SplitBehavior::kRemoved, true});
}

void PreTokenizer::add_scripts() {
    steps_.push_back({Kind::kScripts});
}

void PreTokenizer::add_fixed_length(size_t length) {
    Step step{Kind::kLengths};
    step.length = length;
    steps_.push_back(std::move(step));
}

void PreTokenizer::add_metaspace(Metaspace metaspace) {
    Step step{Kind::kMetaspace};
    const bool splits = metaspace.splits;
    std::string replacement = metaspace.replacement;
    step.metaspace = std::move(metaspace);
    steps_.push_back(std::move(step));
    if (splits) add_literal(std::move(replacement), SplitBehavior::kMergedWithNext, false);
}

void PreTokenizer::add_prefix_space() {
    steps_.push_back({Kind::kPrefixSpace});
}

void PreTokenizer::add_byte_alphabet() {
    steps_.push_back({Kind::kToAlphabet});
}

bool PreTokenizer::ends_in_byte_alphabet(bool text_is_translated) const {
    bool is_translated = text_is_translated;
    for (const Step& step : steps_) {
        if (!is_rewriting(step.kind)) continue;
        if (is_translated) return false;  // a second translation, or characters of other kinds
        is_translated = step.kind == Kind::kToAlphabet;
    }
    return is_translated;
}

void PreTokenizer::hand_over_bytes(bool text_is_translated) {
    if (!text_is_translated && steps_.back().kind == Kind::kToAlphabet) {
        steps_.pop_back();  // the pieces are bytes anyway
    } else {
        steps_.push_back({Kind::kToBytes});
    }
}

/// How scheme.h writes a step whose matches and the text between them are pieces; "" for others.
std::string PreTokenizer::scheme_step(const Step& step) {
    if (step.kind == Kind::kToAlphabet) return kByteAlphabetStep;
    if (step.kind == Kind::kToBytes) return kBytesStep;
    if (step.kind == Kind::kClass && step.behavior == SplitBehavior::kContiguous) {
        if (step.split_class == SplitClass::kPunctuation) return kPunctuationRunsStep;
        return step.split_class == SplitClass::kNumeric ? kDigitRunsStep : "";
    }
    if (step.behavior != SplitBehavior::kIsolated) return "";
    if (step.kind == Kind::kRegex) return step.literal;
    const bool is_digits = step.kind == Kind::kClass && step.split_class == SplitClass::kNumeric;
    if (is_digits) return kEachDigitStep;
    if (step.kind != Kind::kScheme) return "";
    const SchemeInfo& info = scheme_info(step.scheme);
    return info.steps.size() == 1 ? info.steps[0] : "";
}

std::optional<Scheme> PreTokenizer::single_scheme() const {
    if (steps_.size() == 1 && steps_[0].kind == Kind::kScheme) {
        // The scanners' pieces cover the text, so nothing lies between them.
        const Step& step = steps_[0];
        const bool keeps_matches = step.behavior == SplitBehavior::kIsolated ||
                                   (step.behavior == SplitBehavior::kRemoved && step.is_inverted);
        return keeps_matches ? std::optional(step.scheme) : std::nullopt;
    }
    std::vector<std::string> texts;
    for (const Step& step : steps_) texts.push_back(scheme_step(step));
    return scheme_by_steps(texts);
}

bool PreTokenizer::scheme_holds_for(std::string_view text) const {
    const Step& first = steps_[0];
    const bool is_digits = first.kind == Kind::kClass && first.split_class == SplitClass::kNumeric;
    return !is_digits || !hf::has_newer_digits(text);
}

bool PreTokenizer::uses_classes() const {
    return std::any_of(steps_.begin(), steps_.end(), [](const Step& step) {
        return step.kind == Kind::kClass || step.kind == Kind::kScripts;
    });
}

bool PreTokenizer::keeps_text() const {
    return std::all_of(steps_.begin(), steps_.end(), [](const Step& step) {
        if (step.kind == Kind::kPrefixSpace || step.kind == Kind::kMetaspace ||
            step.kind == Kind::kScripts) {
            return false;
        }
        const bool covers = step.kind == Kind::kScheme && step.is_inverted;
        return step.behavior != SplitBehavior::kRemoved || covers;
    });
}

bool PreTokenizer::cuts_before_blanks() const {
    if (steps_.empty()) return false;
    const Step& first = steps_[0];
    const auto sees_document = [](const Step& step) {
        return step.kind == Kind::kMetaspace &&
               step.metaspace.prepend == Metaspace::Prepend::kFirst;
    };
    if (std::any_of(steps_.begin(), steps_.end(), sees_document)) return false;
    // Behind a step that always ends pieces at blanks, each step sees the same pieces as before.
    const bool drops_blanks =
        first.kind == Kind::kWords ||
        (first.kind == Kind::kClass && !first.is_inverted &&
         first.split_class == SplitClass::kWhiteSpace && first.behavior == SplitBehavior::kRemoved);
    return drops_blanks || (first.kind == Kind::kMetaspace && first.metaspace.splits);
}

const Metaspace* PreTokenizer::only_metaspace() const {
    const bool is_it = steps_.size() == 1 && steps_[0].kind == Kind::kMetaspace;
    return is_it ? &steps_[0].metaspace : nullptr;
}

bool PreTokenizer::only_splits_at(std::string_view literal) const {
    return steps_.size() == 1 && steps_[0].kind == Kind::kLiteral && steps_[0].literal == literal;
}

void PreTokenizer::find_spans(const Step& step, std::string_view text, bool use_scanners,
                              SplitSpans& spans) {
    switch (step.kind) {
        case Kind::kScheme:
            if (use_scanners) return find_pieces(step.scheme, text, spans);
            return find_pieces(*step.truth, text, spans);
        case Kind::kLiteral:
            return find_literal(step.literal, text, spans);
        case Kind::kClass:
            return find_class(step.split_class, text, spans);
        case Kind::kWords:
            return find_words(text, spans);
        case Kind::kScripts:
            return find_scripts(text, spans);
        case Kind::kLengths:
            return find_lengths(step.length, text, spans);
        default:
            break;
    }
    find_matches(*step.regex, text, spans);
}

void PreTokenizer::rewrite(const Step& step, bool starts_document, Pieces& pieces) {
    switch (step.kind) {
        case Kind::kMetaspace: {
            bool is_first = starts_document;
            return rewrite_all(pieces, step.metaspace.replacement.size(),
                               [&](std::string_view piece, std::string& out) {
                                   append_metaspace(step.metaspace, piece, is_first, out);
                                   is_first = false;
                               });
        }
        case Kind::kPrefixSpace:
            return rewrite_all(pieces, 1, [](std::string_view piece, std::string& out) {
                if (piece.front() != ' ') out.push_back(' ');
                out += piece;
            });
        case Kind::kToAlphabet:
            return rewrite_all(pieces, 2, append_alphabet);
        default:
            return rewrite_all(pieces, 1, append_bytes);
    }
}

void PreTokenizer::cut(const Step& step, bool use_scanners, bool& starts_document, Pieces& pieces) {
    thread_local std::vector<std::string_view> next;
    thread_local SplitSpans spans;
    next.clear();
    bool is_first = true;
    for (const std::string_view piece : pieces.views) {
        find_spans(step, piece, use_scanners, spans);
        apply_behavior(step.behavior, step.is_inverted, spans);
        if (is_first) starts_document = starts_document && !spans.empty() && spans[0].begin == 0;
        is_first = false;
        for (const SplitSpan& span : spans) {
            if (span.end > span.begin)
                next.push_back(piece.substr(span.begin, span.end - span.begin));
        }
    }
    pieces.views.swap(next);
}

void PreTokenizer::split(std::string_view text, Pieces& pieces, bool use_scanners,
                         bool starts_document) const {
    pieces.reset(text);
    if (text.empty()) pieces.views.clear();
    for (const Step& step : steps_) {
        if (is_rewriting(step.kind)) {
            rewrite(step, starts_document, pieces);
        } else {
            cut(step, use_scanners, starts_document, pieces);
        }
    }
}

}  // namespace longhaul::token

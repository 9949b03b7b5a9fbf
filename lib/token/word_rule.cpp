// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/word_rule.h"

#include <algorithm>

namespace longhaul::token {

namespace {

constexpr char kBlanks[] = {' ', '\n', '\t', '\r'};

/// How the text gets its U+2581, when nothing else happens to it.
bool read_marking(const TokenizerParts& parts, WordRule& rule) {
    bool replaces = false;
    for (const auto& step : parts.normalizer.steps()) {
        const auto [from, to] = step->rewrite();
        if (to != kSpaceMark) return false;
        const bool is_prefix = from.empty() && rule.prefix == WordRule::Prefix::kNever;
        const bool is_space = from == " " && !replaces;
        if (!is_prefix && !is_space) return false;
        if (is_prefix) rule.prefix = WordRule::Prefix::kAlways;
        if (is_space) replaces = true;
    }
    const PreTokenizer& steps = parts.pre_tokenizer;
    if (steps.is_identity() || (replaces && steps.only_splits_at(" "))) return replaces;
    const Metaspace* const metaspace = steps.only_metaspace();
    if (metaspace == nullptr || metaspace->replacement != kSpaceMark || replaces ||
        rule.prefix != WordRule::Prefix::kNever) {
        return false;
    }
    if (metaspace->prepend != Metaspace::Prepend::kNever) {
        rule.prefix = WordRule::Prefix::kUnlessThere;
        rule.prefix_at_document_only = metaspace->prepend == Metaspace::Prepend::kFirst;
    }
    return true;
}

std::optional<WordRule> find_marked_rule(const TokenizerParts& parts) {
    const Model& model = *parts.model;
    WordRule rule;
    rule.kind = WordRule::Kind::kMarked;
    if (!model.cuts_pieces() || model.vocabulary().find(kSpaceMark) == kNoToken) return {};
    if (!read_marking(parts, rule)) return {};
    rule.cuts.blanks.push_back(' ');
    rule.cuts.cuts_classes = true;
    rule.cuts.allowed = model.byte_cuts();
    return rule;
}

std::vector<std::string> pieces_of(const TokenizerParts& parts, const std::string& text,
                                   bool starts_document) {
    Pieces pieces;
    const std::string normal = parts.normalizer.apply(text, &starts_document);
    parts.pre_tokenizer.split(normal, pieces, true, starts_document);
    return {pieces.views.begin(), pieces.views.end()};
}

/// Whether a word behind this blank is one behind a space.
bool is_like_space(const TokenizerParts& parts, char blank) {
    const std::string other{blank, 'a'};
    std::vector<std::string> joined = pieces_of(parts, "a", true);
    const std::vector<std::string> second = pieces_of(parts, other, false);
    joined.insert(joined.end(), second.begin(), second.end());
    return pieces_of(parts, " a", false) == second &&
           pieces_of(parts, std::string{'a', blank, 'a'}, true) == joined;
}

std::optional<WordRule> find_split_rule(const TokenizerParts& parts) {
    if (!parts.pre_tokenizer.cuts_before_blanks() || parts.model->takes_bytes()) return {};
    WordRule rule;
    rule.kind = WordRule::Kind::kSplit;
    for (const char blank : kBlanks) {
        if (!parts.normalizer.cuts_before(blank) || !is_like_space(parts, blank)) continue;
        rule.cuts.blanks += blank;
    }
    if (rule.cuts.blanks.empty()) return {};
    for (auto& row : rule.cuts.allowed) row.set();
    // Blanks that are not among them stay inside of words.
    for (const char blank : kBlanks) rule.cuts.allowed[static_cast<uint8_t>(blank)].reset();
    return rule;
}

}  // namespace

std::optional<WordRule> find_word_rule(const TokenizerParts& parts) {
    std::optional<WordRule> rule = find_marked_rule(parts);
    return rule ? rule : find_split_rule(parts);
}

}  // namespace longhaul::token

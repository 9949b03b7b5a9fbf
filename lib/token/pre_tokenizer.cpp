// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/pre_tokenizer.h"

#include <algorithm>

namespace longhaul::token {

namespace {

/// Joins each match to its neighbour before it (in the order of iteration), unless that is a match.
template <class Iterator, class Span>
std::vector<Span> merge_into_neighbour(Iterator begin, Iterator end, std::vector<Span> out) {
    bool previous_match = false;
    for (auto span = begin; span != end; ++span) {
        if (span->is_match && !previous_match && !out.empty()) {
            out.back().begin = std::min(out.back().begin, span->begin);
            out.back().end = std::max(out.back().end, span->end);
        } else {
            out.push_back(*span);
        }
        previous_match = span->is_match;
    }
    return out;
}

}  // namespace

void PreTokenizer::add_scheme(Scheme scheme, SplitBehavior behavior, bool is_inverted) {
    auto truth = std::make_shared<const SchemeTruth>(scheme);
    steps_.push_back(
        {Step::Kind::kScheme, scheme, nullptr, std::move(truth), {}, behavior, is_inverted});
}

void PreTokenizer::add_regex(std::string_view pattern, SplitBehavior behavior, bool is_inverted) {
    auto regex = std::make_shared<const Regex>(pattern);
    steps_.push_back(
        {Step::Kind::kRegex, {}, std::move(regex), nullptr, {}, behavior, is_inverted});
}

void PreTokenizer::add_literal(std::string literal, SplitBehavior behavior, bool is_inverted) {
    steps_.push_back(
        {Step::Kind::kLiteral, {}, nullptr, nullptr, std::move(literal), behavior, is_inverted});
}

void PreTokenizer::add_prefix_space() {
    steps_.push_back({Step::Kind::kPrefixSpace});
}

std::optional<Scheme> PreTokenizer::single_scheme() const {
    if (steps_.size() != 1 || steps_[0].kind != Step::Kind::kScheme) return std::nullopt;
    // The scanners' pieces cover the text, so nothing lies between them.
    const Step& step = steps_[0];
    const bool keeps_matches = step.behavior == SplitBehavior::kIsolated ||
                               (step.behavior == SplitBehavior::kRemoved && step.is_inverted);
    return keeps_matches ? std::optional(step.scheme) : std::nullopt;
}

bool PreTokenizer::keeps_text() const {
    return std::all_of(steps_.begin(), steps_.end(), [](const Step& step) {
        if (step.kind == Step::Kind::kPrefixSpace) return false;
        const bool covers = step.kind == Step::Kind::kScheme && step.is_inverted;
        return step.behavior != SplitBehavior::kRemoved || covers;
    });
}

void PreTokenizer::find_spans(const Step& step, std::string_view text, bool use_scanners,
                              std::vector<Span>& spans) {
    spans.clear();
    size_t done = 0;
    const auto add_match = [&](size_t begin, size_t end) {
        if (begin > done) spans.push_back({done, begin, false});
        if (end > begin) spans.push_back({begin, end, true});
        done = end;
    };
    if (step.kind == Step::Kind::kScheme && use_scanners) {
        for (size_t begin = 0; begin < text.size();) {
            const size_t end = next_piece(step.scheme, text, begin);
            add_match(begin, end);
            begin = end;
        }
    } else if (step.kind == Step::Kind::kScheme) {
        std::vector<std::string_view> pieces;
        step.truth->split(text, pieces);
        for (const std::string_view piece : pieces) add_match(done, done + piece.size());
    } else if (step.kind == Step::Kind::kLiteral) {
        const size_t length = step.literal.size();
        for (size_t at = text.find(step.literal); at != std::string_view::npos && length != 0;
             at = text.find(step.literal, at + length)) {
            add_match(at, at + length);
        }
    } else {
        for (size_t from = 0; from <= text.size();) {
            const auto match = step.regex->find(text, from);
            if (!match) break;
            add_match(match->begin, match->end);
            const bool is_empty = match->end == match->begin;
            const size_t skip = is_empty && match->end < text.size()
                                    ? text::decode_utf8(text, match->end).length
                                    : (is_empty ? 1 : 0);
            from = match->end + skip;
        }
    }
    if (done < text.size()) spans.push_back({done, text.size(), false});
}

void PreTokenizer::apply(const Step& step, std::vector<Span>& spans) {
    if (step.is_inverted) {
        for (Span& span : spans) span.is_match = !span.is_match;
    }
    switch (step.behavior) {
        case SplitBehavior::kIsolated:
            return;
        case SplitBehavior::kRemoved:
            std::erase_if(spans, [](const Span& span) { return span.is_match; });
            return;
        case SplitBehavior::kMergedWithPrevious:
            spans = merge_into_neighbour(spans.begin(), spans.end(), std::vector<Span>());
            return;
        case SplitBehavior::kMergedWithNext:
            spans = merge_into_neighbour(spans.rbegin(), spans.rend(), std::vector<Span>());
            std::reverse(spans.begin(), spans.end());
            return;
        case SplitBehavior::kContiguous:
            break;
    }
    std::vector<Span> joined;
    for (const Span& span : spans) {
        if (!joined.empty() && joined.back().is_match == span.is_match) {
            joined.back().end = span.end;
        } else {
            joined.push_back(span);
        }
    }
    spans = std::move(joined);
}

void PreTokenizer::split(std::string_view text, Pieces& pieces, bool use_scanners) const {
    pieces.reset(text);
    std::vector<std::string_view> next;
    std::vector<Span> spans;
    for (const Step& step : steps_) {
        next.clear();
        for (std::string_view piece : pieces.views) {
            if (piece.empty()) continue;
            if (step.kind == Step::Kind::kPrefixSpace) {
                if (piece.front() != ' ') {
                    piece = pieces.rewritten.emplace_back(" " + std::string(piece));
                }
                next.push_back(piece);
                continue;
            }
            find_spans(step, piece, use_scanners, spans);
            apply(step, spans);
            for (const Span& span : spans) {
                next.push_back(piece.substr(span.begin, span.end - span.begin));
            }
        }
        pieces.views.swap(next);
    }
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/split_spans.h"

#include <algorithm>
#include <array>

#include "lib/text/unicode.h"
#include "lib/token/hf_unicode.h"

namespace longhaul::token {

namespace {

/// Appends matches and the text between them.
class SpanWriter {
 public:
    SpanWriter(std::string_view text, SplitSpans& spans) : text_(text), spans_(spans) {
        spans_.clear();
    }
    void add(size_t begin, size_t end) {
        if (begin > done_) spans_.push_back({done_, begin, false});
        spans_.push_back({begin, end, true});
        done_ = end;
    }
    void finish() {
        if (done_ < text_.size()) spans_.push_back({done_, text_.size(), false});
    }

 private:
    std::string_view text_;
    SplitSpans& spans_;
    size_t done_ = 0;
};

/// Joins each match to its neighbour before it (in the order of iteration), unless that is a match.
template <class Iterator>
SplitSpans merge_into_neighbour(Iterator begin, Iterator end) {
    SplitSpans out;
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

template <bool (*kIsMember)(char32_t)>
void find_members(std::string_view text, SplitSpans& spans) {
    static const std::array<bool, 128> is_ascii_member = [] {
        std::array<bool, 128> table{};
        for (char32_t c = 0; c < 128; ++c) table[c] = kIsMember(c);
        return table;
    }();
    SpanWriter writer(text, spans);
    for (size_t i = 0; i < text.size();) {
        const auto byte = static_cast<uint8_t>(text[i]);
        if (byte < 0x80) {
            if (is_ascii_member[byte]) writer.add(i, i + 1);
            ++i;
            continue;
        }
        const text::Decoded c = text::decode_utf8(text, i);
        if (kIsMember(c.code_point)) writer.add(i, i + c.length);
        i += c.length;
    }
    writer.finish();
}

}  // namespace

void find_pieces(Scheme scheme, std::string_view text, SplitSpans& spans) {
    spans.clear();
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = next_piece(scheme, text, begin);
        spans.push_back({begin, end, true});
        begin = end;
    }
}

void find_pieces(const SchemeTruth& scheme, std::string_view text, SplitSpans& spans) {
    thread_local std::vector<std::string_view> pieces;
    pieces.clear();
    scheme.split(text, pieces);
    spans.clear();
    size_t begin = 0;
    for (const std::string_view piece : pieces) {
        spans.push_back({begin, begin + piece.size(), true});
        begin += piece.size();
    }
}

void find_matches(const Regex& regex, std::string_view text, SplitSpans& spans) {
    SpanWriter writer(text, spans);
    regex.for_each_match(text,
                         [&](const Regex::Match& match) { writer.add(match.begin, match.end); });
    writer.finish();
}

void find_literal(std::string_view literal, std::string_view text, SplitSpans& spans) {
    SpanWriter writer(text, spans);
    for (size_t at = text.find(literal); at != std::string_view::npos;
         at = text.find(literal, at + literal.size())) {
        writer.add(at, at + literal.size());
    }
    writer.finish();
}

void find_class(SplitClass what, std::string_view text, SplitSpans& spans) {
    switch (what) {
        case SplitClass::kWhiteSpace:
            return find_members<text::is_white_space>(text, spans);
        case SplitClass::kNumeric:
            return find_members<hf::is_numeric>(text, spans);
        case SplitClass::kPunctuation:
            break;
    }
    find_members<hf::is_punctuation>(text, spans);
}

void find_words(std::string_view text, SplitSpans& spans) {
    enum class Kind { kSpace, kWord, kOther };
    SpanWriter writer(text, spans);
    Kind kind = Kind::kSpace;
    size_t begin = 0;
    for (size_t i = 0; i < text.size();) {
        const text::Decoded c = text::decode_utf8(text, i);
        const Kind now = text::is_word(c.code_point)          ? Kind::kWord
                         : text::is_white_space(c.code_point) ? Kind::kSpace
                                                              : Kind::kOther;
        if (now != kind) {
            if (kind != Kind::kSpace) writer.add(begin, i);
            begin = i;
            kind = now;
        }
        i += c.length;
    }
    if (kind != Kind::kSpace) writer.add(begin, text.size());
    writer.finish();
}

void find_scripts(std::string_view text, SplitSpans& spans) {
    spans.clear();
    uint8_t last = 0;
    for (size_t i = 0; i < text.size();) {
        const text::Decoded c = text::decode_utf8(text, i);
        const uint8_t script = hf::script(c.code_point);
        if (script != 0 && script != last) {
            if (!spans.empty()) spans.back().end = i;
            spans.push_back({i, text.size(), true});
            last = script;
        }
        i += c.length;
    }
}

void find_lengths(size_t length, std::string_view text, SplitSpans& spans) {
    spans.clear();
    size_t begin = 0, count = 0;
    for (size_t i = 0; i < text.size();) {
        i += text::decode_utf8(text, i).length;
        if (++count % length != 0 && i < text.size()) continue;
        spans.push_back({begin, i, true});
        begin = i;
    }
}

void apply_behavior(SplitBehavior behavior, bool is_inverted, SplitSpans& spans) {
    if (is_inverted) {
        for (SplitSpan& span : spans) span.is_match = !span.is_match;
    }
    switch (behavior) {
        case SplitBehavior::kIsolated:
            return;
        case SplitBehavior::kRemoved:
            std::erase_if(spans, [](const SplitSpan& span) { return span.is_match; });
            return;
        case SplitBehavior::kMergedWithPrevious:
            spans = merge_into_neighbour(spans.begin(), spans.end());
            return;
        case SplitBehavior::kMergedWithNext:
            spans = merge_into_neighbour(spans.rbegin(), spans.rend());
            std::reverse(spans.begin(), spans.end());
            return;
        case SplitBehavior::kContiguous:
            break;
    }
    size_t kept = 0;
    for (const SplitSpan& span : spans) {
        if (kept > 0 && spans[kept - 1].is_match == span.is_match) {
            spans[kept - 1].end = span.end;
        } else {
            spans[kept++] = span;
        }
    }
    spans.resize(kept);
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/span_units.h"

#include <algorithm>

#include "lib/text/unicode.h"

namespace longhaul::dedup {

namespace {

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Leading white space, in bytes.
size_t space_bytes(std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
        const text::Decoded next = text::decode_utf8(text, at);
        if (!text::is_white_space(next.code_point)) break;
        at += next.length;
    }
    return at;
}

size_t trailing_space_bytes(std::string_view text) {
    size_t end = text.size();
    while (end > 0) {
        size_t last = end - 1;
        while (last > 0 && is_continuation(text[last])) --last;
        if (!text::is_white_space(text::decode_utf8(text, last).code_point)) break;
        end = last;
    }
    return text.size() - end;
}

/// The line that begins at `begin`, which is below the text's size.
TextUnit line_at(std::string_view text, size_t begin) {
    const size_t stop = std::min(text.find_first_of("\r\n", begin), text.size());
    TextUnit line{begin, stop, stop};
    if (stop == text.size()) return line;
    const bool is_crlf = text[stop] == '\r' && stop + 1 < text.size() && text[stop + 1] == '\n';
    line.end = stop + (is_crlf ? 2 : 1);
    return line;
}

void for_each_paragraph(std::string_view text, const std::function<void(const TextUnit&)>& visit) {
    TextUnit paragraph;
    bool is_open = false;  // a paragraph has begun
    bool after_blank = false;
    for (size_t at = 0; at < text.size();) {
        const TextUnit line = line_at(text, at);
        const std::string_view content = line.content(text);
        const bool is_blank = space_bytes(content) == content.size();
        if (is_blank) {
            after_blank = true;
        } else {
            if (is_open && after_blank) visit(paragraph);
            if (!is_open || after_blank) paragraph.begin = line.begin;
            is_open = true;
            after_blank = false;
            paragraph.content_end = line.content_end;
        }
        paragraph.end = line.end;
        at = line.end;
    }
    if (is_open) visit(paragraph);
}

}  // namespace

void for_each_unit(std::string_view text, SpanUnit unit,
                   const std::function<void(const TextUnit&)>& visit) {
    if (unit == SpanUnit::kParagraph) {
        for_each_paragraph(text, visit);
        return;
    }
    for (size_t at = 0; at < text.size();) {
        const TextUnit line = line_at(text, at);
        visit(line);
        at = line.end;
    }
}

uint64_t trimmed_characters(std::string_view text) {
    text.remove_prefix(space_bytes(text));
    text.remove_suffix(trailing_space_bytes(text));
    return static_cast<uint64_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

Hash128 UnitHasher::hash(std::string_view content) {
    if (is_exact_) return xxh3_128(content);
    const std::string_view normalized = normalizer_.normalize(content);
    if (!normalized.empty()) return xxh3_128(normalized);
    Hash128 hash = xxh3_128(content);
    hash.high = ~hash.high;  // apart from hashes of normalised texts
    return hash;
}

size_t begin_of_last_cut(std::string_view text, SpanUnit unit, size_t begin) {
    size_t found = begin;
    for_each_unit(text, unit, [&](const TextUnit& before) {
        if (before.begin < begin) found = before.content_end;
    });
    return found;
}

}  // namespace longhaul::dedup

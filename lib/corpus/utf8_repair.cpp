// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/utf8_repair.h"

namespace longhaul::corpus {

namespace {

/// What may follow a first byte: how many bytes, and which ones come second (Unicode, table 3-7).
struct Follow {
    size_t count = 0;  // 0: ASCII, or no first byte
    uint8_t least = 0x80, most = 0xBF;
};

Follow follow_of(uint8_t first) {
    if (first < 0xC2 || first > 0xF4) return {};
    if (first < 0xE0) return {1};
    if (first < 0xF0) {
        const bool is_surrogate = first == 0xED;
        return {2, static_cast<uint8_t>(first == 0xE0 ? 0xA0 : 0x80),
                static_cast<uint8_t>(is_surrogate ? 0x9F : 0xBF)};
    }
    return {3, static_cast<uint8_t>(first == 0xF0 ? 0x90 : 0x80),
            static_cast<uint8_t>(first == 0xF4 ? 0x8F : 0xBF)};
}

/// Bytes of the sequence at `at`, or of its maximal subpart. @param[out] is_whole a code point
size_t sequence_length(std::string_view text, size_t at, bool& is_whole) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    const Follow follow = follow_of(byte(at));
    size_t length = 1;
    uint8_t least = follow.least, most = follow.most;
    while (length <= follow.count && at + length < text.size() && byte(at + length) >= least &&
           byte(at + length) <= most) {
        ++length;
        least = 0x80;
        most = 0xBF;
    }
    is_whole = length == follow.count + 1 && (follow.count > 0 || byte(at) < 0x80);
    return length;
}

}  // namespace

uint64_t append_repaired_utf8(std::string_view text, std::string& out) {
    uint64_t count = 0;
    out.reserve(out.size() + text.size());
    for (size_t at = 0; at < text.size();) {
        bool is_whole = false;
        const size_t length = sequence_length(text, at, is_whole);
        if (is_whole) {
            out.append(text, at, length);
        } else {
            out += "\xEF\xBF\xBD";
            ++count;
        }
        at += length;
    }
    return count;
}

std::string masked_utf8(std::string_view text) {
    std::string out(text);
    for (size_t at = 0; at < text.size();) {
        bool is_whole = false;
        const size_t length = sequence_length(text, at, is_whole);
        if (!is_whole) out.replace(at, length, length, '\x7F');
        at += length;
    }
    return out;
}

uint64_t count_invalid_utf8_bytes(std::string_view text) {
    uint64_t count = 0;
    for (size_t at = 0; at < text.size();) {
        bool is_whole = false;
        const size_t length = sequence_length(text, at, is_whole);
        if (!is_whole) count += length;
        at += length;
    }
    return count;
}

}  // namespace longhaul::corpus

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/json_scanner.h"

#include <cstring>

#include "lib/corpus/document_scanner.h"
#include "lib/corpus/json_strings.h"
#include "lib/text/unicode.h"

namespace longhaul::corpus::detail {

namespace {

constexpr uint64_t kOnes = 0x0101010101010101ull;
constexpr uint64_t kHighs = 0x8080808080808080ull;

/// True when one of eight bytes is a quote, a backslash, a control character or not ASCII.
/// A borrow can only add false alarms above a true one, and those bytes are looked at singly.
bool has_special_byte(uint64_t word) {
    const uint64_t quote = word ^ (kOnes * '"');
    const uint64_t backslash = word ^ (kOnes * '\\');
    const uint64_t below_space = word - kOnes * 0x20;
    return (((quote - kOnes) | (backslash - kOnes) | below_space | word) & kHighs) != 0;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Bytes of the well-formed sequence at `p` (Unicode 16, table 3-7), or 0. Inline since
/// text::decode_utf8 also computes the code point, at half the speed.
size_t utf8_sequence_length(const char* p, const char* end) {
    const auto lead = static_cast<unsigned char>(p[0]);
    const size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || static_cast<size_t>(end - p) < length) return 0;
    for (size_t i = 1; i < length; ++i) {
        if (!is_continuation(p[i])) return 0;
    }
    const auto second = static_cast<unsigned char>(p[1]);
    if (lead == 0xE0 && second < 0xA0) return 0;  // overlong
    if (lead == 0xED && second > 0x9F) return 0;  // surrogate
    if (lead == 0xF0 && second < 0x90) return 0;  // overlong
    if (lead == 0xF4 && second > 0x8F) return 0;  // above U+10FFFF
    return length;
}

}  // namespace

bool JsonScanner::fail_at(const char* at, Reason reason, const char* detail) {
    fault_ = at;
    reason_ = reason;
    detail_ = detail;
    return false;
}

void JsonScanner::skip_space() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
}

bool JsonScanner::skip_escape() {
    if (end_ - at_ < 2) return fail(Reason::kNotJson, "the string does not end");
    if (at_[1] != 'u') {
        if (at_[1] == '\0' || std::strchr("\"\\/bfnrt", at_[1]) == nullptr) {
            return fail(Reason::kNotJson, "unknown escape in a string");
        }
        at_ += 2;
        return true;
    }
    if (end_ - at_ < 6) return fail(Reason::kNotJson, "the string does not end");
    for (int i = 2; i < 6; ++i) {
        if (hex_digit(at_[i]) < 0) {
            return fail(Reason::kNotJson, "\\u needs four hexadecimal digits");
        }
    }
    at_ += 6;
    return true;
}

bool JsonScanner::skip_string(std::string_view& content, bool& has_escapes) {
    const char* const start = ++at_;
    has_escapes = false;
    // Not for short ones, such as most keys.
    constexpr ptrdiff_t kWorthIt = 32;
    while (true) {
        uint64_t word = 0;
        if (is_utf8_ && at_ - start >= kWorthIt) {
            at_ = skip_string_content(at_, end_, has_escapes);
        }
        while (end_ - at_ >= 8) {
            std::memcpy(&word, at_, 8);
            if (has_special_byte(word)) break;
            at_ += 8;
            if (is_utf8_ && at_ - start == kWorthIt) break;
        }
        if (at_ == end_) return fail(Reason::kNotJson, "the string does not end");
        const auto c = static_cast<unsigned char>(*at_);
        if (c == '"') {
            content = std::string_view(start, static_cast<size_t>(at_ - start));
            ++at_;
            return true;
        }
        if (c == '\\') {
            has_escapes = true;
            if (!skip_escape()) return false;
        } else if (c < 0x20) {
            return fail(Reason::kNotJson, "control character in a string");
        } else if (c < 0x80 || is_utf8_) {  // in UTF-8, also the middle of a character
            ++at_;
        } else {
            const size_t length = utf8_sequence_length(at_, end_);
            if (length == 0) return fail(Reason::kInvalidUtf8, "");
            at_ += length;
        }
    }
}

bool JsonScanner::skip_digits() {
    if (at_ == end_ || !is_digit(*at_)) return fail(Reason::kNotJson, "a digit was expected");
    while (at_ < end_ && is_digit(*at_)) ++at_;
    return true;
}

bool JsonScanner::skip_number() {
    if (*at_ == '-') ++at_;
    if (at_ < end_ && *at_ == '0') {
        ++at_;
    } else if (!skip_digits()) {
        return false;
    }
    if (at_ < end_ && *at_ == '.') {
        ++at_;
        if (!skip_digits()) return false;
    }
    if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
        ++at_;
        if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
        if (!skip_digits()) return false;
    }
    return true;
}

bool JsonScanner::skip_literal(std::string_view word) {
    if (std::string_view(at_, static_cast<size_t>(end_ - at_)).substr(0, word.size()) != word) {
        return fail(Reason::kNotJson, "a value was expected");
    }
    at_ += word.size();
    return true;
}

bool JsonScanner::skip_value(int depth) {
    if (at_ == end_) return fail(Reason::kNotJson, "the text ends where a value was expected");
    std::string_view content;
    bool has_escapes = false;
    switch (*at_) {
        case '{':
            return skip_object(depth + 1);
        case '[':
            return skip_array(depth + 1);
        case '"':
            return skip_string(content, has_escapes);
        case 't':
            return skip_literal("true");
        case 'f':
            return skip_literal("false");
        case 'n':
            return skip_literal("null");
        default:
            break;
    }
    if (*at_ == '-' || is_digit(*at_)) return skip_number();
    return fail(Reason::kNotJson, "a value was expected");
}

bool JsonScanner::skip_array(int depth) {
    if (depth > kMaxDepth) return fail(Reason::kTooDeep, "");
    ++at_;
    skip_space();
    if (at_ < end_ && *at_ == ']') {
        ++at_;
        return true;
    }
    while (true) {
        skip_space();
        if (!skip_value(depth)) return false;
        skip_space();
        if (at_ < end_ && *at_ == ',') {
            ++at_;
            continue;
        }
        if (at_ < end_ && *at_ == ']') {
            ++at_;
            return true;
        }
        return fail(Reason::kNotJson, "',' or ']' was expected");
    }
}

bool JsonScanner::note_field(std::string_view key, bool key_has_escapes) {
    if (key_has_escapes) {
        std::string decoded(key.size() + kDecodePadding, '\0');
        uint32_t num_lone = 0;
        decoded.resize(decode_json_string(key, decoded.data(), num_lone));
        return decoded == field_;
    }
    return key == field_;
}

bool JsonScanner::skip_member(int depth) {
    if (at_ == end_ || *at_ != '"') return fail(Reason::kNotJson, "'\"' was expected");
    const char* const key_place = at_;
    std::string_view key;
    bool has_escapes = false;
    if (!skip_string(key, has_escapes)) return false;
    skip_space();
    if (at_ == end_ || *at_ != ':') return fail(Reason::kNotJson, "':' was expected");
    ++at_;
    skip_space();
    if (depth > 1 || !note_field(key, has_escapes)) return skip_value(depth);
    if (first_key_ != nullptr && reason_ == Reason::kNone) {
        // Not fatal for the scan: a later syntax error is the more important news.
        reason_ = Reason::kDuplicateField;
        fault_ = key_place;
    }
    first_key_ = key_place;
    field_value_ = at_;
    field_is_string_ = at_ < end_ && *at_ == '"';
    return field_is_string_ ? skip_string(value_, value_has_escapes_) : skip_value(depth);
}

bool JsonScanner::skip_object(int depth) {
    if (depth > kMaxDepth) return fail(Reason::kTooDeep, "");
    ++at_;
    skip_space();
    if (at_ < end_ && *at_ == '}') {
        ++at_;
        return true;
    }
    while (true) {
        skip_space();
        if (!skip_member(depth)) return false;
        skip_space();
        if (at_ < end_ && *at_ == ',') {
            ++at_;
            continue;
        }
        if (at_ < end_ && *at_ == '}') {
            ++at_;
            return true;
        }
        return fail(Reason::kNotJson, "',' or '}' was expected");
    }
}

bool JsonScanner::run() {
    // At once, in vectors; only if this fails, character by character, to find the place.
    is_utf8_ = text::is_valid_utf8({begin_, static_cast<size_t>(end_ - begin_)});
    skip_space();
    const bool is_object = at_ < end_ && *at_ == '{';
    if (!skip_value(0)) return false;
    skip_space();
    if (at_ != end_) return fail(Reason::kNotJson, "bytes after the end of the value");
    if (!is_object) return fail_at(begin_, Reason::kNotObject, "");
    if (reason_ != Reason::kNone) return false;  // the field occurs twice
    if (first_key_ == nullptr) return fail_at(begin_, Reason::kMissingField, "");
    if (!field_is_string_) return fail_at(field_value_, Reason::kNotString, "");
    return true;
}

}  // namespace longhaul::corpus::detail

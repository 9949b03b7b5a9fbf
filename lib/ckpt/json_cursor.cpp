// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/json_cursor.h"

#include <charconv>

#include "lib/base/error.h"
#include "lib/text/unicode.h"

namespace longhaul::ckpt {
namespace {

constexpr int kMaxDepth = 64;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

void JsonCursor::fail(const std::string& what) const {
    throw DataError(source_, base_ + position_, what);
}

void JsonCursor::skip_space() {
    while (position_ < text_.size()) {
        const char c = text_[position_];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
        ++position_;
    }
}

void JsonCursor::expect(std::string_view token) {
    skip_space();
    if (text_.substr(position_, token.size()) != token) {
        fail(position_ >= text_.size() ? format("the text ends where '{}' should be", token)
                                       : format("expected '{}'", token));
    }
    position_ += token.size();
}

bool JsonCursor::accept(char token) {
    skip_space();
    if (peek() != token || position_ >= text_.size()) return false;
    ++position_;
    return true;
}

uint32_t JsonCursor::hex4() {
    uint32_t value = 0;
    if (position_ + 4 > text_.size()) fail("cut \\u escape");
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, begin + 4, value, 16);
    if (error != std::errc() || end != begin + 4) fail("bad \\u escape");
    position_ += 4;
    return value;
}

void JsonCursor::append_escape(std::string& out) {
    const char c = peek();
    ++position_;
    switch (c) {
        case '"':
        case '\\':
        case '/':
            out += c;
            return;
        case 'b':
            out += '\b';
            return;
        case 'f':
            out += '\f';
            return;
        case 'n':
            out += '\n';
            return;
        case 'r':
            out += '\r';
            return;
        case 't':
            out += '\t';
            return;
        case 'u':
            break;
        default:
            fail("unknown escape");
    }
    uint32_t code = hex4();
    if (code >= 0xDC00 && code < 0xE000) fail("lone low surrogate");
    if (code >= 0xD800 && code < 0xDC00) {
        if (text_.substr(position_, 2) != "\\u") fail("lone high surrogate");
        position_ += 2;
        const uint32_t low = hex4();
        if (low < 0xDC00 || low >= 0xE000) fail("bad surrogate pair");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    text::append_utf8(static_cast<char32_t>(code), out);
}

std::string JsonCursor::string() {
    expect("\"");
    std::string out;
    while (true) {
        if (position_ >= text_.size()) fail("the text ends inside a string");
        const char c = text_[position_++];
        if (c == '"') return out;
        if (static_cast<unsigned char>(c) < 0x20) fail("control character in a string");
        if (c == '\\') {
            append_escape(out);
        } else {
            out += c;
        }
    }
}

uint64_t JsonCursor::unsigned_integer() {
    skip_space();
    uint64_t value = 0;
    const char* begin = text_.data() + position_;
    const char* text_end = text_.data() + text_.size();
    if (!is_digit(peek())) fail("expected a non-negative integer");
    if (peek() == '0' && position_ + 1 < text_.size() && is_digit(begin[1])) {
        fail("leading zero");
    }
    const auto [end, error] = std::from_chars(begin, text_end, value);
    if (error != std::errc()) fail("integer out of range");
    if (end != text_end && (*end == '.' || *end == 'e' || *end == 'E')) {
        fail("expected an integer, not a fraction");
    }
    position_ += static_cast<size_t>(end - begin);
    return value;
}

int64_t JsonCursor::size() {
    const uint64_t value = unsigned_integer();
    if (value > static_cast<uint64_t>(INT64_MAX)) fail("integer out of range");
    return static_cast<int64_t>(value);
}

void JsonCursor::skip_string() {
    ++position_;
    while (position_ < text_.size() && text_[position_] != '"') {
        position_ += text_[position_] == '\\' ? 2 : 1;
    }
    if (position_ >= text_.size()) fail("the text ends inside a string");
    ++position_;
}

void JsonCursor::skip_scalar() {
    const size_t begin = position_;
    while (position_ < text_.size()) {
        const char c = text_[position_];
        if (!is_digit(c) && !(c >= 'a' && c <= 'z') && c != '-' && c != '+' && c != '.' &&
            c != 'E') {
            break;
        }
        ++position_;
    }
    if (position_ == begin) fail("expected a value");
}

std::string_view JsonCursor::raw_value() {
    skip_space();
    const size_t begin = position_;
    int depth = 0;
    do {
        skip_space();
        if (position_ >= text_.size()) fail("the text ends inside a value");
        const char c = text_[position_];
        if (c == '{' || c == '[') {
            if (++depth > kMaxDepth) fail("nested too deep");
            ++position_;
        } else if (c == '}' || c == ']') {
            if (--depth < 0) fail("expected a value");
            ++position_;
        } else if (c == '"') {
            skip_string();
        } else if (depth > 0 && (c == ',' || c == ':')) {
            ++position_;
        } else {
            skip_scalar();
        }
    } while (depth > 0);
    return text_.substr(begin, position_ - begin);
}

void JsonCursor::end() {
    skip_space();
    if (position_ != text_.size()) fail("text after the end");
}

}  // namespace longhaul::ckpt

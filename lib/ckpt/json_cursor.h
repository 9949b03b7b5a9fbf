// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A strict pull parser over one JSON text. Manifests and safetensors headers can hold millions of
// entries; this reads them in one pass, without a tree and without recursion.

#include <cstdint>
#include <string>
#include <string_view>

namespace longhaul::ckpt {

/// Reads values in the order in which the caller expects them. Every failure is a DataError
/// "SOURCE: byte N: what".
class JsonCursor {
 public:
    /// @param source file name. @param base offset of `text` in that file, for messages.
    JsonCursor(std::string_view text, std::string source, size_t base = 0)
        : text_(text), source_(std::move(source)), base_(base) {}

    /// Skips white space, then needs exactly `token` ("{", "[", ",", "\"files\":" ...).
    void expect(std::string_view token);
    /// Same, but only looks. @return true when it was there and is passed.
    bool accept(char token);
    /// A string with all escapes resolved; must be valid in UTF-16 surrogates.
    std::string string();
    uint64_t unsigned_integer();
    /// A non-negative integer that fits int64.
    int64_t size();
    /// Passes any value and gives its text. Nesting deeper than 64 is refused.
    std::string_view raw_value();
    /// Only white space may be left.
    void end();

    size_t position() const { return position_; }
    [[noreturn]] void fail(const std::string& what) const;

 private:
    void skip_space();
    char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
    uint32_t hex4();
    void append_escape(std::string& out);
    void skip_string();
    void skip_scalar();

    std::string_view text_;
    std::string source_;
    size_t base_ = 0;
    size_t position_ = 0;
};

}  // namespace longhaul::ckpt

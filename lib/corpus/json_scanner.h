// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A strict JSON validator (RFC 8259) that stops at the first fault and notes one string member of
// the top-level object. No tree, no allocation.

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/corpus/bad_records.h"

namespace longhaul::corpus::detail {

/// Scans one JSON text. Use once: construct, run(), look.
class JsonScanner {
 public:
    JsonScanner(std::string_view json, std::string_view field)
        : begin_(json.data()), at_(begin_), end_(begin_ + json.size()), field_(field) {}

    /// @return true when the text is an object with exactly one string member `field`.
    bool run();

    Reason reason() const { return reason_; }
    const char* detail() const { return detail_; }
    uint64_t fault_byte() const { return static_cast<uint64_t>(fault_ - begin_); }
    /// The member's string without its quotes, escapes not decoded.
    std::string_view value() const { return value_; }
    bool value_has_escapes() const { return value_has_escapes_; }

 private:
    bool fail(Reason reason, const char* detail) { return fail_at(at_, reason, detail); }
    bool fail_at(const char* at, Reason reason, const char* detail);
    void skip_space();
    bool skip_value(int depth);
    bool skip_object(int depth);
    bool skip_array(int depth);
    bool skip_literal(std::string_view word);
    bool skip_number();
    bool skip_digits();
    bool skip_escape();
    /// At the opening quote. Sets `content` and `has_escapes`.
    bool skip_string(std::string_view& content, bool& has_escapes);
    bool skip_member(int depth);
    bool note_field(std::string_view key, bool key_has_escapes);

    const char* begin_;
    const char* at_;
    const char* end_;
    bool is_utf8_ = false;  // the whole text
    std::string_view field_;
    Reason reason_ = Reason::kNone;
    const char* detail_ = "";
    const char* fault_ = nullptr;
    std::string_view value_;
    bool value_has_escapes_ = false;
    const char* first_key_ = nullptr;  // where `field` was seen
    bool field_is_string_ = false;
    const char* field_value_ = nullptr;
};

}  // namespace longhaul::corpus::detail

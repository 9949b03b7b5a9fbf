// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/document_scanner.h"

#include <algorithm>
#include <utility>

#include "lib/corpus/json_scanner.h"
#include "lib/corpus/json_strings.h"
#include "lib/corpus/utf8_repair.h"
#include "lib/text/unicode.h"

namespace longhaul::corpus {

namespace {

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

DocumentScanner::DocumentScanner(Layout layout, std::string text_field, bool replaces_invalid_utf8)
    : layout_(layout),
      replaces_invalid_utf8_(replaces_invalid_utf8),
      text_field_(std::move(text_field)) {}

/// A giant document's buffer is given back when a small one follows.
void DocumentScanner::reserve_decoded(size_t bytes) {
    constexpr size_t kKeptBytes = 8 << 20;
    if (bytes <= decoded_capacity_ && (decoded_capacity_ <= kKeptBytes || bytes > kKeptBytes)) {
        return;
    }
    constexpr size_t kLeastBytes = 64 << 10;
    decoded_capacity_ = std::max(bytes + bytes / 4, kLeastBytes);
    decoded_.reset();
    decoded_ = std::make_unique_for_overwrite<char[]>(decoded_capacity_);
}

ScanResult DocumentScanner::scan(std::string_view line) {
    ScanResult result = scan_as_is(line);
    if (result.reason != Reason::kInvalidUtf8 || !replaces_invalid_utf8_) return result;
    repaired_.clear();
    const uint64_t count = append_repaired_utf8(line, repaired_);
    result = scan_as_is(repaired_);
    if (result.reason != Reason::kNone) result.byte = std::min(result.byte, line.size());
    result.num_replaced = count;
    return result;
}

ScanResult DocumentScanner::scan_as_is(std::string_view line) {
    ScanResult result;
    if (layout_ != Layout::kJsonLines) {
        if (layout_ == Layout::kTextLines && line.ends_with('\r')) line.remove_suffix(1);
        result.is_blank = layout_ == Layout::kTextLines && is_blank(line);
        result.text = line;
        result.stored = line;
        const size_t invalid = text::find_invalid_utf8(line);
        if (invalid != std::string_view::npos) {
            result.reason = Reason::kInvalidUtf8;
            result.byte = invalid;
        }
        return result;
    }
    if (is_blank(line)) {
        result.is_blank = true;
        return result;
    }
    detail::JsonScanner scanner(line, text_field_);
    if (!scanner.run()) {
        result.reason = scanner.reason();
        result.byte = scanner.fault_byte();
        result.detail = scanner.detail();
        return result;
    }
    result.text = scanner.value();
    result.stored = scanner.value();
    if (scanner.value_has_escapes()) {
        const std::string_view escaped = scanner.value();
        reserve_decoded(escaped.size() + detail::kDecodePadding);
        const size_t size =
            detail::decode_json_string(escaped, decoded_.get(), result.num_lone_surrogates);
        result.text = std::string_view(decoded_.get(), size);
    }
    return result;
}

}  // namespace longhaul::corpus

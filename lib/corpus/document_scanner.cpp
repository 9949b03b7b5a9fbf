// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/document_scanner.h"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/corpus/json_scanner.h"
#include "lib/corpus/json_strings.h"
#include "lib/corpus/utf8_repair.h"
#include "lib/text/unicode.h"

namespace longhaul::corpus {

namespace {

constexpr std::array<std::string_view, 3> kInvalidUtf8Names{"bad", "replace", "bytes"};

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

const char* invalid_utf8_name(InvalidUtf8 value) {
    return kInvalidUtf8Names[static_cast<size_t>(value)].data();
}
std::optional<InvalidUtf8> invalid_utf8_by_name(std::string_view name) {
    const auto found = std::find(kInvalidUtf8Names.begin(), kInvalidUtf8Names.end(), name);
    if (found == kInvalidUtf8Names.end()) return std::nullopt;
    return static_cast<InvalidUtf8>(found - kInvalidUtf8Names.begin());
}

DocumentScanner::DocumentScanner(Layout layout, std::string text_field, const TextPolicy& policy)
    : layout_(layout), policy_(policy), text_field_(std::move(text_field)) {}

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
    const bool is_lenient = policy_.invalid_utf8 != InvalidUtf8::kBad;
    if (is_lenient && result.reason == Reason::kInvalidUtf8) result = scan_lenient(line);
    if (result.num_lone_surrogates > 0 && policy_.refuses_lone_surrogates) {
        const char* const begin = result.num_replaced > 0 ? repaired_.data() : line.data();
        const size_t place = detail::find_lone_surrogate(result.stored);
        result.reason = Reason::kLoneSurrogate;
        result.byte = std::min(static_cast<uint64_t>(result.stored.data() + place - begin),
                               static_cast<uint64_t>(line.size()));
        result.detail = "see --lone-surrogates";
        result.num_lone_surrogates = 0;  // none was replaced
    }
    return result;
}

/// A line that is not UTF-8.
ScanResult DocumentScanner::scan_lenient(std::string_view line) {
    ScanResult result;
    if (policy_.invalid_utf8 == InvalidUtf8::kReplace) {
        repaired_.clear();
        const uint64_t count = append_repaired_utf8(line, repaired_);
        result = scan_as_is(repaired_);
        if (result.reason != Reason::kNone) result.byte = std::min(result.byte, line.size());
        result.num_replaced = count;
        return result;
    }
    if (layout_ == Layout::kJsonLines) {
        repaired_ = masked_utf8(line);
        result = scan_json(repaired_, line);
    } else {
        result = scan_as_is(line);
        result.reason = Reason::kNone;
        result.byte = 0;
    }
    result.num_raw_bytes = count_invalid_utf8_bytes(result.text);
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
    return scan_json(line, line);
}

/// @param checked what must be JSON, as long as `line`, from which the text is taken
ScanResult DocumentScanner::scan_json(std::string_view checked, std::string_view line) {
    ScanResult result;
    detail::JsonScanner scanner(checked, text_field_);
    if (!scanner.run()) {
        result.reason = scanner.reason();
        result.byte = scanner.fault_byte();
        result.detail = scanner.detail();
        return result;
    }
    const std::string_view found = scanner.value();
    result.stored = line.substr(static_cast<size_t>(found.data() - checked.data()), found.size());
    result.text = result.stored;
    if (scanner.value_has_escapes()) {
        const std::string_view escaped = result.stored;
        reserve_decoded(escaped.size() + detail::kDecodePadding);
        const size_t size =
            detail::decode_json_string(escaped, decoded_.get(), result.num_lone_surrogates);
        result.text = std::string_view(decoded_.get(), size);
    }
    return result;
}

}  // namespace longhaul::corpus

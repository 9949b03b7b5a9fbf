// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/document_scanner.h"

#include <utility>

#include "lib/corpus/json_scanner.h"
#include "lib/text/unicode.h"

namespace longhaul::corpus {

namespace {

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

DocumentScanner::DocumentScanner(Layout layout, std::string text_field)
    : layout_(layout), text_field_(std::move(text_field)) {}

ScanResult DocumentScanner::scan(std::string_view line) {
    ScanResult result;
    if (layout_ != Layout::kJsonLines) {
        if (layout_ == Layout::kTextLines && line.ends_with('\r')) line.remove_suffix(1);
        result.is_blank = layout_ == Layout::kTextLines && is_blank(line);
        result.text = line;
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
    if (scanner.value_has_escapes()) {
        constexpr size_t kKeptBytes = 8 << 20;  // a giant document does not stay allocated for ever
        if (decoded_.capacity() > kKeptBytes) std::string().swap(decoded_);
        result.num_lone_surrogates = detail::decode_json_string(scanner.value(), decoded_);
        result.text = decoded_;
    }
    return result;
}

}  // namespace longhaul::corpus

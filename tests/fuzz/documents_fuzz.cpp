// SPDX-License-Identifier: BSD-3-Clause
// The scanner of JSON lines against nlohmann's parser: what one takes, the other takes, with the
// same text. Known differences: nesting (ours is bounded), lone surrogates (it refuses them), a
// text field that occurs twice (it takes the last).
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/corpus/document_scanner.h"
#include "lib/io/json.h"
#include "lib/text/unicode.h"

using namespace longhaul;
using corpus::Reason;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

void check_good(const corpus::ScanResult& result, const io::Json& json) {
    require(text::find_invalid_utf8(result.text) == std::string_view::npos);
    if (result.num_lone_surrogates > 0) return;
    if (json.is_discarded()) return;  // a lone surrogate in another member
    require(json.is_object() && json.contains("text") && json["text"].is_string());
    require(json["text"].get_ref<const std::string&>() == result.text);
}

void check_bad(const corpus::ScanResult& result, const io::Json& json, std::string_view line) {
    require(result.byte <= line.size());
    const bool has_text = json.is_object() && json.contains("text");
    switch (result.reason) {
        case Reason::kNotJson:
        case Reason::kInvalidUtf8:
            require(json.is_discarded());
            break;
        case Reason::kNotObject:
            require(json.is_discarded() || !json.is_object());
            break;
        case Reason::kMissingField:
            require(json.is_discarded() || !has_text);
            break;
        case Reason::kNotString:
            require(json.is_discarded() || (has_text && !json["text"].is_string()));
            break;
        case Reason::kDuplicateField:
            require(json.is_discarded() || has_text);
            break;
        default:
            break;
    }
}

/// Keeping bytes that are not UTF-8 and replacing them afterwards is replacing them before.
void check_lenient(std::string_view line) {
    corpus::DocumentScanner keep(corpus::Layout::kJsonLines, "text",
                                 {corpus::InvalidUtf8::kBytes, false});
    corpus::DocumentScanner replace(corpus::Layout::kJsonLines, "text",
                                    {corpus::InvalidUtf8::kReplace, false});
    const corpus::ScanResult kept = keep.scan(line), replaced = replace.scan(line);
    require(kept.reason == replaced.reason);
    require(kept.num_lone_surrogates == replaced.num_lone_surrogates);
    if (kept.reason != Reason::kNone) return;
    uint64_t count = 0;
    require(text::replace_invalid_utf8(kept.text, count) == replaced.text);
    require((count > 0) == (kept.num_raw_bytes > 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view line(reinterpret_cast<const char*>(data), size);
    if (line.find('\n') != std::string_view::npos || line.starts_with("\xEF\xBB\xBF")) return 0;
    corpus::DocumentScanner scanner(corpus::Layout::kJsonLines);
    check_lenient(line);
    const corpus::ScanResult result = scanner.scan(line);
    if (result.is_blank) return 0;
    if (line.find('\0') != std::string_view::npos) {  // the end of the text to nlohmann
        require(result.reason != Reason::kNone);
        return 0;
    }
    const io::Json json = io::Json::parse(line.begin(), line.end(), nullptr, false);
    if (result.reason == Reason::kNone) {
        check_good(result, json);
    } else {
        check_bad(result, json, line);
    }
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One record: validates a line as JSON (RFC 8259) and finds its text, in one pass and without a
// tree. Serves DocumentReader and the parallel readers, one scanner a thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/corpus/bad_records.h"

namespace longhaul::corpus {

/// How the records of an input are laid out.
enum class Layout {
    kJsonLines,  // an object a line; its text field is the text
    kTextLines,  // a document a line
    kTextFile,   // the whole input is one document
};

inline constexpr int kMaxDepth = 512;

/// What becomes of bytes that are not UTF-8, wherever they stand in a record.
enum class InvalidUtf8 {
    kBad,      // the record is bad
    kReplace,  // U+FFFD for each sequence
    kBytes,    // they stay in the text as they are
};
/// "bad", "replace", "bytes".
const char* invalid_utf8_name(InvalidUtf8 value);
std::optional<InvalidUtf8> invalid_utf8_by_name(std::string_view name);

/// What is done with text that is none.
struct TextPolicy {
    InvalidUtf8 invalid_utf8 = InvalidUtf8::kBad;  // --invalid-utf8
    bool refuses_lone_surrogates = false;          // --lone-surrogates=bad; else U+FFFD each
};

/// What was found in a record. `text` views the line or the scanner's buffer: it lives until the
/// next scan() and as long as the line.
struct ScanResult {
    Reason reason = Reason::kNone;
    std::string_view text;
    std::string_view stored;           // where the text stands in the line, escapes not decoded
    uint64_t byte = 0;                 // where in the line the fault is
    const char* detail = "";           // what was expected there; a literal
    bool is_blank = false;             // only white space: no record
    uint32_t num_lone_surrogates = 0;  // \ud800 without its half: became U+FFFD each
    uint64_t num_replaced = 0;         // sequences that were not UTF-8 and became U+FFFD each
    uint64_t num_raw_bytes = 0;        // bytes of the text that are not UTF-8, under kBytes
};

class DocumentScanner {
 public:
    /// @param text_field name of the member that holds the text; only at the top level.
    explicit DocumentScanner(Layout layout, std::string text_field = "text",
                             const TextPolicy& policy = {});

    /// @param line without its "\n"; a "\r" before it is white space.
    ScanResult scan(std::string_view line);

 private:
    ScanResult scan_as_is(std::string_view line);
    ScanResult scan_lenient(std::string_view line);
    ScanResult scan_json(std::string_view checked, std::string_view line);
    void reserve_decoded(size_t bytes);

    Layout layout_;
    TextPolicy policy_;
    std::string repaired_;  // a line
    std::string text_field_;
    std::unique_ptr<char[]> decoded_;
    size_t decoded_capacity_ = 0;
};

}  // namespace longhaul::corpus

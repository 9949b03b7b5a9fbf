// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/foreign_file.h"

#include "lib/base/error.h"

namespace longhaul::token {

namespace {

using namespace std::string_view_literals;

struct Kind {
    std::string_view begin;
    const char* what;
};
constexpr const char* kGguf =
    "is a GGUF model: give the tokenizer.json or tokenizer.model it was made from";
// The longer of two that begin alike comes first.
constexpr Kind kKinds[] = {
    {"\x1F\x8B"sv, "is compressed (gzip): unpack it first"},
    {"\x28\xB5\x2F\xFD"sv, "is compressed (zstd): unpack it first"},
    {"\xFD"
     "7zXZ\0"sv,
     "is compressed (xz): unpack it first"},
    {"PK\x03\x04"sv, "is a zip archive (also of PyTorch): the tokenizer is a file of its own"},
    {"GGUF\2\0"sv, kGguf},
    {"GGUF\3\0"sv, kGguf},
    {"version https://git-lfs.github.com/"sv,
     "is a pointer of Git LFS, not the file: run \"git lfs pull\" where it comes from"},
    {"\xFF\xFE\0\0"sv, "is in UTF-32: save it as UTF-8"},
    {"\0\0\xFE\xFF"sv, "is in UTF-32: save it as UTF-8"},
    {"\xFF\xFE"sv, "is in UTF-16: save it as UTF-8"},
    {"\xFE\xFF"sv, "is in UTF-16: save it as UTF-8"},
    {"{\0"sv, "is in UTF-16: save it as UTF-8"},
    {"\0{"sv, "is in UTF-16: save it as UTF-8"},
    {"\xEF\xBB\xBF"sv, "begins with a byte order mark: save it as UTF-8 without one"},
};

/// By the first byte that is no white space.
const char* kind_of_text(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return "has nothing but white space";
    if (text[first] == '<') return "is a web page or XML, not the file itself: download that";
    if (text[first] == '[') return "is a JSON array; a tokenizer.json is an object, {...}";
    if (text[first] == '"') return "is a JSON string; a tokenizer.json is an object, {...}";
    return nullptr;
}

}  // namespace

void refuse_foreign_bytes(std::string_view bytes, const std::string& name) {
    for (const Kind& kind : kKinds) {
        if (bytes.starts_with(kind.begin)) throw DataError(format("{}: {}", name, kind.what));
    }
}

void refuse_foreign_file(std::string_view text, const std::string& name) {
    if (text.empty()) throw DataError(name + ": is empty");
    refuse_foreign_bytes(text, name);
    if (const char* what = kind_of_text(text)) throw DataError(format("{}: {}", name, what));
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
// The normaliser on any bytes: well-formed, trimmed, bounded, and the same with used buffers; words
// cover everything but the spaces.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/text/normalize.h"
#include "lib/text/unicode.h"

using namespace longhaul;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static text::TextNormalizer used;
    text::TextNormalizer fresh;
    const std::string_view normalized = used.normalize(text);
    require(normalized == fresh.normalize(text));
    require(normalized.size() <= 3 * text.size());
    require(text::find_invalid_utf8(normalized) == std::string_view::npos);
    require(!normalized.starts_with(' ') && !normalized.ends_with(' '));
    std::string words, without_spaces;
    text::for_each_word(normalized,
                        [&](const char* word, size_t length) { words.append(word, length); });
    for (const char c : normalized) {
        if (c != ' ') without_spaces += c;
    }
    require(words == without_spaces);
    return 0;
}

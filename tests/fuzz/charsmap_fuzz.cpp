// SPDX-License-Identifier: BSD-3-Clause
// precompiled_charsmap: any bytes are a table or an Error, and searches stay inside of it.
#include "lib/base/error.h"
#include "lib/token/charsmap.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;
    try {
        const std::string_view blob(reinterpret_cast<const char*>(data), size);
        const token::Charsmap map = token::Charsmap::parse(blob, "fuzz");
        for (const std::string_view text : {"abc", "a\xCC\x80", "\xEF\xBC\xA1", "\t x"}) {
            if (map.longest(text).length < map.shortest(text).length) __builtin_trap();
        }
    } catch (const Error&) {
    }
    return 0;
}

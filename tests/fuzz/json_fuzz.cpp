// SPDX-License-Identifier: BSD-3-Clause
// Any bytes are either JSON or a DataError; a manifest made of them is read or refused.

#include <cstdlib>
#include <string_view>

#include "lib/base/error.h"
#include "lib/io/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const io::Json value = io::parse_json(text, "fuzz");
        // What was read is written and read again without change.
        const std::string line = io::to_line(value);
        if (io::to_line(io::parse_json(line, "again")) != line) std::abort();
    } catch (const DataError&) {
        return 0;
    }
    return 0;
}

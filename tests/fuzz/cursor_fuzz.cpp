// SPDX-License-Identifier: BSD-3-Clause
// The data cursor of a checkpoint: what parses must come back the same, and give samples in order.
#include <cstdlib>
#include <string_view>

#include "lib/base/error.h"
#include "lib/io/json.h"
#include "lib/shards/cursor.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;
    try {
        const io::Json json =
            io::parse_json(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
        const auto cursor = shards::DataCursor::from_json(json, "fuzz");
        if (shards::DataCursor::from_json(cursor.to_json(), "again") != cursor) std::abort();
        const auto samples = cursor.peek(50);
        for (size_t i = 1; i < samples.size(); ++i) {
            if (samples[i] <= samples[i - 1]) std::abort();
        }
    } catch (const Error&) {
        return 0;
    }
    return 0;
}

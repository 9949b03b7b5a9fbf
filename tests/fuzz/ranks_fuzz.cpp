// SPDX-License-Identifier: BSD-3-Clause
// tiktoken rank files: any bytes give a tokenizer or an Error.
#include "lib/base/error.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;
    try {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const token::Tokenizer tokenizer(token::parse_ranks(text, "fuzz", "cl100k"));
        token::Encoder encoder(tokenizer, {});
        std::vector<uint32_t> ids;
        encoder.encode("Hello, world's 123 abcabc", ids);
    } catch (const Error&) {
    }
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// tokenizer.json: any bytes give a tokenizer or an Error; a tokenizer encodes without crashing.
#include "lib/base/error.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;
    try {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const token::Tokenizer tokenizer(token::parse_tokenizer_json(text, "fuzz"));
        token::Encoder encoder(tokenizer, {token::SpecialText::kParse, 1 << 12});
        std::vector<uint32_t> ids;
        encoder.encode("Hello, world's 123  \n\n abcabc<|end|>", ids);
        tokenizer.decode(ids, true);
    } catch (const Error&) {
    }
    return 0;
}

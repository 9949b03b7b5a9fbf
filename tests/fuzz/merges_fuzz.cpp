// SPDX-License-Identifier: BSD-3-Clause
// vocab.json and merges.txt in one input, divided by the first NUL.
#include "lib/base/error.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;
    try {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const size_t cut = std::min(text.find('\0'), size);
        const token::Tokenizer tokenizer(token::parse_vocab_merges(
            text.substr(0, cut), text.substr(std::min(cut + 1, size)), "vocab", "merges", "gpt2"));
        token::Encoder encoder(tokenizer, {});
        std::vector<uint32_t> ids;
        encoder.encode("Hello, world's 123 abcabc", ids);
    } catch (const Error&) {
    }
    return 0;
}

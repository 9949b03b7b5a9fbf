// SPDX-License-Identifier: BSD-3-Clause
// SentencePiece models: any bytes give a tokenizer or an Error, and the tokenizer gives the same
// ids by all its ways.
#include "lib/base/error.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"

namespace {

using namespace longhaul;

void try_model(std::string_view content) {
    try {
        const token::Tokenizer tokenizer(token::parse_sentencepiece(content, "fuzz"));
        token::Encoder fast(tokenizer, {token::SpecialText::kPlain, 1 << 12, true});
        token::Encoder plain(tokenizer, {token::SpecialText::kPlain, 0, false});
        for (const std::string_view text :
             {"abcab  ab a<unk></s> x\xC3\xA9\xC3\xA9 \xE4\xB8\xAD\n\ttag ab", " ", "aaaaaaaa"}) {
            std::vector<uint32_t> ids, others;
            fast.encode(text, ids);
            plain.encode(text, others);
            if (ids != others) __builtin_trap();
            for (const uint32_t id : ids) {
                if (!tokenizer.is_token(id)) __builtin_trap();
            }
            tokenizer.decode(ids, false);
        }
    } catch (const Error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string content(reinterpret_cast<const char*>(data), size);
    try_model(content);
    // Without the two messages that follow the pieces little gets far.
    try_model(content + std::string("\x12\0\x1A\0", 4));
    return 0;
}

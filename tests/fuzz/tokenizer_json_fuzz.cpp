// SPDX-License-Identifier: BSD-3-Clause
// tokenizer.json: any bytes give a tokenizer or an Error; a tokenizer encodes without crashing, its
// fast path gives the ids of the general one, and what it calls lossless is.
#include <cstdlib>

#include "lib/base/error.h"
#include "lib/token/decode_stream.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"

namespace {

using namespace longhaul;

void try_text(const token::Tokenizer& tokenizer, const std::string& text) {
    token::Encoder fast(tokenizer, {token::SpecialText::kParse, 1 << 12, true});
    token::Encoder general(tokenizer, {token::SpecialText::kParse, 1 << 12, false});
    std::vector<uint32_t> ids, same_ids;
    fast.encode(text, ids);
    general.encode(text, same_ids);
    if (ids != same_ids) std::abort();
    const std::string decoded = tokenizer.decode(ids, false);
    if (tokenizer.is_lossless() && decoded != text) std::abort();
    token::DecodeStream stream(tokenizer, true);
    for (const uint32_t id : ids) {
        stream.add(id);
        tokenizer.decoded_bytes(id);
    }
    stream.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const token::Tokenizer tokenizer(token::parse_tokenizer_json(text, "fuzz"));
        try_text(tokenizer, "Hello, world's 123  \n\n abcabc<|end|>");
        try_text(tokenizer,
                 "\u0301 e\u0301\u1100\u1161 \u4E2D\u6587\u00B2 \uFF21\uFB01 \U0001F468"
                 "\u200D\U0001F469 \u2581a \u0130 <0x41> \r\n foo_bar -- ");
    } catch (const Error&) {
    }
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The smallest whole tokenizer.json, for tests that change it.

#include "lib/io/json.h"
#include "lib/token/byte_level.h"

namespace longhaul::test {

/// 256 bytes, two merges, one control token.
inline io::Json small_tokenizer() {
    using io::Json;
    Json vocabulary = Json::object();
    for (unsigned byte = 0; byte < 256; ++byte) {
        const char text = static_cast<char>(byte);
        vocabulary[token::bytes_to_text({&text, 1})] = byte;
    }
    vocabulary["ab"] = 256;
    vocabulary["abc"] = 257;
    const Json byte_level{{"type", "ByteLevel"},
                          {"add_prefix_space", false},
                          {"trim_offsets", true},
                          {"use_regex", true}};
    return {{"version", "1.0"},
            {"truncation", nullptr},
            {"added_tokens",
             {{{"id", 258},
               {"content", "<|end|>"},
               {"single_word", false},
               {"lstrip", false},
               {"rstrip", false},
               {"normalized", false},
               {"special", true}}}},
            {"normalizer", nullptr},
            {"pre_tokenizer", byte_level},
            {"post_processor", nullptr},
            {"decoder",
             {{"type", "ByteLevel"},
              {"add_prefix_space", false},
              {"trim_offsets", true},
              {"use_regex", true}}},
            {"model",
             {{"type", "BPE"},
              {"vocab", vocabulary},
              {"merges", Json::array({"a b", Json::array({"ab", "c"})})}}}};
}

}  // namespace longhaul::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Text of tokens that come one by one, as a model makes them.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/token/tokenizer.h"

namespace longhaul::token {

/// Gives out text as soon as later tokens can not change it. Joined, the parts are what
/// Tokenizer::decode() makes of all tokens; for that the decoder must give longer texts for more
/// tokens, as all but WordPiece's cleanup and CTC do (huggingface/tokenizers, DecodeStream).
class DecodeStream {
 public:
    /// @param tokenizer must live on. @param skip_special leaves out control tokens. @param context
    /// the tokens before the first one, whose text is known
    DecodeStream(const Tokenizer& tokenizer, bool skip_special,
                 std::span<const uint32_t> context = {});

    /// The text that is new with this token; may be empty.
    std::string add(uint32_t id);
    /// The rest: parts of a character that never became whole, as U+FFFD.
    std::string finish();

 private:
    std::string add_bytes(uint32_t id);
    std::string decoded(size_t first) const;

    const Tokenizer& tokenizer_;
    bool skip_special_;
    std::string pending_;  // bytes of a character that is not whole yet
    // Other decoders look at neighbours: the ids since the last text given out but one.
    std::vector<uint32_t> ids_;
    size_t num_given_ = 0;  // of ids_, those whose text was given out
};

}  // namespace longhaul::token

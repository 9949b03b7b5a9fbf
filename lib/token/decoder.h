// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Token texts back to text: the decoders of HF tokenizers 0.23 (decoders/*.rs, and the decoders of
// ByteLevel, Metaspace and Replace), in the order of tokenizer.json.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/regex.h"

namespace longhaul::token {

/// One step: token texts to token texts. Immutable; apply() may be called in parallel.
class DecoderStep {
 public:
    virtual ~DecoderStep() = default;
    virtual void apply(std::vector<std::string>& tokens) const = 0;
    /// The same, but bytes that are not UTF-8 stay as they are.
    virtual void apply_to_bytes(std::vector<std::string>& tokens) const { apply(tokens); }
};
using DecoderStepPtr = std::shared_ptr<const DecoderStep>;

/// ByteLevel: joins all tokens; those of the byte alphabet become the bytes they stand for, invalid
/// UTF-8 becomes U+FFFD.
DecoderStepPtr make_byte_level_decoder();
/// Metaspace: `replacement` becomes a space. @param drops_first not in the first token, where it
/// goes
DecoderStepPtr make_metaspace_decoder(std::string replacement, bool drops_first);
/// ByteFallback: runs of "<0xHH>" become bytes, or as many U+FFFD when they are no UTF-8.
DecoderStepPtr make_byte_fallback_decoder();
/// Fuse: joins all tokens.
DecoderStepPtr make_fuse_decoder();
/// Strip: up to `start` and `stop` times the character `content` at the ends of each token.
DecoderStepPtr make_strip_decoder(std::string content, size_t start, size_t stop);
/// Replace, in each token. @param from not empty
DecoderStepPtr make_replace_decoder(std::string from, std::string to);
DecoderStepPtr make_replace_regex_decoder(std::string_view pattern, std::string to);
/// BPEDecoder: `suffix` becomes a space, and nothing in the last token.
DecoderStepPtr make_bpe_decoder(std::string suffix);
/// WordPiece: tokens without `prefix` begin words. @param cleans_up no spaces before punctuation
DecoderStepPtr make_wordpiece_decoder(std::string prefix, bool cleans_up);
/// CTC: equal neighbours count once, `pad` goes. @param cleans_up as WordPiece, and `delimiter`
/// becomes a space
DecoderStepPtr make_ctc_decoder(std::string pad, std::string delimiter, bool cleans_up);

/// Immutable once built; decode() may be called in parallel.
class Decoder {
 public:
    /// Of formats whose tokens are bytes (rank files): tokens are joined as they are.
    static Decoder of_bytes();

    void add(DecoderStepPtr step, bool is_byte_level = false);
    /// There is a decoder, if only an empty sequence: no spaces between tokens.
    void join_directly() { separator_ = ""; }

    /// True for of_bytes().
    bool joins_bytes() const { return joins_bytes_; }
    /// True when the only step is ByteLevel.
    bool is_byte_level() const { return is_byte_level_ && steps_.size() == 1; }
    /// The text of the tokens. Without a decoder they are joined by spaces.
    std::string decode(std::vector<std::string> tokens) const;
    /// The same, but bytes that are not UTF-8 stay as they are.
    std::string decode_bytes(std::vector<std::string> tokens) const;

 private:
    std::vector<DecoderStepPtr> steps_;
    const char* separator_ = " ";
    bool joins_bytes_ = false, is_byte_level_ = false;
};

/// The byte that a token "<0xHH>" stands for, or -1.
int byte_of_fallback_token(std::string_view token);

}  // namespace longhaul::token

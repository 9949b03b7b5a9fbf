// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Texts that are not UTF-8, for vocabularies that have a token for every byte: the model sees the
// bytes as they are.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/tokenizer.h"

namespace longhaul::token {

/// A text in which a character stands in for each sequence of bytes that is not UTF-8 (each maximal
/// subpart of one, Unicode 16.0, section 3.9), so that it can be normalised and cut.
class StandIns {
 public:
    /// @param bytes must live on. @param stand_in one character
    StandIns(std::string_view bytes, std::string_view stand_in);

    const std::string& text() const { return text_; }
    /// What the n-th occurrence of the character in text() stands for: bytes, or, where the text
    /// itself has the character, nothing.
    const std::vector<std::string_view>& occurrences() const { return occurrences_; }

 private:
    std::string text_;
    std::vector<std::string_view> occurrences_;
};

/// A text after all steps before the model: pieces one after the other, and added tokens between.
struct CutText {
    struct Item {
        size_t end = 0;          // of the piece in `text`; it begins where the one before ends
        uint32_t id = kNoToken;  // an added token, without a piece
    };
    std::string text;
    std::vector<Item> items;

    void clear() {
        text.clear();
        items.clear();
    }
    void add_piece(std::string_view piece) {
        text += piece;
        items.push_back({text.size(), kNoToken});
    }
    void add_token(uint32_t id) { items.push_back({text.size(), id}); }
};

/// Turns cut texts with stand-ins into ids. Immutable; may be used in parallel.
///
/// Byte-level models: the text is cut as if each sequence were U+FFFD, a symbol; then the bytes are
/// put back into the pieces. Models over characters with byte fallback: each of the bytes is its
/// token "<0xHH>", and the piece is cut there.
class RawBytes {
 public:
    /// @param tokenizer must live on. @throws DataError: its vocabulary has no tokens for bytes
    explicit RawBytes(const Tokenizer& tokenizer);

    std::string_view stand_in() const { return in_pieces_ ? "\uFFFD" : "\U0010FFFE"; }
    /// @throws DataError: a step of the tokenizer has removed or made a stand-in
    void encode(const CutText& cut, const StandIns& stand_ins, std::vector<uint32_t>& ids) const;

 private:
    class Pieces;

    const Model& model_;
    bool in_pieces_;
    std::array<uint32_t, 256> byte_tokens_{};
};

/// Why Encoder::encode_bytes() can not be used with a tokenizer, or "".
std::string why_no_raw_bytes(const Tokenizer& tokenizer);

}  // namespace longhaul::token

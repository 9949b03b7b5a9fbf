// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The part of a tokenizer that turns one piece of text into ids (HF tokenizers: "model").

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/token/vocabulary.h"

namespace longhaul::token {

/// Immutable after construction; encode() may be called in parallel.
class Model {
 public:
    virtual ~Model() = default;
    /// Tokens by id: the bytes they stand for in a byte-level model, else their text in the file
    /// ("\u2581the", "<0x0A>" for a byte, lib/token/byte_piece.h).
    virtual const Vocabulary& vocabulary() const = 0;
    /// True for a byte-level model: pieces are the bytes of the text, cut anywhere. False: pieces
    /// are well-formed text as normaliser and pre-tokeniser leave it (of the byte alphabet behind a
    /// ByteLevel step).
    virtual bool takes_bytes() const { return false; }
    /// Appends the ids of one piece. @param piece not empty; see takes_bytes().
    virtual void encode(std::string_view piece, std::vector<uint32_t>& ids) const = 0;
    /// True when independent_prefix() can cut. A model that may get whole documents as one piece
    /// (there is no pre-tokeniser) cuts them, so that their parts can be remembered.
    virtual bool cuts_pieces() const { return false; }
    /// Bytes of the first part of `piece`: the ids of part and rest, each encoded alone, are the
    /// ids of the whole. @param piece as for encode().
    virtual size_t independent_prefix(std::string_view piece) const { return piece.size(); }
    /// The id of what the vocabulary can not express, or kNoToken: it is dropped, or there is
    /// nothing of that kind.
    virtual uint32_t unknown_id() const = 0;
    /// True when some text can not be decoded from its ids: it becomes unknown_id() or is dropped.
    virtual bool loses_text() const { return unknown_id() != kNoToken; }
};

}  // namespace longhaul::token

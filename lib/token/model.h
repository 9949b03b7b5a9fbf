// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The part of a tokenizer that turns one piece of text into ids (HF tokenizers: "model").

#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
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
    /// Builds what makes encode() fast, which would be built later, once it is worth while. May be
    /// called in parallel.
    virtual void prepare() const {}
    /// True when cut() can cut. A model that may get whole documents as one piece (there is no
    /// pre-tokeniser) cuts them, so that their parts can be remembered.
    virtual bool cuts_pieces() const { return false; }
    /// Writes where the first parts of `piece` end, the last at the end of the piece if there is
    /// room: their ids, each by encode_part(), are those of the whole. @param piece as for
    /// encode(), below 4 GiB @param ends room for `most` numbers @return how many, at least 1
    virtual size_t cut(std::string_view piece, uint32_t* ends, size_t /*most*/) const {
        ends[0] = static_cast<uint32_t>(piece.size());
        return 1;
    }
    /// Some places where cut() could cut, known by the bytes on both sides:
    /// cuts[last byte of a character][first byte of the next one]. Of texts where a space stands
    /// for U+2581, the mark that many vocabularies have for it.
    using ByteCuts = std::array<std::bitset<256>, 256>;
    virtual ByteCuts byte_cuts() const { return {}; }
    /// Appends the ids of a part, where they may differ from those of a piece of the same text.
    virtual void encode_part(std::string_view part, std::vector<uint32_t>& ids) const {
        encode(part, ids);
    }
    /// The id of what the vocabulary can not express, or kNoToken: it is dropped, or there is
    /// nothing of that kind.
    virtual uint32_t unknown_id() const = 0;
    /// True when some text can not be decoded from its ids: it becomes unknown_id() or is dropped.
    virtual bool loses_text() const { return unknown_id() != kNoToken; }
};

/// The parts that Model::cut() makes of a piece, one after the other.
class PartCursor {
 public:
    /// @param cuts false: the piece is the only part.
    PartCursor(const Model& model, std::string_view piece, bool cuts)
        : model_(model), rest_(piece), cuts_(cuts) {}
    bool is_done() const { return rest_.empty() && at_ == count_; }
    std::string_view next() {
        if (!cuts_) return std::exchange(rest_, {});
        if (at_ == count_) {
            window_ = rest_;
            count_ = model_.cut(rest_, ends_.data(), ends_.size());
            rest_.remove_prefix(ends_[count_ - 1]);
            at_ = 0;
        }
        const uint32_t begin = at_ == 0 ? 0 : ends_[at_ - 1];
        return window_.substr(begin, ends_[at_++] - begin);
    }

 private:
    const Model& model_;
    std::string_view rest_, window_;  // behind the known ends; what they count from
    std::array<uint32_t, 64> ends_;
    size_t count_ = 0, at_ = 0;
    bool cuts_;
};

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/raw_bytes.h"

#include "lib/base/error.h"
#include "lib/text/unicode.h"
#include "lib/token/byte_piece.h"
#include "lib/token/encoder.h"

namespace longhaul::token {

StandIns::StandIns(std::string_view bytes, std::string_view stand_in) {
    text_.reserve(bytes.size() + bytes.size() / 8);
    for (size_t at = 0; at < bytes.size();) {
        const text::Decoded decoded = text::decode_utf8(bytes, at);
        const std::string_view sequence = bytes.substr(at, decoded.length);
        if (!decoded.is_valid) occurrences_.push_back(sequence);
        if (decoded.is_valid && sequence == stand_in) occurrences_.emplace_back();
        text_ += decoded.is_valid ? sequence : stand_in;
        at += decoded.length;
    }
}

RawBytes::RawBytes(const Tokenizer& tokenizer)
    : model_(*tokenizer.parts().model), in_pieces_(model_.takes_bytes()) {
    for (unsigned value = 0; value < 256; ++value) {
        const auto byte = static_cast<uint8_t>(value);
        const char as_text = static_cast<char>(byte);
        byte_tokens_[value] =
            model_.vocabulary().find(in_pieces_ ? std::string(1, as_text) : byte_piece(byte));
        if (byte_tokens_[value] != kNoToken && (in_pieces_ || !model_.loses_text())) continue;
        throw DataError(in_pieces_
                            ? format("the vocabulary has no token of the byte 0x{:02X}", byte)
                            : "the model is over characters and has no tokens for bytes");
    }
}

/// Collects the bytes of a piece, and its ids.
class RawBytes::Pieces {
 public:
    Pieces(const RawBytes& raw, std::vector<uint32_t>& ids) : raw_(raw), ids_(ids) {}
    void add_text(std::string_view text) { piece_ += text; }
    void add_raw(std::string_view bytes) {
        if (raw_.in_pieces_) {
            piece_ += bytes;
            return;
        }
        end_piece();
        for (const char byte : bytes) ids_.push_back(raw_.byte_tokens_[static_cast<uint8_t>(byte)]);
    }
    void end_piece() {
        if (!piece_.empty()) raw_.model_.encode(piece_, ids_);
        piece_.clear();
    }

 private:
    const RawBytes& raw_;
    std::vector<uint32_t>& ids_;
    std::string piece_;
};

void RawBytes::encode(const CutText& cut, const StandIns& stand_ins,
                      std::vector<uint32_t>& ids) const {
    const std::string_view text = cut.text;
    Pieces pieces(*this, ids);
    size_t at = 0, next = text.find(stand_in()), num_found = 0;
    for (const CutText::Item& item : cut.items) {
        // Steps that see the byte alphabet may cut inside a stand-in: it is in the piece in which
        // it begins, and `at` is behind the end then.
        while (next < item.end && num_found < stand_ins.occurrences().size()) {
            const std::string_view bytes = stand_ins.occurrences()[num_found++];
            pieces.add_text(text.substr(at, next - at));
            if (bytes.empty()) pieces.add_text(stand_in());
            if (!bytes.empty()) pieces.add_raw(bytes);
            at = next + stand_in().size();
            next = text.find(stand_in(), at);
        }
        if (at < item.end) pieces.add_text(text.substr(at, item.end - at));
        at = std::max(at, item.end);
        pieces.end_piece();
        if (item.id != kNoToken) ids.push_back(item.id);
    }
    if (num_found == stand_ins.occurrences().size() && next == std::string_view::npos) return;
    throw DataError(
        "a step of the tokenizer removes or makes the character that stands in for bytes that are "
        "not UTF-8");
}

std::string why_no_raw_bytes(const Tokenizer& tokenizer) {
    try {
        Encoder encoder(tokenizer, {SpecialText::kPlain, 1 << 16});
        std::vector<uint32_t> ids;
        encoder.encode_bytes(
            "a\xFF b\xE3\x81, \xF0\x9F\x98 1\xED\xA0\x80\n\xC0\xAF \xFF\uFFFD\xFE.", ids);
        return "";
    } catch (const DataError& error) {
        return error.describe();
    }
}

}  // namespace longhaul::token

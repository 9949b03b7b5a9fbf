// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/sentencepiece_decoder.h"

#include <unordered_set>

#include "lib/text/unicode.h"
#include "lib/token/byte_piece.h"
#include "lib/token/sentencepiece_model.h"

namespace longhaul::token {

namespace {

using PieceType = SentencePieceModel::PieceType;

constexpr std::string_view kSpace = "\xE2\x96\x81";

/// Bytes as text, each one that is not part of a character as U+FFFD.
void append_bytes(std::string_view bytes, std::string& out) {
    for (size_t i = 0; i < bytes.size();) {
        const text::Decoded decoded = text::decode_utf8(bytes, i);
        text::append_utf8(decoded.is_valid ? decoded.code_point : text::kReplacement, out);
        i += decoded.is_valid ? decoded.length : 1;
    }
}

class SentencePieceDecoder final : public DecoderStep {
 public:
    explicit SentencePieceDecoder(const SentencePieceModel& model)
        : unknown_(model.pieces[model.unknown_id].text),
          unknown_surface_(model.unknown_surface),
          has_bytes_(model.byte_fallback),
          drops_first_space_(model.add_dummy_prefix || model.remove_extra_spaces),
          drops_all_first_spaces_(model.remove_extra_spaces) {
        for (const SentencePieceModel::Piece& piece : model.pieces) {
            if (piece.type == PieceType::kControl) controls_.insert(piece.text);
        }
    }

    void apply(std::vector<std::string>& tokens) const override { join(tokens, false); }
    void apply_to_bytes(std::vector<std::string>& tokens) const override { join(tokens, true); }

 private:
    void join(std::vector<std::string>& tokens, bool keeps_bytes) const {
        std::string out, bytes;
        bool is_at_start = true, has_dropped = false;
        for (const std::string& token : tokens) {
            const auto byte = has_bytes_ ? piece_byte(token) : std::nullopt;
            if (byte) {
                bytes += static_cast<char>(*byte);
                continue;
            }
            flush(bytes, keeps_bytes, out);
            if (has_dropped || !out.empty()) is_at_start = false;
            has_dropped = append_piece(token, is_at_start, out);
        }
        flush(bytes, keeps_bytes, out);
        tokens.assign(1, out);
    }

    static void flush(std::string& bytes, bool keeps_bytes, std::string& out) {
        if (keeps_bytes) out += bytes;
        if (!keeps_bytes) append_bytes(bytes, out);
        bytes.clear();
    }
    /// @return true when the one space that may go was in this piece.
    bool append_piece(std::string_view piece, bool is_at_start, std::string& out) const {
        if (controls_.contains(std::string(piece))) return false;
        if (piece == unknown_) {
            out += unknown_surface_;
            return false;
        }
        bool has_dropped = false;
        if (is_at_start && drops_first_space_ && piece.starts_with(kSpace)) {
            piece.remove_prefix(kSpace.size());
            has_dropped = !drops_all_first_spaces_;
        }
        while (!piece.empty()) {
            const size_t space = piece.find(kSpace);
            out += piece.substr(0, space);
            if (space == std::string_view::npos) break;
            out += ' ';
            piece.remove_prefix(space + kSpace.size());
        }
        return has_dropped;
    }

    std::string unknown_, unknown_surface_;
    bool has_bytes_, drops_first_space_, drops_all_first_spaces_;
    std::unordered_set<std::string> controls_;
};

}  // namespace

DecoderStepPtr make_sentencepiece_decoder(const SentencePieceModel& model) {
    return std::make_shared<const SentencePieceDecoder>(model);
}

}  // namespace longhaul::token

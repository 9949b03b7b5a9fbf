// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/sentencepiece_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "lib/text/unicode.h"
#include "lib/token/byte_piece.h"
#include "lib/token/protobuf.h"
#include "lib/token/vocabulary.h"

namespace longhaul::token {

namespace {

using Model = SentencePieceModel;
using Piece = Model::Piece;
using PieceType = Model::PieceType;

Piece read_piece(ProtoReader message) {
    Piece piece;
    while (message.next()) {
        const uint64_t at = message.offset();
        if (message.field() == 1) {
            piece.text = message.bytes();
        } else if (message.field() == 2) {
            piece.score = message.float32();
            if (std::isnan(piece.score)) {
                message.refuse(at, format("the score of \"{}\" is not a number", piece.text));
            }
        } else if (message.field() == 3) {
            const uint64_t type = message.varint();
            if (type < 1 || type > 6)
                message.refuse(at, format("piece type {} is not known", type));
            piece.type = static_cast<PieceType>(type);
        }
    }
    return piece;
}

void read_trainer_spec(ProtoReader message, Model& model) {
    while (message.next()) {
        const uint64_t at = message.offset();
        switch (message.field()) {
            case 3: {
                const uint64_t type = message.varint();
                if (type < 1 || type > 4) {
                    message.refuse(at, format("model type {} is not known", type));
                }
                model.algorithm = static_cast<Model::Algorithm>(type);
                break;
            }
            case 24:
                model.space_is_suffix = message.boolean();
                break;
            case 35:
                model.byte_fallback = message.boolean();
                break;
            case 44:
                model.unknown_surface = message.bytes();
                break;
            default:
                break;
        }
    }
}

void read_normalizer_spec(ProtoReader message, Model& model) {
    while (message.next()) {
        switch (message.field()) {
            case 2:
                model.charsmap = message.bytes();
                model.charsmap_offset = message.offset() - model.charsmap.size();
                break;
            case 3:
                model.add_dummy_prefix = message.boolean();
                break;
            case 4:
                model.remove_extra_spaces = message.boolean();
                break;
            case 5:
                model.escape_spaces = message.boolean();
                break;
            default:
                break;
        }
    }
}

void read_denormalizer_spec(ProtoReader message, Model& model) {
    while (message.next()) {
        if (message.field() == 2) model.has_denormalizer = !message.bytes().empty();
    }
}

/// The rules of sentencepiece's ModelInterface::InitializePieces, and those that keep it from
/// failing later.
class PieceCheck {
 public:
    PieceCheck(Model& model, const std::string& name) : model_(model), name_(name) {}

    void run() {
        for (uint32_t id = 0; id < model_.pieces.size(); ++id) check(id);
        if (!has_unknown_) throw DataError(format("{}: no piece is of type UNKNOWN", name_));
        for (unsigned byte = 0; byte < 256 && model_.byte_fallback; ++byte) {
            if (!has_byte_[byte]) {
                throw DataError(format("{}: byte_fallback without a piece {}", name_,
                                       byte_piece(static_cast<uint8_t>(byte))));
            }
        }
    }

 private:
    [[noreturn]] void fail(uint32_t id, const std::string& what) const {
        throw DataError(format("{}: piece {} \"{}\": {}", name_, id, model_.pieces[id].text, what));
    }

    void check(uint32_t id) {
        const Piece& piece = model_.pieces[id];
        if (piece.text.empty()) fail(id, "is empty");
        if (!text::is_valid_utf8(piece.text)) fail(id, "is not UTF-8");
        const auto [other, is_new] = ids_.emplace(piece.text, id);
        if (!is_new) fail(id, format("is piece {}, too", other->second));
        if (piece.type == PieceType::kUnknown) {
            if (has_unknown_) fail(id, "is a second piece of type UNKNOWN");
            has_unknown_ = true;
            model_.unknown_id = id;
        } else if (piece.type == PieceType::kByte) {
            if (!model_.byte_fallback) fail(id, "is of type BYTE without byte_fallback");
            const auto byte = piece_byte(piece.text);
            if (!byte) fail(id, "is of type BYTE and not <0x00> to <0xFF>");
            has_byte_[*byte] = true;
        } else if (piece.type == PieceType::kControl &&
                   text::decode_utf8(piece.text, 0).length == piece.text.size()) {
            fail(id,
                 "is a control symbol of one character, whose text sentencepiece can not encode");
        }
    }

    Model& model_;
    const std::string& name_;
    std::unordered_map<std::string_view, uint32_t> ids_;
    std::array<bool, 256> has_byte_{};
    bool has_unknown_ = false;
};

}  // namespace

bool looks_like_sentencepiece(std::string_view content) {
    if (!content.starts_with('\n')) return false;
    const std::string_view head = content.substr(0, 256);
    return std::any_of(head.begin(), head.end(), [](char c) {
        return static_cast<uint8_t>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
    });
}

SentencePieceModel read_sentencepiece_model(std::string_view content, const std::string& name) {
    SentencePieceModel model;
    bool has_trainer_spec = false, has_normalizer_spec = false;
    ProtoReader message(content, 0, name);
    while (message.next()) {
        const uint64_t at = message.offset();
        switch (message.field()) {
            case 1:
                if (model.pieces.size() > kMaxTokenId) message.refuse(at, "too many pieces");
                model.pieces.push_back(read_piece(message.message()));
                break;
            case 2:
                read_trainer_spec(message.message(), model);
                has_trainer_spec = true;
                break;
            case 3:
                read_normalizer_spec(message.message(), model);
                has_normalizer_spec = true;
                break;
            case 5:
                read_denormalizer_spec(message.message(), model);
                break;
            default:
                break;
        }
    }
    // sentencepiece would take defaults, but what writes models writes both, behind the pieces:
    // without them a file cut off between two pieces would be another model.
    if (!has_trainer_spec || !has_normalizer_spec) {
        throw DataError(format("{}: no {} follows the pieces: the file is cut off", name,
                               has_trainer_spec ? "normalizer_spec" : "trainer_spec"));
    }
    PieceCheck(model, name).run();
    return model;
}

}  // namespace longhaul::token

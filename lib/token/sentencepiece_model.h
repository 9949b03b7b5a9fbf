// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a SentencePiece .model file says. Source of the format: google/sentencepiece,
// src/sentencepiece_model.proto; of its rules: src/model_interface.cc.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::token {

struct SentencePieceModel {
    /// Numbers of the file.
    enum class PieceType : uint8_t {
        kNormal = 1,
        kUnknown = 2,
        kControl = 3,
        kUserDefined = 4,
        kUnused = 5,
        kByte = 6
    };
    enum class Algorithm : uint8_t { kUnigram = 1, kBpe = 2, kWord = 3, kChar = 4 };

    struct Piece {
        std::string text;  // well-formed UTF-8, not empty
        float score = 0;
        PieceType type = PieceType::kNormal;
        /// Part of the vocabulary that text is matched with.
        bool is_matchable() const {
            return type == PieceType::kNormal || type == PieceType::kUserDefined ||
                   type == PieceType::kUnused;
        }
    };
    std::vector<Piece> pieces;  // by id
    uint32_t unknown_id = 0;
    Algorithm algorithm = Algorithm::kUnigram;
    bool byte_fallback = false;  // then all 256 bytes have a piece
    bool space_is_suffix = false;
    std::string unknown_surface = " \xE2\x81\x87 ";

    std::string charsmap;  // lib/token/charsmap.h; empty: none
    uint64_t charsmap_offset = 0;
    bool add_dummy_prefix = true, remove_extra_spaces = true, escape_spaces = true;
    bool has_denormalizer = false;
};

/// True when `content` looks like a .model: it begins with a piece and is no text.
bool looks_like_sentencepiece(std::string_view content);

/// @throws DataError naming the byte, for what is malformed and for what sentencepiece refuses.
SentencePieceModel read_sentencepiece_model(std::string_view content, const std::string& name);

}  // namespace longhaul::token

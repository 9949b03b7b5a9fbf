// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes the Protocol Buffers of a SentencePiece .model (lib/token/sentencepiece_model.h).

#include <bit>
#include <cstdint>
#include <string>

namespace longhaul::testing {

inline std::string proto_varint(uint64_t number) {
    std::string out;
    for (; number >= 128; number >>= 7) out += static_cast<char>((number & 127) | 128);
    return out + static_cast<char>(number);
}
inline std::string proto_number(uint32_t field, uint64_t number) {
    return proto_varint(field << 3) + proto_varint(number);
}
inline std::string proto_bytes(uint32_t field, const std::string& bytes) {
    return proto_varint((field << 3) | 2) + proto_varint(bytes.size()) + bytes;
}
inline std::string proto_float(uint32_t field, float number) {
    const auto bits = std::bit_cast<uint32_t>(number);
    std::string out = proto_varint((field << 3) | 5);
    for (unsigned i = 0; i < 4; ++i) out += static_cast<char>(bits >> (8 * i));
    return out;
}
/// @param type 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte
inline std::string proto_piece(const std::string& text, float score, uint64_t type) {
    return proto_bytes(1, proto_bytes(1, text) + proto_float(2, score) + proto_number(3, type));
}

}  // namespace longhaul::testing

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/bpe_builder.h"

#include "lib/base/error.h"
#include "lib/token/byte_level.h"

namespace longhaul::token {

namespace {

/// Bytes that never occur in well-formed UTF-8.
bool is_never_in_utf8(unsigned byte) {
    return byte == 0xC0 || byte == 0xC1 || byte >= 0xF5;
}

}  // namespace

void BpeBuilder::add_token(const std::string& content, int64_t id) {
    if (id < 0 || id > kMaxTokenId) {
        throw DataError(
            format("{}: token \"{}\": id {} is not in 0..{}", source_, content, id, kMaxTokenId));
    }
    const auto number = static_cast<uint32_t>(id);
    if (vocabulary_.contains(number)) {
        throw DataError(format("{}: tokens \"{}\" and \"{}\" both have id {}", source_,
                               bytes_to_text(vocabulary_.bytes(number)), content, id));
    }
    if (!ids_.emplace(content, number).second) {
        throw DataError(format("{}: token \"{}\" is there twice", source_, content));
    }
    // Tokens outside the byte alphabet can not arise from text: they are kept for decoding.
    const auto bytes = text_to_bytes(content);
    const bool is_findable = bytes && !bytes->empty();
    vocabulary_.add(number, bytes ? *bytes : content, is_findable);
}

uint32_t BpeBuilder::find(std::string_view content) const {
    const auto found = ids_.find(std::string(content));
    return found == ids_.end() ? kNoToken : found->second;
}

void BpeBuilder::add_merge(std::string_view left, std::string_view right,
                           const std::string& place) {
    const auto require = [&](std::string_view part) {
        const uint32_t id = find(part);
        if (id == kNoToken) {
            throw DataError(format("{}: {}: \"{} {}\": \"{}\" is not in the vocabulary", source_,
                                   place, left, right, part));
        }
        return id;
    };
    const uint32_t left_id = require(left), right_id = require(right);
    const uint32_t whole_id = require(std::string(left) + std::string(right));
    merges_.set(left_id, right_id, {next_rank_++, whole_id});
}

std::unique_ptr<Bpe> BpeBuilder::build(const Bpe::Options& options,
                                       std::vector<std::string>& warnings) {
    std::string lost;
    for (unsigned byte = 0; byte < 256 && options.unknown_id == kNoToken; ++byte) {
        const char text = static_cast<char>(byte);
        if (is_never_in_utf8(byte) || vocabulary_.find({&text, 1}) != kNoToken) continue;
        const bool is_common = (byte >= ' ' && byte <= '~') || byte == '\n' || byte == '\t';
        if (is_common) {
            throw DataError(
                format("{}: no token for byte 0x{:02X} (\"{}\") and no unk_token: its text "
                       "would be lost; not a byte-level vocabulary?",
                       source_, byte, bytes_to_text({&text, 1})));
        }
        lost += format("{}0x{:02X}", lost.empty() ? "" : " ", byte);
    }
    if (!lost.empty()) {
        warnings.push_back(
            format("{}: no token for the bytes {}: they are dropped from texts, as "
                   "HF tokenizers does",
                   source_, lost));
    }
    return std::make_unique<Bpe>(std::move(vocabulary_), std::move(merges_), options);
}

}  // namespace longhaul::token

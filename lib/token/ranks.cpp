// SPDX-License-Identifier: BSD-3-Clause
// tiktoken rank files: one "BASE64 RANK" a line. Source: openai/tiktoken, tiktoken/load.py.
#include <charconv>
#include <optional>

#include "lib/base/error.h"
#include "lib/token/base64.h"
#include "lib/token/bpe.h"
#include "lib/token/foreign_file.h"
#include "lib/token/load.h"

namespace longhaul::token {

namespace {

/// Pairs of adjacent tokens merge when their concatenation is a token; its rank is the priority.
MergeTable make_merges(const Vocabulary& vocabulary) {
    MergeTable merges(vocabulary.num_used() * 2);
    // Looking up every part of a token of a megabyte would never end; few lengths occur.
    std::vector<bool> has_length(vocabulary.longest_token_bytes() + 1);
    for (uint32_t id = 0; id < vocabulary.size(); ++id) {
        has_length[vocabulary.bytes(id).size()] = true;
    }
    for (uint32_t id = 0; id < vocabulary.size(); ++id) {
        const std::string_view bytes = vocabulary.bytes(id);
        for (size_t cut = 1; cut < bytes.size(); ++cut) {
            if (!has_length[cut] || !has_length[bytes.size() - cut]) continue;
            const uint32_t left = vocabulary.find(bytes.substr(0, cut));
            if (left == kNoToken) continue;
            const uint32_t right = vocabulary.find(bytes.substr(cut));
            if (right != kNoToken) merges.set(left, right, {id, id});
        }
    }
    return merges;
}

void add_line(std::string_view line, const std::string& place, Vocabulary& vocabulary) {
    const size_t space = line.find(' ');
    const std::string_view digits = line.substr(0, space);
    // The empty token of openai/whisper's rank files is written "=".
    const auto bytes = digits == "=" ? std::optional<std::string>("") : decode_base64(digits);
    if (space == std::string_view::npos || !bytes) {
        throw DataError(place + ": not \"BASE64 RANK\"; not a tiktoken rank file?");
    }
    uint32_t rank = 0;
    const std::string_view number = line.substr(space + 1);
    const char* const end = number.data() + number.size();
    const auto parsed = std::from_chars(number.data(), end, rank);
    if (parsed.ec != std::errc() || parsed.ptr != end || rank > kMaxTokenId) {
        throw DataError(format("{}: \"{}\" is no rank in 0..{}", place, number, kMaxTokenId));
    }
    if (vocabulary.contains(rank))
        throw DataError(format("{}: rank {} is used twice", place, rank));
    const uint32_t there = vocabulary.add(rank, *bytes, !bytes->empty());
    if (there != kNoToken) {
        throw DataError(format("{}: the token is already there with rank {}", place, there));
    }
}

}  // namespace

TokenizerParts parse_ranks(std::string_view text, const std::string& name,
                           const std::string& pattern) {
    refuse_foreign_file(text, name);
    TokenizerParts parts;
    parts.kind = "ranks";
    parts.files = {{"ranks.tiktoken", std::string(text)}};
    Vocabulary vocabulary;
    for (size_t number = 1; !text.empty(); ++number) {
        const size_t newline = text.find('\n');
        std::string_view line = text.substr(0, newline);
        text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (!line.empty()) add_line(line, format("{}:{}", name, number), vocabulary);
    }
    for (unsigned byte = 0; byte < 256; ++byte) {
        const char one = static_cast<char>(byte);
        if (vocabulary.find({&one, 1}) == kNoToken) {
            throw DataError(format("{}: no token for byte 0x{:02X}", name, byte));
        }
    }
    set_named_pattern(parts, pattern, name);
    parts.decoder = Decoder::of_bytes();
    Bpe::Options options;
    options.whole_piece_first = true;
    MergeTable merges = make_merges(vocabulary);
    parts.model = std::make_unique<Bpe>(std::move(vocabulary), std::move(merges), options);
    return parts;
}

}  // namespace longhaul::token

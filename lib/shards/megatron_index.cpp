// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/megatron_index.h"

#include <sys/stat.h>

#include <array>
#include <cstring>

#include "lib/base/check.h"
#include "lib/base/error.h"

namespace longhaul::shards {

namespace {

constexpr uint64_t kVersion = 1;
constexpr std::pair<uint8_t, const char*> kOtherTypes[] = {
    {2, "int8"}, {3, "int16"}, {6, "float64"}, {7, "float32"}};

template <class T>
T at(std::span<const std::byte> bytes, size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);  // nothing is aligned
    return value;
}

std::optional<TokenType> type_of_code(uint8_t code) {
    for (const TokenType type :
         {TokenType::kU16, TokenType::kI32, TokenType::kI64, TokenType::kU8}) {
        if (megatron_type_code(type) == code) return type;
    }
    return std::nullopt;
}

uint64_t size_of_file(int fd, const std::string& name) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) throw IoError("cannot look at " + name);
    return static_cast<uint64_t>(status.st_size);
}

}  // namespace

uint8_t megatron_type_code(TokenType type) {
    switch (type) {
        case TokenType::kU8:
            return 1;
        case TokenType::kU16:
            return 8;
        case TokenType::kI32:
            return 4;
        case TokenType::kI64:
            return 5;
        case TokenType::kU32:
            break;
    }
    LH_CHECK(false, "Megatron has no type {}", token_type_name(type));
    return 0;
}

TokenType megatron_token_type(uint32_t vocab_size) {
    return vocab_size < 65500 ? TokenType::kU16 : TokenType::kI32;
}

std::string megatron_header(TokenType type, uint64_t num_sequences, uint64_t num_documents) {
    std::string header(std::begin(kMegatronMagic), std::end(kMegatronMagic));
    const auto append = [&header](auto value) {
        header.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    append(kVersion);
    append(megatron_type_code(type));
    append(num_sequences);
    append(num_documents + 1);
    return header;
}

void MegatronIndex::fail(uint64_t byte, const std::string& what) const {
    throw DataError(file_.name(), byte, what);
}

MegatronIndex::MegatronIndex(io::UniqueFd fd, std::string name)
    : file_(std::move(fd), std::move(name)) {
    const uint64_t size = size_of_file(file_.fd(), file_.name());
    std::array<std::byte, kMegatronHeaderBytes> header;
    if (size < header.size()) fail(size, "cut: no room for the header of a Megatron index");
    file_.read(0, header);
    if (std::memcmp(header.data(), kMegatronMagic, sizeof kMegatronMagic) != 0) {
        fail(0, "not a Megatron index (it would begin with MMIDIDX)");
    }
    if (const auto version = at<uint64_t>(header, 9); version != kVersion) {
        fail(9, format("version {} of the index, this program reads {}", version, kVersion));
    }
    const auto code = at<uint8_t>(header, 17);
    const auto type = type_of_code(code);
    for (const auto& [other, type_name] : kOtherTypes) {
        if (code == other) fail(17, format("{} is no type of token ids", type_name));
    }
    if (!type) fail(17, format("type {} is not known", code));
    type_ = *type;
    num_sequences_ = at<uint64_t>(header, 18);
    const auto num_indices = at<uint64_t>(header, 26);
    if (num_indices == 0) fail(26, "no document index at all, not even the first 0");
    num_documents_ = num_indices - 1;
    // Bounded first, so that the products below can not wrap.
    if (num_sequences_ > size / 12 || num_indices > size / 8) {
        fail(18, format("{} sequences and {} documents do not fit into {} bytes: cut, or no index",
                        num_sequences_, num_documents_, size));
    }
    const uint64_t expected = kMegatronHeaderBytes + 12 * num_sequences_ + 8 * num_indices;
    const bool has_modes = size == expected + num_sequences_;
    if (size != expected && !has_modes) {
        fail(size, format("{} sequences and {} documents make {} bytes: cut or damaged",
                          num_sequences_, num_documents_, expected));
    }
}

void MegatronIndex::read_lengths(uint64_t first, std::span<int32_t> out) const {
    const uint64_t begin = kMegatronHeaderBytes + 4 * first;
    file_.read(begin, std::as_writable_bytes(out));
    for (size_t i = 0; i < out.size(); ++i) {
        if (out[i] < 0) {
            fail(begin + 4 * i, format("sequence {} has {} tokens", first + i, out[i]));
        }
    }
}

void MegatronIndex::read_begins(uint64_t first, std::span<uint64_t> out) const {
    const bool has_end = first + out.size() > num_sequences_;
    const uint64_t begin = kMegatronHeaderBytes + 4 * num_sequences_ + 8 * first;
    const auto stored = out.first(has_end ? out.size() - 1 : out.size());
    file_.read(begin, std::as_writable_bytes(stored));
    const uint64_t size = token_bytes(type_);
    for (size_t i = 0; i < stored.size(); ++i) {
        if (stored[i] > INT64_MAX || stored[i] % size != 0) {
            fail(begin + 8 * i, format("sequence {} begins at byte {} of .bin", first + i,
                                       static_cast<int64_t>(stored[i])));
        }
        stored[i] /= size;
    }
    if (!has_end) return;
    uint64_t last = 0;
    int32_t length = 0;
    if (num_sequences_ > 0) {
        if (stored.empty()) {
            read_begins(num_sequences_ - 1, {&last, 1});
        } else {
            last = stored.back();
        }
        read_lengths(num_sequences_ - 1, {&length, 1});
    }
    out.back() = last + static_cast<uint64_t>(length);
}

void MegatronIndex::read_documents(uint64_t first, std::span<uint64_t> out) const {
    const uint64_t begin = kMegatronHeaderBytes + 12 * num_sequences_ + 8 * first;
    file_.read(begin, std::as_writable_bytes(out));
    for (size_t i = 0; i < out.size(); ++i) {
        const uint64_t document = first + i;
        const bool is_wrong_end = (document == 0 && out[i] != 0) ||
                                  (document == num_documents_ && out[i] != num_sequences_);
        if (is_wrong_end || out[i] > num_sequences_ || (i > 0 && out[i] < out[i - 1])) {
            fail(begin + 8 * i, format("document {} begins at sequence {} of {}{}", document,
                                       static_cast<int64_t>(out[i]), num_sequences_,
                                       document == num_documents_ ? ", it should end there" : ""));
        }
    }
}

}  // namespace longhaul::shards

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The wire format of Protocol Buffers, read field by field. Source:
// https://protobuf.dev/programming-guides/encoding/

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/error.h"

namespace longhaul::token {

/// One message. What is malformed is refused with its byte in the file.
class ProtoReader {
 public:
    /// @param offset of `bytes` in the file. @param file name for messages.
    ProtoReader(std::string_view bytes, uint64_t offset, const std::string& file)
        : bytes_(bytes), offset_(offset), file_(file) {}

    /// Goes to the next field. @return false at the end of the message.
    bool next() {
        skip_value();
        if (at_ == bytes_.size()) return false;
        const uint64_t start = at_;
        const uint64_t key = read_varint();
        type_ = key & 7;
        if (key >> 3 == 0 || key >> 3 >= 1u << 29) fail(start, "field number out of range");
        if (type_ != kVarint && type_ != kFixed64 && type_ != kBytes && type_ != kFixed32) {
            fail(start, "wire type that this format does not use");
        }
        field_ = static_cast<uint32_t>(key >> 3);
        has_value_ = true;
        return true;
    }

    uint32_t field() const { return field_; }
    /// Offset in the file of what is read next.
    uint64_t offset() const { return offset_ + at_; }

    // The value of the current field, each once.
    uint64_t varint() {
        take(kVarint);
        return read_varint();
    }
    bool boolean() { return varint() != 0; }
    float float32() {
        take(kFixed32);
        uint32_t bits = 0;
        const std::string_view raw = read_bytes(4);
        for (unsigned i = 0; i < 4; ++i) bits |= uint32_t{static_cast<uint8_t>(raw[i])} << (8 * i);
        return std::bit_cast<float>(bits);
    }
    std::string_view bytes() {
        take(kBytes);
        return read_bytes(read_varint());
    }
    ProtoReader message() {
        const std::string_view inside = bytes();
        return {inside, offset() - inside.size(), file_};
    }

    /// @param place an earlier offset().
    [[noreturn]] void refuse(uint64_t place, const std::string& what) const {
        throw DataError(file_, place, what);
    }

 private:
    [[noreturn]] void fail(uint64_t at, const std::string& what) const {
        refuse(offset_ + at, what);
    }

    static constexpr uint64_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

    void take(uint64_t type) {
        if (type_ != type) fail(at_, format("field {} has wire type {}", field_, type_));
        has_value_ = false;
    }
    uint64_t read_varint() {
        const uint64_t start = at_;
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == bytes_.size()) fail(start, "ends inside of a number");
            const auto byte = static_cast<uint8_t>(bytes_[at_++]);
            value |= uint64_t{byte & 0x7Fu} << shift;
            if (byte < 0x80) return value;
        }
        fail(start, "a number of more than 64 bits");
    }
    std::string_view read_bytes(uint64_t size) {
        if (size > bytes_.size() - at_) {
            fail(at_, format("field {} has {} bytes, but only {} follow", field_, size,
                             bytes_.size() - at_));
        }
        at_ += size;
        return bytes_.substr(at_ - size, size);
    }
    void skip_value() {
        if (!has_value_) return;
        has_value_ = false;
        if (type_ == kVarint) {
            read_varint();
        } else {
            read_bytes(type_ == kFixed64 ? 8 : type_ == kFixed32 ? 4 : read_varint());
        }
    }

    std::string_view bytes_;
    uint64_t offset_;
    std::string file_;
    uint64_t at_ = 0, type_ = 0;
    uint32_t field_ = 0;
    bool has_value_ = false;
};

}  // namespace longhaul::token

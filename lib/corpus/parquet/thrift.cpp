// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/parquet/thrift.h"

#include <limits>

namespace longhaul::corpus::parquet {

namespace {

constexpr int kMaxDepth = 64;

ThriftType to_type(uint8_t number, const ThriftReader& reader) {
    if (number < 1 || number > 12) reader.fail(format("Thrift type {} does not exist", number));
    return static_cast<ThriftType>(number);
}

int64_t unzigzag(uint64_t value) {
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

}  // namespace

void ThriftReader::fail(const std::string& cause) const {
    throw DataError(file_, offset_ + at_, cause);
}

void ThriftReader::enter() {
    if (++depth_ > kMaxDepth) fail(format("nested deeper than {} levels", kMaxDepth));
}

void ThriftReader::expect(ThriftType type, ThriftType wanted) const {
    if (type == wanted) return;
    fail(format("a field has Thrift type {}, not {}", static_cast<int>(type),
                static_cast<int>(wanted)));
}

uint8_t ThriftReader::read_byte() {
    if (at_ == bytes_.size()) {
        throw ThriftCutError(file_, offset_ + at_, "the metadata is cut short");
    }
    return std::to_integer<uint8_t>(bytes_[at_++]);
}

uint64_t ThriftReader::read_varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = read_byte();
        value |= static_cast<uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    fail("an integer of more than 64 bits");
}

void ThriftReader::pass(uint64_t count) {
    if (count > bytes_.size() - at_) {
        throw ThriftCutError(file_, offset_ + at_, "the metadata is cut short");
    }
    at_ += count;
}

bool ThriftReader::next_field(int& id, ThriftType& type) {
    const uint8_t header = read_byte();
    if (header == 0) return false;
    type = to_type(header & 0x0F, *this);
    const int delta = header >> 4;
    const int64_t next = delta != 0 ? id + delta : unzigzag(read_varint());
    if (next < 0 || next > std::numeric_limits<int16_t>::max()) fail("a field number is too large");
    id = static_cast<int>(next);
    return true;
}

/// Each element takes a byte at least, so a size beyond the rest is a lie.
uint64_t ThriftReader::list_header(ThriftType& element) {
    const uint8_t header = read_byte();
    uint64_t size = header >> 4;
    if (size == 15) size = read_varint();
    if (size > bytes_.size() - at_) {
        throw ThriftCutError(file_, offset_ + at_, format("a list of {} elements is cut", size));
    }
    if (size > 0) element = to_type(header & 0x0F, *this);
    return size;
}

bool ThriftReader::read_bool(ThriftType type) {
    if (type != ThriftType::kTrue) expect(type, ThriftType::kFalse);
    return type == ThriftType::kTrue;
}

int64_t ThriftReader::read_int(ThriftType type) {
    if (type == ThriftType::kByte) return static_cast<int8_t>(read_byte());
    if (type != ThriftType::kInt16 && type != ThriftType::kInt32) expect(type, ThriftType::kInt64);
    return unzigzag(read_varint());
}

int32_t ThriftReader::read_int32(ThriftType type) {
    const int64_t value = read_int(type);
    if (value != static_cast<int32_t>(value)) fail(format("{} is no 32-bit number", value));
    return static_cast<int32_t>(value);
}

uint64_t ThriftReader::read_size(ThriftType type) {
    const int64_t value = read_int(type);
    if (value < 0) fail(format("a size of {}", value));
    return static_cast<uint64_t>(value);
}

std::string_view ThriftReader::read_text(ThriftType type) {
    expect(type, ThriftType::kBinary);
    const uint64_t size = read_varint();
    const size_t begin = at_;
    pass(size);
    return {reinterpret_cast<const char*>(bytes_.data()) + begin, size};
}

/// In lists, booleans are bytes.
void ThriftReader::skip_element(ThriftType type) {
    if (type == ThriftType::kTrue || type == ThriftType::kFalse) {
        read_byte();
    } else {
        skip(type);
    }
}

void ThriftReader::skip(ThriftType type) {
    switch (type) {
        case ThriftType::kTrue:
        case ThriftType::kFalse:
            return;
        case ThriftType::kByte:
            return pass(1);
        case ThriftType::kDouble:
            return pass(8);
        case ThriftType::kInt16:
        case ThriftType::kInt32:
        case ThriftType::kInt64:
            read_varint();
            return;
        case ThriftType::kBinary:
            return pass(read_varint());
        case ThriftType::kStruct:
            return read_struct([this](int, ThriftType field) { skip(field); });
        case ThriftType::kList:
        case ThriftType::kSet:
            return read_list(ThriftType::kList,
                             [this](ThriftType element) { skip_element(element); });
        case ThriftType::kMap:
            break;
    }
    enter();
    const uint64_t size = read_varint();
    if (size > bytes_.size() - at_) fail(format("a map of {} entries is cut", size));
    if (size > 0) {
        const uint8_t types = read_byte();
        const ThriftType key = to_type(types >> 4, *this), value = to_type(types & 0x0F, *this);
        for (uint64_t i = 0; i < size; ++i) {
            skip_element(key);
            skip_element(value);
        }
    }
    --depth_;
}

}  // namespace longhaul::corpus::parquet

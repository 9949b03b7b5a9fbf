// SPDX-License-Identifier: BSD-3-Clause
// Encodings of values (apache/parquet-format, Encodings.md).
#include <bit>
#include <cstring>

#include "lib/base/check.h"
#include "lib/corpus/parquet/column.h"

namespace longhaul::corpus::parquet {

namespace {

constexpr const char* kCut = "the values end before the page does";

/// Bytes of a value of fixed width; 0 for others.
size_t width_of(Physical type) {
    if (type == Physical::kInt32 || type == Physical::kFloat) return 4;
    return type == Physical::kInt64 || type == Physical::kDouble ? 8 : 0;
}

/// @param bytes the little-endian value, width_of(type) bytes of it
void set_number(Physical type, uint64_t bytes, Cell& cell) {
    switch (type) {
        case Physical::kInt32:
            cell.kind = Cell::Kind::kInteger;
            cell.integer = static_cast<int32_t>(static_cast<uint32_t>(bytes));
            return;
        case Physical::kFloat:
            cell.kind = Cell::Kind::kReal;
            cell.real = std::bit_cast<float>(static_cast<uint32_t>(bytes));
            return;
        case Physical::kDouble:
            cell.kind = Cell::Kind::kReal;
            cell.real = std::bit_cast<double>(bytes);
            return;
        default:
            cell.kind = Cell::Kind::kInteger;
            cell.integer = static_cast<int64_t>(bytes);
    }
}

void set_text(std::span<const std::byte> bytes, Cell& cell) {
    cell.kind = Cell::Kind::kText;
    cell.text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A text with its length before it. @return false: cut
bool take_text(std::span<const std::byte>& bytes, std::span<const std::byte>& text) {
    uint32_t length = 0;
    if (bytes.size() < sizeof length) return false;
    std::memcpy(&length, bytes.data(), sizeof length);
    if (length > bytes.size() - sizeof length) return false;
    text = bytes.subspan(sizeof length, length);
    bytes = bytes.subspan(sizeof length + length);
    return true;
}

bool can_hold(Encoding encoding, Physical type) {
    const bool is_text = type == Physical::kByteArray;
    switch (encoding) {
        case Encoding::kPlain:
            return true;
        case Encoding::kPlainDictionary:
        case Encoding::kRleDictionary:
            return type != Physical::kBoolean;
        case Encoding::kRle:
            return type == Physical::kBoolean;
        case Encoding::kDeltaBinaryPacked:
            return type == Physical::kInt32 || type == Physical::kInt64;
        case Encoding::kDeltaLengthByteArray:
        case Encoding::kDeltaByteArray:
            return is_text;
        case Encoding::kByteStreamSplit:
            return width_of(type) > 0;
    }
    return false;
}

}  // namespace

const char* ValueDecoder::set_dictionary(Physical type, std::span<const std::byte> bytes,
                                         uint32_t size) {
    dictionary_ = bytes;
    dictionary_size_ = size;
    has_dictionary_ = true;
    places_.clear();
    const size_t width = width_of(type);
    if (width > 0) return size > bytes.size() / width ? "the dictionary is cut" : nullptr;
    // Each text takes 4 bytes at least, so the table is not larger than the page.
    if (size > bytes.size() / 4) return "the dictionary is cut";
    places_.reserve(size);
    std::span<const std::byte> rest = bytes, text;
    for (uint32_t i = 0; i < size; ++i) {
        places_.push_back(static_cast<uint32_t>(bytes.size() - rest.size()));
        if (!take_text(rest, text)) return "the dictionary is cut";
    }
    return nullptr;
}

const char* ValueDecoder::begin(Physical type, Encoding encoding,
                                std::span<const std::byte> bytes) {
    type_ = type;
    encoding_ = encoding;
    bytes_ = bytes;
    bit_ = 0;
    index_ = 0;
    if (!can_hold(encoding, type)) return "an encoding that its type can not have";
    if (encoding == Encoding::kPlainDictionary || encoding == Encoding::kRleDictionary) {
        return begin_indices();
    }
    if (encoding == Encoding::kRle) {
        std::span<const std::byte> runs;
        if (!take_text(bytes_, runs)) return bytes.empty() ? nullptr : kCut;
        hybrid_.begin(runs, 1);
        return nullptr;
    }
    if (encoding == Encoding::kPlain || encoding == Encoding::kByteStreamSplit) return nullptr;
    return begin_deltas(encoding == Encoding::kDeltaByteArray);
}

const char* ValueDecoder::begin_indices() {
    if (!has_dictionary_) return "indices into a dictionary that is not there";
    if (bytes_.empty()) {  // all values are null
        hybrid_.begin(bytes_, 0);
        return nullptr;
    }
    const auto width = std::to_integer<unsigned>(bytes_[0]);
    if (width > 32) return "indices of more than 32 bits";
    hybrid_.begin(bytes_.subspan(1), width);
    return nullptr;
}

/// DELTA_BYTE_ARRAY: lengths of common prefixes, then lengths of the rest, then the rest itself.
const char* ValueDecoder::begin_deltas(bool has_prefixes) {
    constexpr const char* kDamaged = "damaged deltas";
    previous_.clear();
    deltas_ = prefixes_ = {};
    if (bytes_.empty()) return nullptr;  // all values are null
    if (has_prefixes) {
        if (!prefixes_.begin(bytes_) || !prefixes_.find_end(bytes_)) return kDamaged;
    }
    if (!deltas_.begin(bytes_)) return kDamaged;
    return deltas_.find_end(bytes_) ? nullptr : kDamaged;
}

const char* ValueDecoder::next(Cell& cell) {
    switch (encoding_) {
        case Encoding::kPlain:
            return next_plain(cell);
        case Encoding::kPlainDictionary:
        case Encoding::kRleDictionary:
            return next_index(cell);
        case Encoding::kRle: {
            uint32_t value = 0;
            if (!hybrid_.next(value)) return kCut;
            cell.kind = Cell::Kind::kBoolean;
            cell.boolean = value != 0;
            return nullptr;
        }
        case Encoding::kDeltaBinaryPacked: {
            int64_t value = 0;
            if (!deltas_.next(value)) return kCut;
            set_number(type_, static_cast<uint64_t>(value), cell);
            return nullptr;
        }
        case Encoding::kByteStreamSplit:
            return next_split(cell);
        case Encoding::kDeltaLengthByteArray:
        case Encoding::kDeltaByteArray:
            break;
    }
    return next_suffix(cell);
}

const char* ValueDecoder::next_plain(Cell& cell) {
    if (type_ == Physical::kByteArray) {
        std::span<const std::byte> text;
        if (!take_text(bytes_, text)) return kCut;
        set_text(text, cell);
        return nullptr;
    }
    if (type_ == Physical::kBoolean) {
        if (bytes_.empty()) return kCut;
        cell.kind = Cell::Kind::kBoolean;
        cell.boolean = (std::to_integer<unsigned>(bytes_[0]) >> bit_ & 1) != 0;
        if (++bit_ == 8) {
            bit_ = 0;
            bytes_ = bytes_.subspan(1);
        }
        return nullptr;
    }
    const size_t width = width_of(type_);
    if (bytes_.size() < width) return kCut;
    uint64_t value = 0;
    std::memcpy(&value, bytes_.data(), width);
    bytes_ = bytes_.subspan(width);
    set_number(type_, value, cell);
    return nullptr;
}

const char* ValueDecoder::next_index(Cell& cell) {
    uint32_t index = 0;
    if (!hybrid_.next(index)) return kCut;
    if (index >= dictionary_size_) return "an index beyond the dictionary";
    const size_t width = width_of(type_);
    if (width > 0) {
        uint64_t value = 0;
        std::memcpy(&value, dictionary_.data() + index * width, width);
        set_number(type_, value, cell);
        return nullptr;
    }
    std::span<const std::byte> rest = dictionary_.subspan(places_[index]), text;
    if (!take_text(rest, text)) return "the dictionary is cut";
    set_text(text, cell);
    return nullptr;
}

const char* ValueDecoder::next_suffix(Cell& cell) {
    int64_t length = 0, prefix = 0;
    if (!deltas_.next(length)) return kCut;
    if (length < 0 || static_cast<uint64_t>(length) > bytes_.size()) {
        return "the length of a text can not be";
    }
    const std::span<const std::byte> text = bytes_.first(static_cast<size_t>(length));
    bytes_ = bytes_.subspan(static_cast<size_t>(length));
    if (encoding_ == Encoding::kDeltaLengthByteArray) {
        set_text(text, cell);
        return nullptr;
    }
    if (!prefixes_.next(prefix)) return kCut;
    if (prefix < 0 || static_cast<uint64_t>(prefix) > previous_.size()) {
        return "the length of a common prefix can not be";
    }
    previous_.resize(static_cast<size_t>(prefix));
    previous_.append(reinterpret_cast<const char*>(text.data()), text.size());
    cell.kind = Cell::Kind::kText;
    cell.text = previous_;
    return nullptr;
}

/// The first bytes of all values, then their second bytes, and so on.
const char* ValueDecoder::next_split(Cell& cell) {
    const size_t width = width_of(type_);
    LH_CHECK(width > 0, "no split stream of type {}", static_cast<int>(type_));
    const size_t count = bytes_.size() / width;
    if (index_ >= count) return kCut;
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) {
        value |= std::to_integer<uint64_t>(bytes_[i * count + index_]) << (8 * i);
    }
    ++index_;
    set_number(type_, value, cell);
    return nullptr;
}

}  // namespace longhaul::corpus::parquet

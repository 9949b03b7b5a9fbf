// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads structures of Apache Thrift's compact protocol from memory, as Parquet's footers and page
// headers are written (thrift, doc/specs/thrift-compact-protocol.md). Unknown fields are passed
// over; nothing is allocated by a declared size.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/error.h"

namespace longhaul::corpus::parquet {

/// Types of values, by their numbers in the protocol.
enum class ThriftType : uint8_t {
    kTrue = 1,
    kFalse = 2,
    kByte = 3,
    kInt16 = 4,
    kInt32 = 5,
    kInt64 = 6,
    kDouble = 7,
    kBinary = 8,
    kList = 9,
    kSet = 10,
    kMap = 11,
    kStruct = 12,
};

/// The bytes ended inside a structure.
class ThriftCutError : public DataError {
 public:
    using DataError::DataError;
};

/// Every read names the type that stands there, and is a DataError where another one is expected.
class ThriftReader {
 public:
    /// @param file,offset where `bytes` stand, for messages; `file` must outlive the reader
    ThriftReader(std::span<const std::byte> bytes, const std::string& file, uint64_t offset)
        : bytes_(bytes), file_(file), offset_(offset) {}

    /// Calls visit(id, type) for each field; it must read the value or skip(type).
    template <class Visit>
    void read_struct(Visit&& visit) {
        enter();
        int id = 0;
        ThriftType type{};
        while (next_field(id, type)) visit(id, type);
        --depth_;
    }
    /// Calls visit(element type) for each element; it must read or skip it.
    template <class Visit>
    void read_list(ThriftType type, Visit&& visit) {
        expect(type, ThriftType::kList);
        enter();
        ThriftType element{};
        for (uint64_t left = list_header(element); left > 0; --left) visit(element);
        --depth_;
    }
    void expect_struct(ThriftType type) { expect(type, ThriftType::kStruct); }

    bool read_bool(ThriftType type);
    int64_t read_int(ThriftType type);
    int32_t read_int32(ThriftType type);
    /// @throws DataError for a negative number
    uint64_t read_size(ThriftType type);
    /// A view of the bytes.
    std::string_view read_text(ThriftType type);
    void skip(ThriftType type);

    /// Bytes read so far.
    size_t position() const { return at_; }
    [[noreturn]] void fail(const std::string& cause) const;

 private:
    void enter();
    void expect(ThriftType type, ThriftType wanted) const;
    bool next_field(int& id, ThriftType& type);
    uint64_t list_header(ThriftType& element);
    void skip_element(ThriftType type);
    uint8_t read_byte();
    uint64_t read_varint();
    void pass(uint64_t count);

    std::span<const std::byte> bytes_;
    const std::string& file_;
    uint64_t offset_;
    size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace longhaul::corpus::parquet

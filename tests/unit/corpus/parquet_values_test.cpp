// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/corpus/parquet/bits.h"
#include "lib/corpus/parquet/column.h"
#include "lib/corpus/parquet/thrift.h"
#include "lib/io/unpacker.h"

using namespace longhaul;
using namespace longhaul::corpus::parquet;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

std::vector<uint32_t> hybrid(std::string_view text, unsigned width, size_t count) {
    HybridDecoder decoder;
    decoder.begin(bytes_of(text), width);
    std::vector<uint32_t> values;
    for (uint32_t value = 0; values.size() < count && decoder.next(value);) values.push_back(value);
    return values;
}

/// Number of values that can be read, and the fault behind them.
std::pair<size_t, std::string> read_values(ValueDecoder& decoder, size_t limit = 100) {
    Cell cell;
    for (size_t i = 0; i < limit; ++i) {
        if (const char* const fault = decoder.next(cell)) return {i, fault};
    }
    return {limit, ""};
}

}  // namespace

// The first examples are those of parquet-format's Encodings.md.
TEST_CASE("parquet: bit-packed and run-length values") {
    CHECK(hybrid("\x03\x88\xC6\xFA"sv, 3, 100) == std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(hybrid("\x0A\x05"sv, 8, 100) == std::vector<uint32_t>(5, 5));
    CHECK(hybrid("\x04\x02\x01"sv, 9, 100) == std::vector<uint32_t>{258, 258});
    CHECK(hybrid("\x06"sv, 0, 100) == std::vector<uint32_t>{0, 0, 0});
    CHECK(hybrid("\x03\x88"sv, 3, 100) == std::vector<uint32_t>{0, 1});  // the padding is cut
}

TEST_CASE("parquet: damaged runs end, they do not run away") {
    CHECK(hybrid("", 3, 10).empty());
    CHECK(hybrid("\x0A"sv, 8, 10).empty());              // the value is missing
    CHECK(hybrid("\x00\x00\x00\x00"sv, 1, 10).empty());  // empty runs
    CHECK(hybrid("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv, 1, 10).empty());
    CHECK(hybrid("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"sv, 0, 10).size() == 10);  // but bounded
    CHECK(hybrid("\xFE\xFF\xFF\xFF\x0F\x01"sv, 1, 10).size() == 10);
}

TEST_CASE("parquet: deltas of the format's example, cut and damaged ones") {
    // 7, 5, 3, 1, 2, 3, 4, 5: first 7, block of 128 in 4 miniblocks, minimum -2.
    const std::string example =
        "\x80\x01\x04\x08\x0E"
        "\x03\x02\x00\x00\x00"
        "\xC0\x3F\x00\x00\x00\x00\x00\x00"s;
    DeltaDecoder decoder;
    REQUIRE(decoder.begin(bytes_of(example)));
    std::span<const std::byte> rest;
    CHECK(decoder.find_end(rest));
    CHECK(rest.empty());
    std::vector<int64_t> values;
    for (int64_t value = 0; decoder.next(value);) values.push_back(value);
    CHECK(values == std::vector<int64_t>{7, 5, 3, 1, 2, 3, 4, 5});
    for (size_t size = 0; size < example.size(); ++size) {
        DeltaDecoder cut;
        CHECK(!(cut.begin(bytes_of(std::string_view(example).substr(0, size))) &&
                cut.find_end(rest)));
    }
    CHECK(!decoder.begin(bytes_of("\x80\x01\x00\x08\x0E"sv)));              // no miniblocks
    CHECK(!decoder.begin(bytes_of("\x00\x04\x08\x0E"sv)));                  // empty blocks
    CHECK(!decoder.begin(bytes_of("\xFF\xFF\xFF\xFF\x7F\x01\x08\x0E"sv)));  // a giant block
    REQUIRE(decoder.begin(bytes_of("\x80\x01\x04\x08\x0E\x03\x41\x00\x00\x00"sv)));  // 65 bits
    int64_t value = 0;
    CHECK(decoder.next(value));
    CHECK(!decoder.next(value));
}

TEST_CASE("parquet: values that can not be are named") {
    ValueDecoder decoder;
    const auto begin = [&](Physical type, Encoding encoding, std::string_view text) {
        const char* const fault = decoder.begin(type, encoding, bytes_of(text));
        return std::string(fault == nullptr ? "" : fault);
    };
    CHECK(begin(Physical::kByteArray, Encoding::kRleDictionary, "\x01\x02\x00"sv) ==
          "indices into a dictionary that is not there");
    const std::string dictionary =
        "\x01\x00\x00\x00"
        "a"
        "\x02\x00\x00\x00"
        "bc"s;
    CHECK(decoder.set_dictionary(Physical::kByteArray, bytes_of(dictionary), 2) == nullptr);
    CHECK(begin(Physical::kByteArray, Encoding::kRleDictionary, "\x01\x04\x01\x02\x00"sv) == "");
    CHECK(read_values(decoder) ==
          std::pair<size_t, std::string>(3, "the values end before the page does"));
    CHECK(begin(Physical::kByteArray, Encoding::kRleDictionary, "\x02\x04\x02"sv) == "");
    CHECK(read_values(decoder) ==
          std::pair<size_t, std::string>(0, "an index beyond the dictionary"));
    CHECK(begin(Physical::kByteArray, Encoding::kRleDictionary, "\x21"sv) ==
          "indices of more than 32 bits");
    CHECK(decoder.set_dictionary(Physical::kByteArray, bytes_of(dictionary), 3) != nullptr);
    CHECK(decoder.set_dictionary(Physical::kInt64, bytes_of(dictionary), 2) != nullptr);
    CHECK(decoder.set_dictionary(Physical::kByteArray, bytes_of("\xFF\xFF\xFF\x7F"sv), 1) !=
          nullptr);

    CHECK(begin(Physical::kByteArray, Encoding::kPlain,
                "\x02\x00\x00\x00"
                "abx"sv) == "");
    CHECK(read_values(decoder).first == 1);
    CHECK(begin(Physical::kByteArray, Encoding::kPlain,
                "\xFF\xFF\xFF\xFF"
                "ab"sv) == "");
    CHECK(read_values(decoder).first == 0);
    CHECK(begin(Physical::kInt64, Encoding::kPlain, "1234567"sv) == "");
    CHECK(read_values(decoder).first == 0);
    CHECK(begin(Physical::kBoolean, Encoding::kPlain, "\x05"sv) == "");
    CHECK(read_values(decoder).first == 8);
    CHECK(begin(Physical::kFloat, Encoding::kByteStreamSplit, "12345678"sv) == "");
    CHECK(read_values(decoder).first == 2);
    CHECK(begin(Physical::kByteArray, Encoding::kDeltaBinaryPacked, "") ==
          "an encoding that its type can not have");
    CHECK(begin(Physical::kByteArray, Encoding{4}, "") == "an encoding that its type can not have");
    CHECK(begin(Physical::kByteArray, Encoding::kDeltaLengthByteArray, "\x80\x01\x04"sv) ==
          "damaged deltas");
    // One length of 5, but 2 bytes; then a common prefix with nothing before it.
    CHECK(begin(Physical::kByteArray, Encoding::kDeltaLengthByteArray,
                "\x80\x01\x04\x01\x0A"
                "ab"sv) == "");
    CHECK(read_values(decoder) ==
          std::pair<size_t, std::string>(0, "the length of a text can not be"));
    CHECK(begin(Physical::kByteArray, Encoding::kDeltaByteArray,
                "\x80\x01\x04\x01\x02"
                "\x80\x01\x04\x01\x02"
                "a"sv) == "");
    CHECK(read_values(decoder) ==
          std::pair<size_t, std::string>(0, "the length of a common prefix can not be"));
}

TEST_CASE("thrift: wrong types, endless lists and deep nesting are errors") {
    const std::string file = "f";
    const auto skip = [&](std::string_view text) {
        ThriftReader reader(bytes_of(text), file, 0);
        reader.read_struct([&](int, ThriftType type) { reader.skip(type); });
        return reader.position();
    };
    // Each kind of value once, then the stop byte.
    CHECK(skip("\x11\x12\x13\x07\x14\x02\x15\x02\x16\x02\x17"
               "12345678"
               "\x18\x02"
               "ab"
               "\x19\x25\x02\x04\x1B\x01\x85\x01"
               "a"
               "\x06\x1C\x00\x00"sv) == 36);
    CHECK_THROWS_AS(skip(""), ThriftCutError);
    CHECK_THROWS_AS(skip("\x15"sv), ThriftCutError);
    CHECK_THROWS_AS(skip("\x18\xFF\xFF\xFF\xFF\x0F"sv), ThriftCutError);
    CHECK_THROWS_AS(skip("\x19\xFC\xFF\xFF\xFF\xFF\x0F"sv), ThriftCutError);
    CHECK_THROWS_AS(skip("\x1D\x00"sv), DataError);
    CHECK_THROWS_AS(skip("\x16\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv), DataError);
    CHECK_THROWS_WITH_AS(skip(std::string(100, '\x1C')),
                         doctest::Contains("nested deeper than 64 levels"), DataError);
    ThriftReader reader(bytes_of("\x15\x02\x00"sv), file, 7);
    CHECK_THROWS_WITH_AS(reader.read_struct([&](int, ThriftType type) { reader.read_text(type); }),
                         "f: byte 8: a field has Thrift type 5, not 8", DataError);
}

TEST_CASE("unpacker: a block must have the size that is declared") {
    io::Unpacker unpacker;
    const std::string snappy = "\x05\x10hello"s;
    std::vector<std::byte> out(5), small(4), large(6);
    CHECK(unpacker.unpack(io::BlockCodec::kSnappy, bytes_of(snappy), out) == nullptr);
    CHECK(std::string_view(reinterpret_cast<const char*>(out.data()), 5) == "hello");
    for (const auto& room : {std::span(small), std::span(large)}) {
        CHECK(unpacker.unpack(io::BlockCodec::kSnappy, bytes_of(snappy), room) != nullptr);
        CHECK(unpacker.unpack(io::BlockCodec::kNone, bytes_of("hello"), room) != nullptr);
    }
    for (const auto codec :
         {io::BlockCodec::kSnappy, io::BlockCodec::kGzip, io::BlockCodec::kZstd}) {
        CHECK(unpacker.unpack(codec, bytes_of("rubbish"), out) != nullptr);
        CHECK(unpacker.unpack(codec, bytes_of(""), out) != nullptr);
    }
    CHECK(io::crc32(bytes_of("123456789")) == 0xCBF43926);  // the catalogue's check value
}

// SPDX-License-Identifier: BSD-3-Clause
// SentencePiece .model files: how they are found and read, and what is refused. Ids and texts equal
// to sentencepiece's: models_test.cpp.
#include "lib/token/sentencepiece_model.h"

#include <doctest/doctest.h>

#include <limits>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/token/byte_piece.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"
#include "tests/support/charsmap_blob.h"
#include "tests/support/sentencepiece_proto.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using namespace longhaul::token;
using namespace longhaul::testing;
using longhaul::test::TempDir;

namespace {

const std::string kUnknown = proto_piece("<unk>", 0, 2);
const std::string kPieces = kUnknown + proto_piece("</s>", 0, 3) + proto_piece("a", -1, 1) +
                            proto_piece("b", -2, 1) + proto_piece("ab", -0.5, 1) +
                            proto_piece("\u2581", -3, 1);
const std::string kBpe = proto_bytes(2, proto_number(3, 2));
/// No dummy prefix, extra spaces stay.
const std::string kPlain = proto_bytes(3, proto_number(3, 0) + proto_number(4, 0));

/// What every file has behind its pieces; says nothing.
const std::string kSpecs = proto_bytes(2, "") + proto_bytes(3, "");

std::string problem_of_file(const std::string& model) {
    try {
        parse_sentencepiece(model, "m");
        return "";
    } catch (const Error& error) {
        return error.describe();
    }
}

std::string problem(const std::string& model) {
    return problem_of_file(model + kSpecs);
}

std::vector<uint32_t> encode(const std::string& model, std::string_view text) {
    const Tokenizer tokenizer(parse_sentencepiece(model + kSpecs, "m"));
    Encoder encoder(tokenizer, {});
    std::vector<uint32_t> ids;
    encoder.encode(text, ids);
    return ids;
}

using Ids = std::vector<uint32_t>;

}  // namespace

TEST_CASE("sentencepiece: the normaliser does what the model says") {
    CHECK(encode(kPieces + kBpe + kPlain, " ab  a") == Ids{5, 4, 5, 5, 2});
    CHECK(encode(kPieces + kBpe, "  ab  a ") == Ids{5, 4, 5, 2});
    CHECK(encode(kPieces + kBpe, "   ").empty());
    CHECK(encode(kPieces + kBpe, "") == Ids{});
    const std::string suffix = proto_bytes(2, proto_number(3, 2) + proto_number(24, 1));
    CHECK(encode(kPieces + suffix, "ab a") == Ids{4, 5, 2, 5});
    const std::string rules =
        proto_bytes(3, proto_bytes(2, charsmap_blob({{"xy", "a"}, {"x", "b"}, {"\u3000", " "}})));
    CHECK(encode(kPieces + kBpe + rules, "\u3000xxy\u3000\u3000a") == Ids{5, 3, 2, 5, 2});
    const std::string unescaped = proto_bytes(3, proto_number(5, 0));
    CHECK(encode(kPieces + kBpe + unescaped, "a a") == Ids{0, 2, 0, 2});
}

TEST_CASE("sentencepiece: control symbols in text are text, user-defined symbols are not") {
    CHECK(encode(kPieces + kBpe + kPlain, "a</s>b") == Ids{2, 0, 3});
    const std::string defined = proto_piece("b", 0, 4);
    const std::string pieces = kUnknown + proto_piece("a", -1, 1) + proto_piece("ab", 0, 1);
    CHECK(encode(pieces + defined + kBpe + kPlain, "ab") == Ids{1, 3});
}

TEST_CASE("sentencepiece: a model is known by its content, and saved and read again") {
    const std::string model = kPieces + kBpe + kSpecs;
    CHECK(looks_like_sentencepiece(model));
    CHECK_FALSE(looks_like_sentencepiece("\n{\"version\": \"1.0\"}"));
    CHECK_FALSE(looks_like_sentencepiece("IQ== 0\n"));
    CHECK_FALSE(looks_like_sentencepiece(""));
    const TempDir folder;
    io::write_file_atomically(folder.path() / "tokenizer.model", model);
    const Tokenizer tokenizer = load_tokenizer({folder.path().string(), "", {}});
    CHECK(tokenizer.parts().kind == "sentencepiece");
    CHECK(tokenizer.vocab_size() == 6);
    CHECK(tokenizer.is_special(1));
    CHECK(tokenizer.default_eos() == std::vector<uint32_t>{1});
    CHECK(tokenizer.decode(Ids{4, 5, 2, 1}, false) == "ab a");
    tokenizer.save((folder.path() / "saved").string());
    CHECK(load_tokenizer({(folder.path() / "saved").string(), "", {}}).hash() == tokenizer.hash());
    CHECK_THROWS_AS(load_tokenizer({folder.path().string(), "gpt2", {}}), UsageError);
    CHECK_THROWS_AS(load_tokenizer({folder.path().string(), "", {"<x>=9"}}), UsageError);
}

TEST_CASE("sentencepiece: malformed files are refused with their byte") {
    CHECK(problem_of_file(kPieces.substr(0, 3)) ==
          "m: byte 2: field 1 has 14 bytes, but only 1 follow");
    CHECK(problem_of_file("\x0A") == "m: byte 1: ends inside of a number");
    CHECK(problem_of_file("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF") ==
          "m: byte 1: a number of more than 64 bits");
    CHECK(problem_of_file(std::string("\x02\x00", 2)) == "m: byte 0: field number out of range");
    CHECK(problem_of_file("\x0B") == "m: byte 0: wire type that this format does not use");
    CHECK(problem_of_file(proto_number(1, 5)) == "m: byte 1: field 1 has wire type 0");
    CHECK(problem_of_file(proto_bytes(1, proto_number(2, 5))) ==
          "m: byte 3: field 2 has wire type 0");
    CHECK(problem_of_file(proto_bytes(1, proto_bytes(1, "a") + "\x15\x01")) ==
          "m: byte 6: field 2 has 4 bytes, but only 1 follow");
    CHECK(problem_of_file(proto_piece("a", 0, 7)) == "m: byte 11: piece type 7 is not known");
    CHECK(problem_of_file(proto_piece("a", std::numeric_limits<float>::quiet_NaN(), 1)) ==
          "m: byte 6: the score of \"a\" is not a number");
    CHECK(problem_of_file(kUnknown + proto_bytes(2, proto_number(3, 5)))
              .ends_with("type 5 is not known"));
    for (size_t size = 0; size < kPieces.size(); ++size) {
        CAPTURE(size);
        const std::string message = problem_of_file(kPieces.substr(0, size) + "\x0A\x7F");
        CHECK(message.starts_with("m: "));
    }
}

TEST_CASE("sentencepiece: a file cut off anywhere is refused") {
    const std::string model = kPieces + proto_bytes(2, proto_number(3, 2) + proto_number(24, 1)) +
                              proto_bytes(3, proto_number(3, 0));
    CHECK(problem_of_file(model) == "");
    for (size_t size = 0; size < model.size(); ++size) {
        CAPTURE(size);
        CHECK(problem_of_file(model.substr(0, size)).starts_with("m: "));
    }
    CHECK(problem_of_file(kPieces) == "m: no trainer_spec follows the pieces: the file is cut off");
    CHECK(problem_of_file(kPieces + kBpe) ==
          "m: no normalizer_spec follows the pieces: the file is cut off");
}

TEST_CASE("sentencepiece: a field of another wire type is refused, wherever it is") {
    const auto number = [](uint32_t field) { return proto_number(field, 1); };
    const auto text = [](uint32_t field) { return proto_bytes(field, "x"); };
    for (const uint32_t field : {1, 2, 3, 5}) {  // messages of the file
        CAPTURE(field);
        CHECK(problem(number(field)) == format("m: byte 1: field {} has wire type 0", field));
    }
    CHECK(problem(proto_bytes(1, number(1))) == "m: byte 3: field 1 has wire type 0");
    CHECK(problem(proto_bytes(1, number(2))) == "m: byte 3: field 2 has wire type 0");
    CHECK(problem(proto_bytes(1, text(3))) == "m: byte 3: field 3 has wire type 2");
    for (const uint32_t field : {3, 24, 35}) {
        const auto place = field < 16 ? 3 : 4;
        CHECK(problem(proto_bytes(2, text(field))) ==
              format("m: byte {}: field {} has wire type 2", place, field));
    }
    CHECK(problem(proto_bytes(2, number(44))) == "m: byte 4: field 44 has wire type 0");
    CHECK(problem(proto_bytes(3, number(2))) == "m: byte 3: field 2 has wire type 0");
    for (const uint32_t field : {3, 4, 5}) {
        CHECK(problem(proto_bytes(3, text(field))) ==
              format("m: byte 3: field {} has wire type 2", field));
    }
    CHECK(problem(proto_bytes(5, number(2))) == "m: byte 3: field 2 has wire type 0");
}

TEST_CASE("sentencepiece: what sentencepiece refuses is refused by name") {
    CHECK(problem("") == "m: no piece is of type UNKNOWN");
    CHECK(problem(kUnknown + proto_piece("<u>", 0, 2)) ==
          "m: piece 1 \"<u>\": is a second piece of type UNKNOWN");
    CHECK(problem(kUnknown + proto_piece("", 0, 1)) == "m: piece 1 \"\": is empty");
    CHECK(problem(kUnknown + proto_piece("\xFF", 0, 1)).ends_with(": is not UTF-8"));
    CHECK(problem(kPieces + proto_piece("a", 0, 1)) == "m: piece 6 \"a\": is piece 2, too");
    CHECK(problem(kUnknown + proto_piece("<0x41>", 0, 6)) ==
          "m: piece 1 \"<0x41>\": is of type BYTE without byte_fallback");
    const std::string fallback = proto_bytes(2, proto_number(3, 2) + proto_number(35, 1));
    CHECK(problem(fallback + kUnknown + proto_piece("<0x4a>", 0, 6)) ==
          "m: piece 1 \"<0x4a>\": is of type BYTE and not <0x00> to <0xFF>");
    CHECK(problem(fallback + kUnknown) == "m: byte_fallback without a piece <0x00>");
    CHECK(problem(kUnknown + proto_piece("\u4E2D", 0, 3)).find("control symbol of one character") !=
          std::string::npos);
    CHECK(problem(kUnknown + proto_bytes(2, proto_number(3, 3))) ==
          "m: trainer_spec.model_type WORD is not supported (UNIGRAM and BPE are)");
    CHECK(problem(kUnknown + proto_bytes(2, proto_number(3, 4))).find("CHAR is not supported") !=
          std::string::npos);
    CHECK(
        problem(kPieces + proto_bytes(3, proto_bytes(2, "abc"))) ==
        format("m: precompiled_charsmap at byte {}: byte 0: the table of replacements has no size",
               kPieces.size() + 4));
    std::string bytes;
    for (unsigned byte = 0; byte < 256; ++byte) {
        bytes += proto_piece(byte_piece(static_cast<uint8_t>(byte)), 0, 6);
    }
    CHECK(problem(fallback + kUnknown + bytes) == "");
    CHECK(encode(kPlain + fallback + kUnknown + bytes, "\u00E9") == Ids{1 + 0xC3, 1 + 0xA9});
}

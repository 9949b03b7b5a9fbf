// SPDX-License-Identifier: BSD-3-Clause
#include "lib/text/unicode.h"

#include <doctest/doctest.h>

#include <random>

#include "tests/support/simd_targets.h"

#include <array>

#include "lib/base/hash.h"
#include "lib/text/normalization_forms.h"

using namespace longhaul;
using namespace longhaul::text;

TEST_CASE("unicode: white space is the property White_Space, nothing else") {
    int count = 0;
    for (char32_t c = 0; c < 0x110000; ++c) count += is_white_space(c);
    CHECK(count == 25);
    for (const char32_t c :
         {0x09, 0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x200A, 0x2028, 0x202F, 0x3000}) {
        CHECK(is_white_space(c));
    }
    for (const char32_t c : {0x1C, 0x1F, 0x180E, 0x200B, 0xFEFF}) CHECK_FALSE(is_white_space(c));
}

TEST_CASE("unicode: the tables are those of Unicode 16.0") {
    CHECK(is_letter(0x10D50));        // Garay, new in 16.0
    CHECK_FALSE(is_letter(0x10EC5));  // new in 17.0
    CHECK(is_number(0x2167));         // Roman numeral, Nl
    CHECK(is_number(0xBC));           // one quarter, No
    CHECK(is_mark(0x301));
    CHECK(general_category(0x10FFFF) == Category::kCn);
    CHECK(general_category(0xE000) == Category::kCo);
    CHECK(general_category(0xD800) == Category::kCs);
    // Counts from UnicodeData.txt 16.0 by unicodedata2.
    std::array<int, 30> counts{};
    for (char32_t c = 0; c < 0x110000; ++c) ++counts[static_cast<size_t>(general_category(c))];
    CHECK(counts == std::array<int, 30>{819533, 65,   170,  137468, 2048, 2258, 404, 136477,
                                        31,     1858, 468,  13,     2020, 760,  236, 915,
                                        10,     27,   77,   10,     12,   640,  79,  63,
                                        125,    950,  7376, 1,      1,    17});
}

TEST_CASE("unicode: word characters, scripts and lower case") {
    CHECK(is_word('_'));
    CHECK(is_word(0x24B6));
    CHECK(is_word(0x200D));
    CHECK_FALSE(is_word('-'));
    CHECK_FALSE(is_word(0xBC));  // No is not Alphabetic
    CHECK(script_of(0x4E00) == Script::kHan);
    CHECK(script_of(0x30AB) == Script::kKana);
    CHECK(script_of(0xAC00) == Script::kHangul);
    CHECK(script_of(0x0E01) == Script::kThai);
    CHECK(script_of('a') == Script::kOther);
    CHECK(to_lower('Z') == 'z');
    CHECK(to_lower(0x410) == 0x430);
    CHECK(to_lower(0x10D50) == 0x10D70);
    std::string dotted;
    append_lower(0x130, dotted);
    CHECK(dotted == "i\xCC\x87");
}

TEST_CASE("unicode: invalid UTF-8 is found and replaced by maximal subparts") {
    CHECK(find_invalid_utf8("plain ascii and \xC3\xA9 and \xF0\x9F\x98\x80") == std::string::npos);
    CHECK(find_invalid_utf8("ab\xC0\x80") == 2);        // overlong
    CHECK(find_invalid_utf8("\xED\xA0\x80") == 0);      // surrogate
    CHECK(find_invalid_utf8("\xF4\x90\x80\x80") == 0);  // above U+10FFFF
    CHECK(find_invalid_utf8("12345678\xE2\x82") == 8);  // cut
    uint64_t replaced = 0;
    // Unicode 16.0, table 3-11.
    CHECK(replace_invalid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", replaced) ==
          "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\x41");
    CHECK(replaced == 4);
}

TEST_CASE("unicode: encoding and decoding are inverse for every code point") {
    std::string text;
    for (char32_t c = 0; c < 0x110000; ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        text.clear();
        append_utf8(c, text);
        const Decoded decoded = decode_utf8(text, 0);
        REQUIRE(decoded.is_valid);
        REQUIRE(decoded.code_point == c);
        REQUIRE(decoded.length == text.size());
    }
}

TEST_CASE("normalization forms: examples of UAX 15") {
    CHECK(nfc("e\xCC\x81") == "\xC3\xA9");
    CHECK(nfd("\xC3\xA9") == "e\xCC\x81");
    CHECK(nfc("\xE2\x84\xAB") == "\xC3\x85");                              // ANGSTROM SIGN
    CHECK(nfd("\xEA\xB0\x81") == "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8");  // Hangul
    CHECK(nfc("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8") == "\xEA\xB0\x81");
    CHECK(nfc("q\xCC\x87\xCC\xA3") == "q\xCC\xA3\xCC\x87");  // reordered, nothing composes
    CHECK(nfc("") == "");
    CHECK(nfc("plain") == "plain");
}

TEST_CASE("normalization forms: all characters, against hashes of other libraries") {
    // "".join(normalize(form, chr(c)) + "\n") over all non-surrogates: unicodedata2 16.0 and HF
    // tokenizers 0.23.3, whose data is of Unicode 9.0.
    const struct {
        Form form;
        UnicodeData data;
        const char* hash;
    } cases[] = {{Form::kNfc, UnicodeData::k16, "c9768696e26635cd5f0af0bcec989902"},
                 {Form::kNfd, UnicodeData::k16, "921c7e8d20616c600c599df64f7b55e3"},
                 {Form::kNfkc, UnicodeData::k16, "f42cf1be624d91bb218cbd7d3f636712"},
                 {Form::kNfkd, UnicodeData::k16, "814c9b0f19b21a8a11fe84ce9e35f36e"},
                 {Form::kNfc, UnicodeData::k9, "c9768696e26635cd5f0af0bcec989902"},
                 {Form::kNfd, UnicodeData::k9, "4f221130776094a9f69b6d00046fa4f3"},
                 {Form::kNfkc, UnicodeData::k9, "b37031fb0fb2565a2ba88e76d3b37481"},
                 {Form::kNfkd, UnicodeData::k9, "f619c52b0c32c278b35946c8db8e93e0"}};
    for (const auto& one : cases) {
        std::string all, text;
        uint64_t num_wrongly_sure = 0;
        for (char32_t c = 0; c < 0x110000; ++c) {
            if (c >= 0xD800 && c < 0xE000) continue;
            text.clear();
            append_utf8(c, text);
            const std::string normal = normalize(text, one.form, one.data);
            num_wrongly_sure += is_surely_normal(text, one.form) && normal != text ? 1 : 0;
            all += normal + "\n";
        }
        CHECK(xxh3_128(all).hex() == one.hash);
        CHECK(num_wrongly_sure == 0);
    }
}

TEST_CASE("normalization forms: what is surely normal, and what joins a neighbour") {
    CHECK(is_surely_normal("plain \u00E9 \u4E2D\u6587 \U0001F600 \uAC00", Form::kNfc));
    CHECK_FALSE(is_surely_normal("e\u0301", Form::kNfc));
    CHECK_FALSE(is_surely_normal("\u1100\u1161", Form::kNfc));
    CHECK_FALSE(is_surely_normal("\uAC00\u11A8", Form::kNfc));
    CHECK_FALSE(is_surely_normal("\u00E9", Form::kNfd));
    CHECK(is_surely_normal("\u4E2D", Form::kNfkd));
    CHECK_FALSE(is_surely_normal("\uFF21", Form::kNfkc));
    CHECK_FALSE(is_surely_normal("\xFF", Form::kNfc));
}

TEST_CASE("normalization forms: texts that are surely NFC are, at every place of a vector") {
    std::mt19937 random(9);
    const char32_t firsts[] = {0x20,   0xC0,    0x300,   0x3B1,  0x430,  0x483,  0x5D0,
                               0x915,  0x93C,   0x1100,  0x1161, 0x11A8, 0x1E00, 0x2000,
                               0x2126, 0x3040,  0x3099,  0x4E00, 0xAC00, 0xF900, 0xFB1D,
                               0xFF01, 0x1D15E, 0x1F600, 0x2F800};
    size_t num_sure = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text(random() % 70, 'x');
        for (size_t j = random() % 6; j > 0; --j) {
            append_utf8(firsts[random() % std::size(firsts)] + random() % 24, text);
        }
        if (!is_surely_nfc(text)) continue;
        ++num_sure;
        CAPTURE(text);
        REQUIRE(nfc(text, UnicodeData::k16) == text);
        REQUIRE(nfc(text, UnicodeData::k9) == text);
    }
    CHECK(num_sure > 4000);
}

TEST_CASE("normalization forms: the older data leaves newer characters alone") {
    const std::string tulu = "\xF0\x91\x8E\x82\xF0\x91\x8F\x89";  // U+11382 U+113C9, Unicode 16.0
    CHECK(nfc(tulu) != tulu);
    CHECK(nfc(tulu, UnicodeData::k9) == tulu);
    CHECK(nfc("e\xCC\x81", UnicodeData::k9) == "\xC3\xA9");
}

TEST_CASE("unicode: validation in vectors agrees with decoding, wherever the bytes stand") {
    longhaul::test::for_each_simd_target([](const std::string& target) {
        CAPTURE(target);
        // Every second byte, and those third and fourth ones where a class of bytes begins or ends.
        const unsigned char borders[] = {0x00, 0x7F, 0x80, 0x8F, 0x90,
                                         0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
        uint64_t num_wrong = 0;
        const auto check = [&](std::string_view bytes, bool is_valid) {
            for (const size_t before : {0u, 15u, 30u, 62u}) {
                const std::string prefix(before, 'a');
                const bool alone = is_valid_utf8(prefix + std::string(bytes));
                const bool inside =
                    is_valid_utf8(prefix + std::string(bytes) + std::string(70, 'z'));
                num_wrong += alone != is_valid || inside != is_valid ? 1 : 0;
            }
        };
        const auto is_valid = [](std::string_view bytes) {
            for (size_t i = 0; i < bytes.size();) {
                const Decoded decoded = decode_utf8(bytes, i);
                if (!decoded.is_valid) return false;
                i += decoded.length;
            }
            return true;
        };
        for (int lead = 0x70; lead < 0x100; ++lead) {
            for (int second = 0; second < 0x100; ++second) {
                std::string bytes{static_cast<char>(lead), static_cast<char>(second)};
                check(bytes, is_valid(bytes));
                if (lead < 0xE0) continue;
                for (const unsigned char third : borders) {
                    bytes.resize(2);
                    bytes += static_cast<char>(third);
                    check(bytes, is_valid(bytes));
                    if (lead < 0xF0 || lead > 0xF5) continue;
                    for (const unsigned char fourth : borders) {
                        bytes.resize(3);
                        bytes += static_cast<char>(fourth);
                        check(bytes, is_valid(bytes));
                    }
                }
            }
        }
        CHECK(num_wrong == 0);
        CHECK(is_valid_utf8(""));
    });
}

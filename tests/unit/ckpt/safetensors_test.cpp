// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/safetensors.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"

using namespace longhaul;
using namespace longhaul::ckpt;

namespace {

SafetensorsHeader parse(const std::string& json, uint64_t data_bytes) {
    return parse_safetensors(json, 8 + json.size() + data_bytes, "t");
}

}  // namespace

TEST_CASE("safetensors: a header with padding, metadata, a scalar and an empty tensor") {
    const auto header = parse(
        R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
        R"("a":{"shape":[],"data_offsets":[24,26],"dtype":"BF16"},)"
        R"("e":{"dtype":"I64","shape":[0,7],"data_offsets":[26,26]}}   )",
        26);
    REQUIRE(header.tensors.size() == 3);
    CHECK(header.tensors[0].name == "b");
    CHECK(header.tensors[1].shape.empty());
    CHECK(header.metadata.at("format") == "pt");
}

TEST_CASE("safetensors: everything that the format forbids is refused") {
    const std::string a = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
    const std::pair<std::string, uint64_t> bad[] = {
        {"", 0},
        {" {}", 0},
        {"{" + a + "}", 7},                                                  // cut file
        {"{" + a + "}", 9},                                                  // tail
        {"{" + a + "," + a + "}", 8},                                        // doubled name
        {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12},  // hole at front
        {"{" + a + R"(,"b":{"dtype":"U8","shape":[1],"data_offsets":[9,10]}})", 10},  // hole
        {"{" + a + R"(,"b":{"dtype":"U8","shape":[1],"data_offsets":[7,8]}})", 8},    // overlap
        {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8},             // wrong size
        {R"({"a":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}})", 8},  // unknown type
        {R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}})", 1},   // half a byte
        {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8},
        {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,8]}})", 8},
        {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8},
        {R"({"a":{"dtype":"F32","shape":[2]}})", 8},
        {R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8},
        {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", 8},
        {R"({"__metadata__":{"a":1}})", 0},
        {"{" + a + "}x", 8},
        {"{" + a, 8},
        {"{\"\xd8\"" + a.substr(3) + "}", 8},  // not UTF-8
        {R"({"a\u12":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8},
    };
    for (const auto& [json, bytes] : bad) {
        INFO(json);
        CHECK_THROWS_AS(parse(json, bytes), DataError);
    }
    CHECK_THROWS_WITH_AS(parse("{" + a + "," + a + "}", 8), doctest::Contains("byte"), DataError);
}

TEST_CASE("safetensors: what is written can be read, in the library's order") {
    std::vector<SafeTensor> tensors = {
        {"b", "BF16", {3}}, {"z", "F32", {1}}, {"a\n\"x", "F32", {2}}, {"i", "I64", {}}};
    lay_out_safetensors(tensors);
    CHECK(tensors[0].name == "i");
    CHECK(tensors[1].name == "a\n\"x");
    CHECK(tensors[3].name == "b");
    const std::string prefix = safetensors_prefix(tensors, {{"format", "pt"}});
    CHECK(prefix.size() % 8 == 0);
    const auto header =
        parse_safetensors(prefix.substr(8), prefix.size() + tensors.back().end, "t");
    CHECK(header.tensors == tensors);
}

// SPDX-License-Identifier: BSD-3-Clause
// Every field of tokenizer.json edited in every way: removed, of each wrong type, out of range
// (tests/data/token/make_faults.py). The words of each complaint, and no file that HF tokenizers
// refuses taken but for a reason.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "lib/base/error.h"
#include "lib/io/json.h"
#include "lib/token/load.h"
#include "tests/unit/token/test_files.h"

using namespace longhaul;
using namespace longhaul::token;
using io::Json;

namespace {

Json edited(const Json& base, const Json& path, const std::string& edit) {
    const std::pair<const char*, Json> values[] = {{"null", nullptr},
                                                   {"number", 7},
                                                   {"negative", -1},
                                                   {"fraction", 1.5},
                                                   {"huge", 1e30},
                                                   {"text", "x"},
                                                   {"empty", ""},
                                                   {"array", Json::array()},
                                                   {"object", Json::object()},
                                                   {"true", true}};
    Json document = base;
    Json* parent = &document;
    const auto inside = [](Json& value, const Json& key) -> Json& {
        return key.is_string() ? value[key.get<std::string>()] : value[key.get<size_t>()];
    };
    for (size_t i = 0; i + 1 < path.size(); ++i) parent = &inside(*parent, path[i]);
    const Json& key = path.back();
    if (edit == "remove") {
        if (key.is_string()) {
            parent->erase(key.get<std::string>());
        } else {
            parent->erase(key.get<size_t>());
        }
        return document;
    }
    for (const auto& [name, value] : values) {
        if (edit == name) inside(*parent, key) = value;
    }
    return document;
}

std::string problem(const Json& document) {
    try {
        parse_tokenizer_json(document.dump(), "t.json");
        return "";
    } catch (const Error& error) {
        return error.describe();
    }
}

/// Faults that HF tokenizers refuses and we do not mind: they mean one thing only.
bool is_harmless(const Json& path, const std::string& edit) {
    // null where a field may be left out, or where an empty section may stand.
    if (edit == "null") return true;
    const std::string whole = path.dump();
    const bool is_ignored =
        whole.starts_with("[\"truncation\"") || whole.starts_with("[\"padding\"");
    if (is_ignored && edit == "object") return true;
    // Of a template what only pairs of texts need, and names beside the ids.
    const bool is_of_template = whole.find("\"pair\"") != std::string::npos ||
                                whole.find("\"type_id\"") != std::string::npos ||
                                whole.find("\"special_tokens\"") != std::string::npos;
    return is_of_template &&
           (edit == "remove" || whole.find("\"special_tokens\"") != std::string::npos);
}

}  // namespace

TEST_CASE("load: every field of tokenizer.json, edited in every way") {
    std::istringstream lines(test::read_all(LH_TEST_DATA "/token/faults.jsonl.zst"));
    Json base;
    size_t num_refused = 0, num_taken = 0, num_bases = 0;
    for (std::string line; std::getline(lines, line);) {
        const Json row = Json::parse(line);
        CAPTURE(line);
        if (row.contains("base")) {
            base = row["tokenizer"];
            ++num_bases;
            REQUIRE(problem(base) == "");
            continue;
        }
        const auto edit = row["edit"].get<std::string>();
        const std::string message = problem(edited(base, row["path"], edit));
        CHECK(message == row["words"].get<std::string>());
        if (message.empty() && !row["hf"].get<bool>()) CHECK(is_harmless(row["path"], edit));
        ++(message.empty() ? num_taken : num_refused);
    }
    CHECK(num_bases == 5);
    CHECK(num_refused > 2500);
    CHECK(num_taken > 200);
}

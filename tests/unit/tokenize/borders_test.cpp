// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/token/load.h"
#include "lib/tokenize/resolve_borders.h"

using namespace longhaul;
using namespace longhaul::tokenize;
using Ids = std::vector<uint32_t>;

TEST_CASE("borders: words to ids") {
    const token::Tokenizer llama3 =
        token::load_tokenizer({LH_TEST_DATA "/token/hf_llama3.json", "", {}});
    CHECK(resolve_bos(llama3, {}) == Ids{900});
    CHECK(resolve_bos(llama3, {"auto"}) == Ids{900});
    CHECK(resolve_bos(llama3, {"template"}) == Ids{900});
    CHECK(resolve_bos(llama3, {"none"}).empty());
    CHECK(resolve_eos(llama3, {}) == Ids{0});          // by its name
    CHECK(resolve_eos(llama3, {"template"}).empty());  // which has none behind the text
    CHECK(resolve_eos(llama3, {"id:5", "<|endoftext|>", "id:900"}) == Ids{5, 0, 900});
    CHECK_THROWS_AS(resolve_eos(llama3, {"id:901"}), UsageError);
    CHECK_THROWS_AS(resolve_eos(llama3, {"id:"}), UsageError);
    CHECK_THROWS_AS(resolve_eos(llama3, {""}), UsageError);
    CHECK_THROWS_AS(resolve_eos(llama3, {"id:0", "auto"}), UsageError);
    CHECK_NOTHROW(resolve_bos(llama3, BorderWords(shards::kMostBorders, "id:1")));
    CHECK_THROWS_AS(resolve_bos(llama3, BorderWords(shards::kMostBorders + 1, "id:1")), UsageError);

    const token::Tokenizer gpt2 =
        token::load_tokenizer({LH_TEST_DATA "/token/hf_gpt2.json", "", {}});
    CHECK(resolve_bos(gpt2, {}).empty());
    CHECK_THROWS_AS(resolve_bos(gpt2, {"template"}), UsageError);
}

TEST_CASE("borders: a document without them") {
    const shards::Borders borders{{1, 2}, {3, 4}};
    const auto inside = [&](const Ids& ids) {
        const auto part = inside_borders(ids, borders);
        return Ids(part.begin(), part.end());
    };
    CHECK(inside({1, 2, 9, 3, 4}) == Ids{9});
    CHECK(inside({1, 2, 3, 4}).empty());
    CHECK(inside({}).empty());
    CHECK(inside({1, 2, 3}) == Ids{1, 2, 3});              // cut
    CHECK(inside({2, 1, 9, 3, 4}) == Ids{2, 1, 9, 3, 4});  // others
    CHECK(borders.padding_id() == 4);
    CHECK(shards::Borders{}.padding_id() == 0);
}

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/sample.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/shards/blend.h"
#include "tests/unit/shards/shard_folder.h"

using namespace longhaul;
using namespace longhaul::shards;
using Ids = std::vector<int32_t>;

namespace {

constexpr int32_t kNone = kNoTarget;

struct Made {
    Ids tokens, targets, begins;
};

class Documents {
 public:
    explicit Documents(SampleWords words, uint64_t seq_len = 8) {
        words.order = words.order == "feistel" ? "sequential" : words.order;
        blend_ = std::make_unique<Blend>(std::vector<BlendPart>{{folder_.path, 1}},
                                         BlendOptions{seq_len, 1, settings_of(words), {}, false});
    }
    Made sample(uint64_t number) const {
        const auto size = static_cast<size_t>(blend_->seq_len());
        Made made{Ids(size), Ids(size), Ids(size)};
        blend_->read(number, {made.tokens, made.targets, made.begins});
        return made;
    }
    uint64_t count() const { return blend_->num_samples(); }

 private:
    // 1 is EOS; 7 ... 8 is a span with loss; one document is longer than a sample.
    test::ShardFolder folder_{"sample",
                              {{10, 11, 7, 12, 8, 13, 1},
                               {20, 1},
                               {30, 31, 32, 7, 33, 34, 35, 36, 37, 38, 8, 39, 1},
                               {40, 41, 1}}};
    std::unique_ptr<Blend> blend_;
};

}  // namespace

TEST_CASE("samples: a stream's windows, with the documents in them") {
    const Documents documents({});
    CHECK(documents.count() == 3);
    const Made first = documents.sample(0);
    CHECK(first.tokens == Ids{10, 11, 7, 12, 8, 13, 1, 20});
    CHECK(first.targets == Ids{11, 7, 12, 8, 13, 1, 20, 1});
    CHECK(first.begins == Ids{0, 0, 0, 0, 0, 0, 0, 7});
    CHECK(cu_seqlens(first.begins) == Ids{0, 7, 8});
    const Made second = documents.sample(1);
    CHECK(second.tokens == Ids{1, 30, 31, 32, 7, 33, 34, 35});
    CHECK(second.begins == Ids{0, 1, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("samples: masks") {
    SampleWords words;
    SUBCASE("of boundaries: the first token of a document is nobody's target") {
        words.mask_boundaries = true;
        const Documents documents(words);
        CHECK(documents.sample(0).targets == Ids{11, 7, 12, 8, 13, 1, kNone, 1});
        CHECK(documents.sample(1).targets == Ids{kNone, 31, 32, 7, 33, 34, 35, 36});
    }
    SUBCASE("of ids") {
        words.mask_ids = {"1", "12"};
        const Documents documents(words);
        CHECK(documents.sample(0).targets == Ids{11, 7, kNone, 8, 13, kNone, 20, kNone});
    }
    SUBCASE("between two ids, also when the first one lies before the window") {
        words.loss_between = {"7", "8"};
        const Documents documents(words);
        CHECK(documents.sample(0).targets == Ids{kNone, kNone, 12, 8, kNone, kNone, kNone, kNone});
        CHECK(documents.sample(1).targets == Ids{kNone, kNone, kNone, kNone, 33, 34, 35, 36});
        CHECK(documents.sample(2).targets == Ids{37, 38, 8, kNone, kNone, kNone, kNone, kNone});
    }
}

TEST_CASE("samples: packed documents; padding is told by its place") {
    SampleWords words;
    words.packing = "best-fit";
    const Documents documents(words);
    REQUIRE(documents.count() == 4);
    const Made cut = documents.sample(0);  // the head of the long document
    CHECK(cut.tokens == Ids{30, 31, 32, 7, 33, 34, 35, 36});
    CHECK(cut.targets == Ids{31, 32, 7, 33, 34, 35, 36, 37});
    CHECK(cut.begins == Ids(8, 0));
    const Made first = documents.sample(1);  // 7 tokens and padding, whose id is that of EOS
    CHECK(first.tokens == Ids{10, 11, 7, 12, 8, 13, 1, 1});
    CHECK(first.targets == Ids{11, 7, 12, 8, 13, 1, kNone, kNone});
    CHECK(first.begins == Ids{0, 0, 0, 0, 0, 0, 0, 7});
    const test::ShardFolder many("sample-many", {{5, 6, 10, 1, 2}, {5, 6, 20, 1, 2}},
                                 {{5, 6}, {1, 2}});
    const Blend blend({{many.path, 1}}, {7, 1, settings_of(words), {}, false});
    Made padded{Ids(7), Ids(7), Ids(7)};
    blend.read(0, {padded.tokens, padded.targets, padded.begins});
    CHECK(std::vector(padded.tokens.begin() + 3, padded.tokens.end()) == Ids{1, 2, 2, 2});
    CHECK(padded.targets[3] == 2);  // all but the last of what ends a document is learnt
    CHECK(std::vector(padded.targets.begin() + 4, padded.targets.end()) == Ids(3, kNone));
    const Made pair = documents.sample(2);
    CHECK(pair.tokens == Ids{37, 38, 8, 39, 1, 40, 41, 1});
    CHECK(pair.targets == Ids{38, 8, 39, 1, kNone, 41, 1, kNone});
    CHECK(pair.begins == Ids{0, 0, 0, 0, 0, 5, 5, 5});
    words.loss_between = {"7", "8"};
    const Made masked = Documents(words).sample(2);  // the rest knows the span of its document
    CHECK(masked.targets == Ids{38, 8, kNone, kNone, kNone, kNone, kNone, kNone});
}

TEST_CASE("samples: Megatron's order joins documents as it shuffled them") {
    SampleWords words;
    words.order = "megatron";
    words.order_samples = 6;
    const Documents documents(words);
    CHECK(documents.count() >= 6);
    for (uint64_t i = 0; i < documents.count(); ++i) {
        const Made made = documents.sample(i);
        CHECK(std::equal(made.tokens.begin() + 1, made.tokens.end(), made.targets.begin()));
        for (size_t k = 1; k < 8; ++k) {  // a document begins behind each EOS
            CHECK((made.begins[k] == static_cast<int32_t>(k)) == (made.tokens[k - 1] == 1));
        }
    }
}

TEST_CASE("samples: bad words are refused by key") {
    const auto refusal = [](auto change) -> std::string {
        SampleWords words;
        change(words);
        try {
            settings_of(words);
        } catch (const UsageError& error) {
            return error.describe();
        }
        return "";
    };
    CHECK(refusal([](SampleWords&) {}).empty());
    const std::pair<const char*, std::string> refusals[] = {
        {"data.order = \"x\"", refusal([](SampleWords& w) { w.order = "x"; })},
        {"data.packing", refusal([](SampleWords& w) { w.packing = ""; })},
        {"data.attention", refusal([](SampleWords& w) { w.attention = "all"; })},
        {"data.order_block = 0", refusal([](SampleWords& w) { w.order_block = 0; })},
        {"data.mask_ids: \"-1\"", refusal([](SampleWords& w) { w.mask_ids = {"-1"}; })},
        {"data.loss_between", refusal([](SampleWords& w) { w.loss_between = {"1"}; })},
        {"data.loss_between", refusal([](SampleWords& w) {
             w.loss_between = {"1", "1"};
         })},
        {"needs data.packing", refusal([](SampleWords& w) {
             w.order = "megatron";
             w.packing = "best-fit";
         })}};
    for (const auto& [part, text] : refusals) {
        CAPTURE(text);
        CHECK(text.find(part) != std::string::npos);
    }
}

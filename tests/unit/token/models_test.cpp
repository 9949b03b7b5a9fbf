// SPDX-License-Identifier: BSD-3-Clause
// Models other than byte-level BPE: ids equal to sentencepiece and HF tokenizers
// (tests/data/token/make_models.py), fast paths equal to slow ones, and linear time.
#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <sstream>

#include "lib/base/format.h"
#include "lib/io/stream.h"
#include "lib/token/char_bpe.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"
#include "lib/token/sentencepiece_bpe.h"
#include "lib/token/symbol_merger.h"
#include "tests/unit/token/test_files.h"

using namespace longhaul;
using namespace longhaul::token;

namespace {

const std::string kData = LH_TEST_DATA "/token/";
using Ids = std::vector<uint32_t>;

constexpr const char* kSentencePiece[] = {
    "sp_bpe_llama",        "sp_bpe_rules",    "sp_bpe_suffix",       "sp_bpe_unused",
    "sp_bpe_unused_bytes", "sp_unigram_nfkc", "sp_unigram_fallback", "sp_unigram_ties"};
constexpr const char* kHuggingFace[] = {"hf_char_llama",   "hf_char_partial", "hf_char_fused",
                                        "hf_char_dropped", "hf_char_whole",   "hf_char_affixes",
                                        "hf_clip",         "hf_unigram",      "hf_unigram_whole",
                                        "hf_word_piece",   "hf_word_level"};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

Tokenizer load(const std::string& name) {
    if (name.starts_with("sp_")) {
        return Tokenizer(
            parse_sentencepiece(test::read_all(kData + "models/" + name + ".model.zst"), name));
    }
    return Tokenizer(
        parse_tokenizer_json(test::read_all(kData + "models/" + name + ".json.zst"), name));
}

const std::vector<std::string>& documents() {
    static const auto kDocuments = split(test::read_all(kData + "documents.zst"), '\0');
    return kDocuments;
}

void check_reference(const std::string& name, const EncodeOptions& options) {
    CAPTURE(name);
    const Tokenizer tokenizer = load(name);
    const auto lines = split(test::read_all(kData + "models/" + name + ".ids.zst"), '\n');
    REQUIRE(lines.size() == documents().size());
    Encoder encoder(tokenizer, options);
    for (size_t i = 0; i < lines.size(); ++i) {
        Ids ids;
        encoder.encode(documents()[i], ids);
        std::string line;
        for (const uint32_t id : ids) line += (line.empty() ? "" : " ") + std::to_string(id);
        CAPTURE(i);
        CAPTURE(documents()[i]);
        REQUIRE(line == lines[i]);
    }
}

/// Text of pieces of the vocabulary and of characters that it may lack.
std::string random_text(const Vocabulary& vocabulary, std::mt19937& random) {
    std::string text;
    const auto below = [&](uint32_t bound) { return static_cast<uint32_t>(random() % bound); };
    for (uint32_t parts = 1 + below(40); parts > 0; --parts) {
        static constexpr const char* kOdd[] = {"\u2581", "\u2581\u2581", "a", "\u00E9", "\u4E2D",
                                               "\n",     "\u0416",       "<", "zq"};
        text += below(4) == 0 ? kOdd[below(std::size(kOdd))]
                              : std::string(vocabulary.bytes(below(vocabulary.size())));
    }
    return text;
}

/// Ids by parts, each encoded alone, and the whole by the heap.
template <class Bpe>
void check_cuts(const std::string& name) {
    CAPTURE(name);
    const Tokenizer tokenizer = load(name);
    const auto& model = dynamic_cast<const Bpe&>(*tokenizer.parts().model);
    REQUIRE(model.cuts_pieces());
    std::mt19937 random(7);
    size_t num_parts = 0;
    for (int round = 0; round < 3000; ++round) {
        if (round == 1500) model.prepare();  // from here on by backtracking
        const std::string text = random_text(model.vocabulary(), random);
        if (text.empty()) continue;
        Ids whole, by_parts, at_once;
        model.encode_whole(text, whole);
        for (PartCursor parts(model, text, true); !parts.is_done(); ++num_parts) {
            const std::string_view part = parts.next();
            REQUIRE_FALSE(part.empty());
            model.encode_whole(part, by_parts);
        }
        model.encode(text, at_once);
        CAPTURE(text);
        REQUIRE(by_parts == whole);
        REQUIRE(at_once == whole);
    }
    CHECK(num_parts > 6000);
}

double seconds_for(Encoder& encoder, const std::string& text) {
    Ids ids;
    const auto start = std::chrono::steady_clock::now();
    encoder.encode(text, ids);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("models: ids equal sentencepiece") {
    for (const char* name : kSentencePiece) {
        check_reference(name, {});
        check_reference(name, {SpecialText::kPlain, 0, false});
    }
}

TEST_CASE("models: texts of ids equal sentencepiece") {
    for (const char* name : kSentencePiece) {
        CAPTURE(name);
        const Tokenizer tokenizer = load(name);
        const auto texts = split(test::read_all(kData + "models/" + name + ".text.zst"), '\n');
        REQUIRE(texts.size() == 150);
        for (uint32_t first = 0; first < texts.size(); ++first) {
            Ids ids;
            for (uint32_t i = 0; i <= first % 12; ++i) {
                ids.push_back((first * 7919 + i * i * 104729) % tokenizer.vocab_size());
            }
            std::string hex;
            for (const char byte : tokenizer.decode(ids, false)) {
                hex += format("{:02x}", static_cast<uint8_t>(byte));
            }
            CAPTURE(first);
            REQUIRE(hex == texts[first]);
        }
    }
}

TEST_CASE("models: ids equal HF tokenizers") {
    for (const char* name : kHuggingFace) {
        check_reference(name, {});
        check_reference(name, {SpecialText::kPlain, 0, false});
    }
}

TEST_CASE("models: parts encoded alone give the ids of the whole") {
    for (const char* name : {"sp_bpe_llama", "sp_bpe_rules", "sp_bpe_suffix"}) {
        check_cuts<SentencePieceBpe>(name);
    }
    for (const char* name : {"hf_char_llama", "hf_char_partial", "hf_char_fused"}) {
        check_cuts<CharBpe>(name);
    }
}

TEST_CASE("models: merging by scan and by heap is the same, with a log too") {
    std::mt19937 random(11);
    for (int round = 0; round < 2000; ++round) {
        MergeTable merges;
        for (uint32_t i = 0; i < 30; ++i) {
            // Few ranks: ties, which the leftmost pair wins.
            const auto left = static_cast<uint32_t>(random() % 12),
                       right = static_cast<uint32_t>(random() % 12);
            if (merges.find(left, right).rank == kNoToken)
                merges.set(left, right, {i / 3, 4 + i % 8});
        }
        Ids by_scan;
        for (size_t n = random() % 60; n > 0; --n)
            by_scan.push_back(static_cast<uint32_t>(random() % 4));
        Ids by_heap = by_scan, chosen = by_scan, scan_parts, heap_parts;
        const std::vector<bool> logged{false, false, false, false, true, false, true};
        SplitLog scan_log(logged), heap_log(logged);
        merge_by_scan(merges, by_scan, &scan_log);
        merge_by_heap(merges, by_heap, &heap_log);
        merge_symbols(merges, chosen, nullptr);
        REQUIRE(by_scan == by_heap);
        REQUIRE(by_scan == chosen);
    }
}

TEST_CASE("models: time is linear in the length of a document") {
    for (const char* name :
         {"sp_bpe_llama", "sp_unigram_ties", "hf_char_llama", "hf_unigram_whole"}) {
        const Tokenizer tokenizer = load(name);
        Encoder encoder(tokenizer, {});
        for (const char* unit : {"a", " ", "ab", "\u4E2D", "x\u00E9 "}) {
            CAPTURE(name);
            CAPTURE(unit);
            std::string text;
            while (text.size() < 100'000) text += unit;
            const double small = seconds_for(encoder, text);
            std::string large;
            for (int i = 0; i < 10; ++i) large += text;
            // Quadratic time would be 100 times as much; the bound leaves room for a busy machine.
            CHECK(seconds_for(encoder, large) < 40 * small + 0.5);
        }
    }
}

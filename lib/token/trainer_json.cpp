// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/format.h"
#include "lib/io/json.h"
#include "lib/token/byte_level.h"
#include "lib/token/trainer.h"

namespace longhaul::token {

namespace {

std::string quoted(const std::string& text) {
    return io::to_line(io::Json(text));
}

io::Json byte_level_step(bool cuts) {
    return {{"type", "ByteLevel"},
            {"add_prefix_space", false},
            {"trim_offsets", true},
            {"use_regex", cuts}};
}

/// @param step as of SchemeInfo, but no kBytesStep
io::Json step_json(const std::string& step) {
    if (step == kByteAlphabetStep) return byte_level_step(false);
    if (step == kDigitRunsStep) return {{"type", "Digits"}, {"individual_digits", false}};
    if (step == kPunctuationRunsStep) return {{"type", "Punctuation"}, {"behavior", "Contiguous"}};
    return {{"type", "Split"},
            {"pattern", {{"Regex", step}}},
            {"behavior", "Isolated"},
            {"invert", false}};
}

/// ByteLevel cuts by the GPT-2 pattern itself; the others come first as Splits.
io::Json pre_tokenizer_json(Scheme scheme) {
    if (scheme == Scheme::kGpt2) return byte_level_step(true);
    io::Json steps = io::Json::array();
    for (const std::string& step : scheme_info(scheme).steps) {
        if (step != kBytesStep) steps.push_back(step_json(step));
    }
    if (scheme != Scheme::kFalcon) steps.push_back(byte_level_step(false));
    return {{"type", "Sequence"}, {"pretokenizers", steps}};
}

io::Json byte_level_json() {
    return {{"type", "ByteLevel"},
            {"add_prefix_space", true},
            {"trim_offsets", false},
            {"use_regex", true}};
}

/// Vocabulary and merges by hand: an ordered JSON object of 10^5 members takes quadratic time.
std::string model_json(const TrainedBpe& trained) {
    const size_t base = trained.specials.size();
    std::string out =
        R"({"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,)"
        R"("end_of_word_suffix":null,"fuse_unk":false,"byte_fallback":false,"ignore_merges":false,)"
        R"("vocab":{)";
    for (size_t i = 0; i < base; ++i) {
        out += format("{}{}:{}", i == 0 ? "" : ",", quoted(trained.specials[i]), i);
    }
    for (size_t i = 0; i < trained.tokens.size(); ++i) {
        out += format("{}{}:{}", base + i == 0 ? "" : ",", quoted(bytes_to_text(trained.tokens[i])),
                      base + i);
    }
    out += R"(},"merges":[)";
    for (size_t i = 0; i < trained.merges.size(); ++i) {
        const auto text = [&](uint32_t id) {
            return quoted(bytes_to_text(trained.tokens[id - base]));
        };
        out += format("{}[{},{}]", i == 0 ? "" : ",", text(trained.merges[i].left),
                      text(trained.merges[i].right));
    }
    return out + "]}";
}

}  // namespace

bool normalizes_to_nfc(Scheme scheme) {
    return scheme == Scheme::kQwen2 || scheme == Scheme::kQwen35;
}

std::string to_tokenizer_json(const TrainedBpe& trained, Scheme scheme) {
    io::Json added = io::Json::array();
    for (size_t i = 0; i < trained.specials.size(); ++i) {
        added.push_back({{"id", i},
                         {"content", trained.specials[i]},
                         {"single_word", false},
                         {"lstrip", false},
                         {"rstrip", false},
                         {"normalized", false},
                         {"special", true}});
    }
    return format(R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":{},)"
                  R"("normalizer":{},"pre_tokenizer":{},"post_processor":{},"decoder":{},)"
                  R"("model":{}}})",
                  io::to_line(added), normalizes_to_nfc(scheme) ? R"({"type":"NFC"})" : "null",
                  io::to_line(pre_tokenizer_json(scheme)), io::to_line(byte_level_json()),
                  io::to_line(byte_level_json()), model_json(trained)) +
           "\n";
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/scheme.h"

#include <algorithm>

#include "lib/base/check.h"

namespace longhaul::token {

namespace {

// Sources: huggingface/tokenizers, pre_tokenizers/byte_level.rs; openai/tiktoken 0.14,
// tiktoken_ext/openai_public.py; tokenizer.json of Llama 3, Qwen2, Qwen3.5, DeepSeek-V3, StarCoder,
// Falcon; mistral-common, tekken_240911.json ("pattern"); moonshotai/Kimi-K2, tokenization_kimi.py.
constexpr const char* kGpt2Tiktoken =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)";
constexpr const char* kCl100kTiktoken =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)";
constexpr const char* kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kKimiK2 =
    R"([\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kThreeDigits = R"(\p{N}{1,3})";
constexpr const char* kDeepSeekCjk = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+";
// The file has the characters CR and LF themselves.
constexpr const char* kDeepSeekWords =
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]"
    "+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";

}  // namespace

const std::vector<SchemeInfo>& known_schemes() {
    static const std::vector<SchemeInfo> schemes = {
        {Scheme::kGpt2, "gpt2", {kByteLevelStep}, kGpt2Tiktoken},
        {Scheme::kCl100k, "cl100k", {kCl100kTiktoken}, kCl100kTiktoken},
        {Scheme::kO200k, "o200k", {kO200k}, kO200k},
        {Scheme::kLlama3, "llama3", {kLlama3}, ""},
        {Scheme::kQwen2, "qwen2", {kQwen2}, ""},
        {Scheme::kQwen35, "qwen35", {kQwen35}, ""},
        {Scheme::kDeepSeekV3, "deepseek-v3", {kThreeDigits, kDeepSeekCjk, kDeepSeekWords}, ""},
        {Scheme::kStarCoder, "starcoder", {kEachDigitStep, kByteLevelStep}, ""},
        {Scheme::kTekken, "tekken", {kTekken}, ""},
        {Scheme::kKimiK2, "kimi-k2", {kKimiK2}, ""},
        {Scheme::kFalcon,
         "falcon",
         {kPunctuationRunsStep, kByteLevelStep, kByteAlphabetStep, kDigitRunsStep,
          "[0-9][0-9][0-9]", kBytesStep},
         ""},
    };
    return schemes;
}

const SchemeInfo& scheme_info(Scheme scheme) {
    for (const SchemeInfo& info : known_schemes()) {
        if (info.scheme == scheme) return info;
    }
    LH_CHECK(false, "scheme {}", static_cast<int>(scheme));
    return known_schemes().front();
}

std::optional<Scheme> scheme_by_name(std::string_view name) {
    for (const SchemeInfo& info : known_schemes()) {
        if (name == info.name) return info.scheme;
    }
    return std::nullopt;
}

std::optional<Scheme> scheme_by_pattern(std::string_view pattern) {
    for (const SchemeInfo& info : known_schemes()) {
        const bool is_single = info.steps.size() == 1 && pattern == info.steps[0];
        if (is_single || (!pattern.empty() && pattern == info.tiktoken_pattern)) return info.scheme;
    }
    return std::nullopt;
}

std::optional<Scheme> scheme_by_steps(std::span<const std::string> steps) {
    for (const SchemeInfo& info : known_schemes()) {
        if (info.steps.size() > 1 && std::ranges::equal(info.steps, steps)) return info.scheme;
    }
    return std::nullopt;
}

size_t next_piece(Scheme scheme, std::string_view text, size_t begin) {
    return with_scheme(
        scheme, [&](auto tag) { return detail::Scanner<decltype(tag)::value>(text).next(begin); });
}

}  // namespace longhaul::token

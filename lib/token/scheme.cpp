// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/scheme.h"

#include "lib/base/check.h"

namespace longhaul::token {

namespace {

// Sources: huggingface/tokenizers, pre_tokenizers/byte_level.rs; openai/tiktoken 0.14,
// tiktoken_ext/openai_public.py; tokenizer.json of Llama 3 and Qwen2.
constexpr const char* kGpt2Hf =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kGpt2Tiktoken =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)";
constexpr const char* kCl100kTiktoken =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)";
constexpr const char* kLlama3Hf =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2Hf =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

}  // namespace

const std::vector<SchemeInfo>& known_schemes() {
    static const std::vector<SchemeInfo> schemes = {
        {Scheme::kGpt2, "gpt2", kGpt2Hf, kGpt2Tiktoken},
        {Scheme::kCl100k, "cl100k", kCl100kTiktoken, kCl100kTiktoken},
        {Scheme::kO200k, "o200k", kO200k, kO200k},
        {Scheme::kLlama3, "llama3", kLlama3Hf, ""},
        {Scheme::kQwen2, "qwen2", kQwen2Hf, ""},
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
        if (pattern == info.hf_pattern || pattern == info.tiktoken_pattern) return info.scheme;
    }
    return std::nullopt;
}

size_t next_piece(Scheme scheme, std::string_view text, size_t begin) {
    const detail::Scanner scanner(text);
    switch (scheme) {
        case Scheme::kGpt2:
            return scanner.next<Scheme::kGpt2>(begin);
        case Scheme::kCl100k:
            return scanner.next<Scheme::kCl100k>(begin);
        case Scheme::kO200k:
            return scanner.next<Scheme::kO200k>(begin);
        case Scheme::kLlama3:
            return scanner.next<Scheme::kLlama3>(begin);
        case Scheme::kQwen2:
            break;
    }
    return scanner.next<Scheme::kQwen2>(begin);
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/resolve_borders.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "lib/base/error.h"

namespace longhaul::tokenize {

namespace {

/// The number of "id:N".
std::optional<uint32_t> parse_id(std::string_view word) {
    constexpr std::string_view kPrefix = "id:";
    if (!word.starts_with(kPrefix)) return std::nullopt;
    word.remove_prefix(kPrefix.size());
    uint32_t id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    const bool is_number = error == std::errc() && end == word.data() + word.size();
    return is_number ? std::optional(id) : std::nullopt;
}

uint32_t find_token(const token::Tokenizer& tokenizer, const std::string& word) {
    const auto number = parse_id(word);
    if (number && tokenizer.is_token(*number)) return *number;
    if (number) throw UsageError(format("{} is the id of no token of the tokenizer", *number));
    if (const auto id = tokenizer.find_token(word)) return *id;
    throw UsageError(format("\"{}\" is not a token of the tokenizer", word));
}

std::vector<uint32_t> resolve(const token::Tokenizer& tokenizer, const BorderWords& words,
                              const std::vector<uint32_t>& of_template,
                              const std::vector<uint32_t>& automatic) {
    const auto is_word = [](const std::string& word) {
        return word == "auto" || word == "template" || word == "none";
    };
    const auto alone = std::find_if(words.begin(), words.end(), is_word);
    if (alone != words.end() && words.size() > 1) {
        throw UsageError(format("\"{}\" stands alone, without other tokens", *alone));
    }
    std::vector<uint32_t> ids;
    if (words.empty() || words.front() == "auto") {
        ids = automatic;
    } else if (words.front() == "template") {
        if (!tokenizer.parts().has_template) {
            throw UsageError("the tokenizer has no template: name the tokens, or \"none\"");
        }
        ids = of_template;
    } else if (words.front() != "none") {
        for (const std::string& word : words) ids.push_back(find_token(tokenizer, word));
    }
    if (ids.size() > shards::kMostBorders) {
        throw UsageError(format("{} tokens; {} are the most", ids.size(), shards::kMostBorders));
    }
    return ids;
}

}  // namespace

std::vector<uint32_t> resolve_bos(const token::Tokenizer& tokenizer, const BorderWords& words) {
    const auto& prefix = tokenizer.parts().prefix;
    return with_context([&] { return resolve(tokenizer, words, prefix, prefix); }, "--bos");
}

std::vector<uint32_t> resolve_eos(const token::Tokenizer& tokenizer, const BorderWords& words) {
    const auto& suffix = tokenizer.parts().suffix;
    const bool is_automatic = words.empty() || words == BorderWords{"auto"};
    auto ids = with_context(
        [&] { return resolve(tokenizer, words, suffix, tokenizer.default_eos()); }, "--eos");
    if (is_automatic && ids.empty()) {
        throw UsageError(
            "the tokenizer does not say which token ends a document: name it by "
            "--eos TOKEN, or --eos none");
    }
    return ids;
}

std::span<const uint32_t> inside_borders(std::span<const uint32_t> ids,
                                         const shards::Borders& borders) {
    if (ids.size() < borders.size()) return ids;
    const auto first = ids.first(borders.bos.size()), last = ids.last(borders.eos.size());
    const bool has_both = std::equal(first.begin(), first.end(), borders.bos.begin()) &&
                          std::equal(last.begin(), last.end(), borders.eos.begin());
    return has_both ? ids.subspan(first.size(), ids.size() - borders.size()) : ids;
}

}  // namespace longhaul::tokenize

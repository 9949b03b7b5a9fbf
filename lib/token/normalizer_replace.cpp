// SPDX-License-Identifier: BSD-3-Clause
// The Replace step of a normaliser.
#include <algorithm>

#include "lib/text/unicode.h"
#include "lib/token/normalizer_steps.h"
#include "lib/token/regex.h"

namespace longhaul::token {

namespace {

/// Where HF tokenizers says that the text begins after `matched` at its start became `to`: at the
/// last character of what was replaced, or behind it when nothing came in its place.
bool moves_start(std::string_view matched, std::string_view to) {
    if (matched.empty()) return false;
    return to.empty() || text::decode_utf8(matched, 0).length < matched.size();
}

class ReplaceStep final : public NormalizerStep {
 public:
    ReplaceStep(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {}
    bool surely_keeps(std::string_view text) const override {
        return text.find(from_) == std::string_view::npos;
    }
    std::string apply(std::string_view text) const override {
        if (from_.size() == 1) return replace_byte(text);
        std::string out;
        out.reserve(text.size() + text.size() / 4);
        size_t done = 0;
        for (size_t at = text.find(from_); at != std::string_view::npos;
             at = text.find(from_, done)) {
            out.append(text, done, at - done);
            out += to_;
            done = at + from_.size();
        }
        out.append(text, done);
        return out;
    }
    bool drops_start(std::string_view text) const override {
        return text.starts_with(from_) && moves_start(from_, to_);
    }

    /// No match has the blank and something else.
    bool cuts_before(char blank) const override {
        return from_.size() == 1 || from_.find(blank) == from_.npos;
    }
    Rewrite rewrite() const override { return {from_, to_}; }

 private:
    /// One byte, as the space that becomes U+2581 in many files: without a call for each.
    std::string replace_byte(std::string_view text) const {
        const auto count = static_cast<size_t>(std::count(text.begin(), text.end(), from_[0]));
        std::string out(text.size() - count + count * to_.size(), '\0');
        char* to = out.data();
        for (const char c : text) {
            if (c != from_[0]) {
                *to++ = c;
            } else {
                for (const char byte : to_) *to++ = byte;
            }
        }
        return out;
    }

    std::string from_, to_;
};

class ReplaceRegexStep final : public NormalizerStep {
 public:
    ReplaceRegexStep(std::string_view pattern, std::string to)
        : regex_(pattern), to_(std::move(to)) {}
    bool surely_keeps(std::string_view text) const override { return text.empty(); }
    std::string apply(std::string_view text) const override {
        std::string out;
        out.reserve(text.size());
        size_t done = 0;
        regex_.for_each_match(text, [&](const Regex::Match& match) {
            out.append(text, done, match.begin - done);
            out += to_;
            done = match.end;
        });
        out.append(text, done);
        return out;
    }
    bool drops_start(std::string_view text) const override {
        const auto length = regex_.match_at(text, 0);
        return length && moves_start(text.substr(0, *length), to_);
    }

 private:
    Regex regex_;
    std::string to_;
};

}  // namespace

NormalizerStepPtr make_replace_step(std::string from, std::string to) {
    return std::make_shared<ReplaceStep>(std::move(from), std::move(to));
}
NormalizerStepPtr make_replace_regex_step(std::string_view pattern, std::string to) {
    return std::make_shared<ReplaceRegexStep>(pattern, std::move(to));
}

}  // namespace longhaul::token

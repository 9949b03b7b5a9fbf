// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/normalizer_steps.h"

#include <algorithm>

#include "lib/text/unicode.h"
#include "lib/token/byte_level.h"
#include "lib/token/hf_unicode.h"
#include "lib/token/utf8_edges.h"

namespace longhaul::token {

namespace {

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

/// `text` with each character replaced by what `write(c, out)` appends.
template <class Write>
std::string map_characters(std::string_view text, Write&& write) {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (size_t i = 0; i < text.size();) {
        const text::Decoded c = text::decode_utf8(text, i);
        write(c.code_point, out);
        i += c.length;
    }
    return out;
}

char32_t first_character(std::string_view text) {
    return text.empty() ? 0 : text::decode_utf8(text, 0).code_point;
}

class FormStep final : public NormalizerStep {
 public:
    explicit FormStep(text::Form form) : form_(form) {}
    bool surely_keeps(std::string_view text) const override {
        return text::is_surely_normal(text, form_);
    }
    std::string apply(std::string_view text) const override {
        return text::normalize(text, form_, text::UnicodeData::k9);
    }
    bool cuts_before(char /*blank*/) const override { return true; }

 private:
    text::Form form_;
};

class LowercaseStep final : public NormalizerStep {
 public:
    bool surely_keeps(std::string_view text) const override {
        return std::none_of(text.begin(), text.end(), [](char c) {
            return (c >= 'A' && c <= 'Z') || static_cast<uint8_t>(c) >= 0x80;
        });
    }
    std::string apply(std::string_view text) const override {
        return map_characters(text, hf::append_lower);
    }
    bool cuts_before(char /*blank*/) const override { return true; }
};

/// Leaves out the characters of a class.
class FilterStep final : public NormalizerStep {
 public:
    explicit FilterStep(bool (*drops)(char32_t)) : drops_(drops) {}
    bool surely_keeps(std::string_view text) const override { return is_ascii(text); }
    std::string apply(std::string_view text) const override {
        return map_characters(text, [this](char32_t c, std::string& out) {
            if (!drops_(c)) text::append_utf8(c, out);
        });
    }
    bool drops_start(std::string_view text) const override { return drops_(first_character(text)); }
    bool cuts_before(char /*blank*/) const override { return true; }

 private:
    bool (*drops_)(char32_t);
};

class StripStep final : public NormalizerStep {
 public:
    StripStep(bool left, bool right) : left_(left), right_(right) {}
    bool surely_keeps(std::string_view text) const override {
        if (text.empty()) return true;
        const auto is_plain = [](char c) { return c > ' ' && c < 0x7F; };
        return (!left_ || is_plain(text.front())) && (!right_ || is_plain(text.back()));
    }
    std::string apply(std::string_view text) const override {
        while (left_ && !text.empty()) {
            const text::Decoded c = text::decode_utf8(text, 0);
            if (!text::is_white_space(c.code_point)) break;
            text.remove_prefix(c.length);
        }
        while (right_ && !text.empty()) {
            const size_t last = last_character(text);
            if (!text::is_white_space(text::decode_utf8(text, last).code_point)) break;
            text = text.substr(0, last);
        }
        return std::string(text);
    }
    bool drops_start(std::string_view text) const override {
        return left_ && text::is_white_space(first_character(text));
    }

 private:
    bool left_, right_;
};

class PrependStep final : public NormalizerStep {
 public:
    explicit PrependStep(std::string prefix) : prefix_(std::move(prefix)) {}
    bool surely_keeps(std::string_view text) const override {
        return text.empty() || prefix_.empty();
    }
    std::string apply(std::string_view text) const override { return prefix_ + std::string(text); }
    Rewrite rewrite() const override { return {"", prefix_}; }

 private:
    std::string prefix_;
};

class ByteLevelStep final : public NormalizerStep {
 public:
    bool surely_keeps(std::string_view text) const override {
        return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
    }
    std::string apply(std::string_view text) const override { return bytes_to_text(text); }
    bool writes_byte_alphabet() const override { return true; }
};

class NmtStep final : public NormalizerStep {
 public:
    bool surely_keeps(std::string_view text) const override {
        return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7F; });
    }
    std::string apply(std::string_view text) const override {
        return map_characters(text, [](char32_t c, std::string& out) {
            if (is_dropped(c)) return;
            text::append_utf8(is_space(c) ? U' ' : c, out);
        });
    }
    bool drops_start(std::string_view text) const override {
        return is_dropped(first_character(text));
    }
    bool cuts_before(char /*blank*/) const override { return true; }

 private:
    static bool is_dropped(char32_t c) {
        return (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F ||
               c == 0x8F || c == 0x9F;
    }
    static bool is_space(char32_t c) {
        return c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
               (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
               c == 0xFEFF || c == 0xFFFD;
    }
};

class BertStep final : public NormalizerStep {
 public:
    explicit BertStep(const BertNormalizerOptions& options) : options_(options) {}
    bool surely_keeps(std::string_view text) const override {
        return std::all_of(text.begin(), text.end(), [this](char c) {
            return c >= ' ' && c < 0x7F && !(options_.lowers_case && c >= 'A' && c <= 'Z');
        });
    }
    std::string apply(std::string_view text) const override {
        std::string out = map_characters(text, [this](char32_t c, std::string& to) {
            if (options_.cleans_text && is_dropped(c)) return;
            const bool is_alone = options_.isolates_han && is_ideograph(c);
            if (options_.cleans_text && text::is_white_space(c)) c = U' ';
            if (is_alone) to.push_back(' ');
            text::append_utf8(c, to);
            if (is_alone) to.push_back(' ');
        });
        if (options_.strips_accents && !is_ascii(out)) {
            out = text::normalize(out, text::Form::kNfd, text::UnicodeData::k9);
            out = map_characters(out, [](char32_t c, std::string& to) {
                if (!hf::is_nonspacing_mark(c)) text::append_utf8(c, to);
            });
        }
        return options_.lowers_case ? map_characters(out, hf::append_lower) : out;
    }
    bool drops_start(std::string_view text) const override {
        const char32_t c = first_character(text);
        return (options_.cleans_text && is_dropped(c)) ||
               (options_.strips_accents && hf::is_nonspacing_mark(c));
    }
    bool cuts_before(char /*blank*/) const override { return true; }

 private:
    static bool is_dropped(char32_t c) {
        if (c == '\t' || c == '\n' || c == '\r') return false;
        return c == 0 || c == 0xFFFD || hf::is_other(c);
    }
    /// The blocks that BERT's tokenization.py calls Chinese characters, with HF's gap.
    static bool is_ideograph(char32_t c) {
        return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
               (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
               (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
               (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
    }

    BertNormalizerOptions options_;
};

}  // namespace

NormalizerStepPtr make_form_step(text::Form form) {
    return std::make_shared<FormStep>(form);
}
NormalizerStepPtr make_lowercase_step() {
    return std::make_shared<LowercaseStep>();
}
NormalizerStepPtr make_strip_accents_step() {
    return std::make_shared<FilterStep>(hf::is_combining_mark);
}
NormalizerStepPtr make_strip_step(bool left, bool right) {
    return std::make_shared<StripStep>(left, right);
}
NormalizerStepPtr make_prepend_step(std::string prefix) {
    return std::make_shared<PrependStep>(std::move(prefix));
}
NormalizerStepPtr make_byte_level_step() {
    return std::make_shared<ByteLevelStep>();
}
NormalizerStepPtr make_nmt_step() {
    return std::make_shared<NmtStep>();
}
NormalizerStepPtr make_bert_step(const BertNormalizerOptions& options) {
    return std::make_shared<BertStep>(options);
}

}  // namespace longhaul::token

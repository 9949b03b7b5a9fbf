// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/decoder.h"

#include "lib/text/unicode.h"
#include "lib/token/byte_level.h"

namespace longhaul::token {

namespace {

constexpr const char* kReplacementCharacter = "\uFFFD";

std::string joined(const std::vector<std::string>& tokens, const char* separator = "") {
    std::string out;
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (i > 0) out += separator;
        out += tokens[i];
    }
    return out;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    size_t at = text.find(from);
    if (at == std::string::npos || from.empty()) return;
    std::string out;
    size_t done = 0;
    for (; at != std::string::npos; at = text.find(from, done)) {
        out.append(text, done, at - done);
        out += to;
        done = at + from.size();
    }
    out.append(text, done);
    text = std::move(out);
}

/// WordPiece's cleanup(), one replacement after the other.
void clean_up(std::string& text) {
    static constexpr const char* kPairs[][2] = {
        {" .", "."},   {" ?", "?"},     {" !", "!"},     {" ,", ","},
        {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},   {" do not", " don't"},
        {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
    };
    for (const auto& pair : kPairs) replace_all(text, pair[0], pair[1]);
}

class ByteLevelDecoder final : public DecoderStep {
 public:
    void apply(std::vector<std::string>& tokens) const override {
        apply_to_bytes(tokens);
        uint64_t replaced = 0;
        tokens.assign(1, text::replace_invalid_utf8(tokens.front(), replaced));
    }
    void apply_to_bytes(std::vector<std::string>& tokens) const override {
        std::string bytes;
        for (const std::string& token : tokens) {
            const auto decoded = text_to_bytes(token);
            bytes += decoded ? *decoded : token;
        }
        tokens.assign(1, bytes);
    }
};

class MetaspaceDecoder final : public DecoderStep {
 public:
    MetaspaceDecoder(std::string replacement, bool drops_first)
        : replacement_(std::move(replacement)), drops_first_(drops_first) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (size_t i = 0; i < tokens.size(); ++i) {
            replace_all(tokens[i], replacement_, i == 0 && drops_first_ ? "" : " ");
        }
    }

 private:
    std::string replacement_;
    bool drops_first_;
};

class ByteFallbackDecoder final : public DecoderStep {
 public:
    void apply(std::vector<std::string>& tokens) const override { join(tokens, false); }
    void apply_to_bytes(std::vector<std::string>& tokens) const override { join(tokens, true); }

 private:
    static void join(std::vector<std::string>& tokens, bool keeps_bytes) {
        std::vector<std::string> out;
        std::string bytes;
        const auto flush = [&] {
            if (bytes.empty()) return;
            if (keeps_bytes || text::is_valid_utf8(bytes)) {
                out.push_back(bytes);
            } else {
                out.insert(out.end(), bytes.size(), kReplacementCharacter);
            }
            bytes.clear();
        };
        for (std::string& token : tokens) {
            const int byte = byte_of_fallback_token(token);
            if (byte >= 0) {
                bytes.push_back(static_cast<char>(byte));
                continue;
            }
            flush();
            out.push_back(std::move(token));
        }
        flush();
        tokens = std::move(out);
    }
};

class FuseDecoder final : public DecoderStep {
 public:
    void apply(std::vector<std::string>& tokens) const override {
        const std::string all = joined(tokens);
        tokens.assign(1, all);
    }
};

class StripDecoder final : public DecoderStep {
 public:
    StripDecoder(std::string content, size_t start, size_t stop)
        : content_(std::move(content)), start_(start), stop_(stop) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (std::string& token : tokens) {
            std::string_view rest = token;
            for (size_t i = 0; i < start_ && rest.starts_with(content_); ++i) {
                rest.remove_prefix(content_.size());
            }
            for (size_t i = 0; i < stop_ && rest.ends_with(content_); ++i) {
                rest.remove_suffix(content_.size());
            }
            if (rest.size() != token.size()) token = std::string(rest);
        }
    }

 private:
    std::string content_;
    size_t start_, stop_;
};

class ReplaceDecoder final : public DecoderStep {
 public:
    ReplaceDecoder(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (std::string& token : tokens) replace_all(token, from_, to_);
    }

 private:
    std::string from_, to_;
};

class ReplaceRegexDecoder final : public DecoderStep {
 public:
    ReplaceRegexDecoder(std::string_view pattern, std::string to)
        : regex_(pattern), to_(std::move(to)) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (std::string& token : tokens) {
            if (!text::is_valid_utf8(token) || token.empty()) continue;  // raw bytes are no text
            std::string out;
            size_t done = 0;
            regex_.for_each_match(token, [&](const Regex::Match& match) {
                out.append(token, done, match.begin - done);
                out += to_;
                done = match.end;
            });
            out.append(token, done);
            token = std::move(out);
        }
    }

 private:
    Regex regex_;
    std::string to_;
};

class BpeDecoder final : public DecoderStep {
 public:
    explicit BpeDecoder(std::string suffix) : suffix_(std::move(suffix)) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (size_t i = 0; i < tokens.size(); ++i) {
            replace_all(tokens[i], suffix_, i + 1 == tokens.size() ? "" : " ");
        }
    }

 private:
    std::string suffix_;
};

class WordPieceDecoder final : public DecoderStep {
 public:
    WordPieceDecoder(std::string prefix, bool cleans_up)
        : prefix_(std::move(prefix)), cleans_up_(cleans_up) {}
    void apply(std::vector<std::string>& tokens) const override {
        for (size_t i = 0; i < tokens.size(); ++i) {
            if (i > 0 && tokens[i].starts_with(prefix_)) {
                tokens[i].erase(0, prefix_.size());
            } else if (i > 0) {
                std::string word(1, ' ');
                word += tokens[i];
                tokens[i] = std::move(word);
            }
            if (cleans_up_) clean_up(tokens[i]);
        }
    }

 private:
    std::string prefix_;
    bool cleans_up_;
};

class CtcDecoder final : public DecoderStep {
 public:
    CtcDecoder(std::string pad, std::string delimiter, bool cleans_up)
        : pad_(std::move(pad)), delimiter_(std::move(delimiter)), cleans_up_(cleans_up) {}
    void apply(std::vector<std::string>& tokens) const override {
        std::vector<std::string> out;
        for (size_t i = 0; i < tokens.size(); ++i) {
            if (i > 0 && tokens[i] == tokens[i - 1]) continue;
            std::string token = tokens[i];
            replace_all(token, pad_, "");
            if (cleans_up_) {
                clean_up(token);
                replace_all(token, delimiter_, " ");
            }
            if (!token.empty()) out.push_back(std::move(token));
        }
        tokens = std::move(out);
    }

 private:
    std::string pad_, delimiter_;
    bool cleans_up_;
};

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

int byte_of_fallback_token(std::string_view token) {
    if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return -1;
    const int high = token[3] == '+' ? 0 : hex_digit(token[3]);  // Rust's parser takes a sign
    const int low = hex_digit(token[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

DecoderStepPtr make_byte_level_decoder() {
    return std::make_shared<ByteLevelDecoder>();
}
DecoderStepPtr make_metaspace_decoder(std::string replacement, bool drops_first) {
    return std::make_shared<MetaspaceDecoder>(std::move(replacement), drops_first);
}
DecoderStepPtr make_byte_fallback_decoder() {
    return std::make_shared<ByteFallbackDecoder>();
}
DecoderStepPtr make_fuse_decoder() {
    return std::make_shared<FuseDecoder>();
}
DecoderStepPtr make_strip_decoder(std::string content, size_t start, size_t stop) {
    return std::make_shared<StripDecoder>(std::move(content), start, stop);
}
DecoderStepPtr make_replace_decoder(std::string from, std::string to) {
    return std::make_shared<ReplaceDecoder>(std::move(from), std::move(to));
}
DecoderStepPtr make_replace_regex_decoder(std::string_view pattern, std::string to) {
    return std::make_shared<ReplaceRegexDecoder>(pattern, std::move(to));
}
DecoderStepPtr make_bpe_decoder(std::string suffix) {
    return std::make_shared<BpeDecoder>(std::move(suffix));
}
DecoderStepPtr make_wordpiece_decoder(std::string prefix, bool cleans_up) {
    return std::make_shared<WordPieceDecoder>(std::move(prefix), cleans_up);
}
DecoderStepPtr make_ctc_decoder(std::string pad, std::string delimiter, bool cleans_up) {
    return std::make_shared<CtcDecoder>(std::move(pad), std::move(delimiter), cleans_up);
}

Decoder Decoder::of_bytes() {
    Decoder decoder;
    decoder.joins_bytes_ = true;
    decoder.join_directly();
    return decoder;
}

void Decoder::add(DecoderStepPtr step, bool is_byte_level) {
    is_byte_level_ = is_byte_level;
    steps_.push_back(std::move(step));
}

std::string Decoder::decode(std::vector<std::string> tokens) const {
    for (const auto& step : steps_) step->apply(tokens);
    return joined(tokens, separator_);
}

std::string Decoder::decode_bytes(std::vector<std::string> tokens) const {
    for (const auto& step : steps_) step->apply_to_bytes(tokens);
    return joined(tokens, separator_);
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/tokenizer.h"

#include <algorithm>
#include <array>

#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/text/unicode.h"

namespace longhaul::token {

namespace {

constexpr std::array<const char*, 6> kEosNames = {
    "<|endoftext|>", "<|end_of_text|>", "</s>",
    "<eos>",         "<|eos|>",         "<\uFF5Cend\u2581of\u2581sentence\uFF5C>"};

std::string describe_source(const TokenizerParts& parts) {
    io::Json source{{"schema", 1},
                    {"kind", parts.kind},
                    {"pattern", parts.pattern},
                    {"unicode", text::kUnicodeVersion},
                    {"specials", parts.specials},
                    {"files", io::Json::array()}};
    for (const SourceFile& file : parts.files) {
        source["files"].push_back(
            {{"name", file.name}, {"xxh3_128", xxh3_128(file.content).hex()}});
    }
    return io::to_pretty(source);
}

}  // namespace

Tokenizer::Tokenizer(TokenizerParts parts) : parts_(std::move(parts)) {
    vocab_size_ = parts_.model->vocabulary().size();
    for (const AddedToken& token : parts_.added) vocab_size_ = std::max(vocab_size_, token.id + 1);
    added_of_id_.assign(vocab_size_, -1);
    for (size_t i = 0; i < parts_.added.size(); ++i) {
        const AddedToken& token = parts_.added[i];
        added_of_id_[token.id] = static_cast<int32_t>(i);
        if (!token.is_normalized) {
            raw_added_.add(token, token.content);
        } else {
            normalized_added_.add(token, parts_.normalizer.apply(token.content));
        }
    }
    source_text_ = describe_source(parts_);
    hash_ = xxh3_128(source_text_);
}

std::string_view Tokenizer::token_bytes(uint32_t id) const {
    if (id >= vocab_size_) return {};
    const int32_t added = added_of_id_[id];
    if (added >= 0) return parts_.added[static_cast<size_t>(added)].content;
    return parts_.model->vocabulary().bytes(id);
}

bool Tokenizer::is_token(uint32_t id) const {
    return id < vocab_size_ && (added_of_id_[id] >= 0 || parts_.model->vocabulary().contains(id));
}

bool Tokenizer::is_special(uint32_t id) const {
    if (id >= vocab_size_ || added_of_id_[id] < 0) return false;
    return parts_.added[static_cast<size_t>(added_of_id_[id])].is_special;
}

std::optional<uint32_t> Tokenizer::find_token(std::string_view content) const {
    for (const AddedToken& token : parts_.added) {
        if (token.content == content) return token.id;
    }
    const uint32_t id = parts_.model->vocabulary().find(content);
    return id == kNoToken ? std::nullopt : std::optional(id);
}

std::optional<uint32_t> Tokenizer::default_eos() const {
    if (!parts_.suffix.empty()) return parts_.suffix.back();
    std::optional<uint32_t> found;
    for (const char* name : kEosNames) {
        const auto id = find_token(name);
        if (!id || !is_special(*id)) continue;
        if (found) return std::nullopt;  // two candidates: the user must say which
        found = id;
    }
    return found;
}

std::optional<uint32_t> Tokenizer::default_bos() const {
    return parts_.prefix.empty() ? std::nullopt : std::optional(parts_.prefix.front());
}

std::string Tokenizer::decode(std::span<const uint32_t> ids, bool skip_special) const {
    std::string out;
    for (const uint32_t id : ids) {
        if (!skip_special || !is_special(id)) out += token_bytes(id);
    }
    return out;
}

bool Tokenizer::is_lossless() const {
    const bool swallows = std::any_of(
        parts_.added.begin(), parts_.added.end(),
        [](const AddedToken& token) { return token.strips_left || token.strips_right; });
    return parts_.normalizer.is_identity() && !swallows && parts_.pre_tokenizer.keeps_text() &&
           parts_.model->unknown_id() == kNoToken;
}

void Tokenizer::save(const std::string& folder) const {
    io::create_directories(folder);
    for (const SourceFile& file : parts_.files) {
        io::write_file_atomically(folder + "/" + file.name, file.content);
    }
    io::write_file_atomically(folder + "/source.json", source_text_);
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/tokenizer.h"

#include <algorithm>
#include <array>

#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/text/unicode.h"
#include "lib/token/byte_level.h"
#include "lib/token/hf_unicode.h"

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
    if (!parts.normalizer.is_identity() || parts.pre_tokenizer.uses_classes()) {
        source["unicode_of_steps"] = hf::kUnicodeVersions;
    }
    for (const SourceFile& file : parts.files) {
        source["files"].push_back(
            {{"name", file.name}, {"xxh3_128", xxh3_128(file.content).hex()}});
    }
    return io::to_pretty(source);
}

}  // namespace

Tokenizer::Tokenizer(TokenizerParts parts) : parts_(std::move(parts)) {
    vocab_size_ = parts_.model->vocabulary().size();
    decodes_by_bytes_ = parts_.model->takes_bytes() &&
                        (parts_.decoder.joins_bytes() || parts_.decoder.is_byte_level());
    for (const AddedToken& token : parts_.added) vocab_size_ = std::max(vocab_size_, token.id + 1);
    added_of_id_.assign(vocab_size_, -1);
    for (size_t i = 0; i < parts_.added.size(); ++i) {
        const AddedToken& token = parts_.added[i];
        added_of_id_[token.id] = static_cast<int32_t>(i);
        added_texts_.push_back(make_added_text(token));
        if (!token.is_normalized) {
            raw_added_.add(token, token.content);
        } else {
            normalized_added_.add(token, added_texts_.back().text);
        }
    }
    for (AddedText& added : added_texts_) {
        added.is_skipped = std::any_of(parts_.added.begin(), parts_.added.end(), [&](auto& token) {
            return token.is_special && token.content == added.text;
        });
    }
    source_text_ = describe_source(parts_);
    hash_ = xxh3_128(source_text_);
}

Tokenizer::AddedText Tokenizer::make_added_text(const AddedToken& token) const {
    AddedText added;
    added.text = token.is_normalized ? parts_.normalizer.apply(token.content) : token.content;
    const auto bytes = parts_.decoder.is_byte_level() ? text_to_bytes(added.text) : std::nullopt;
    added.bytes = bytes ? *bytes : added.text;
    return added;
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

std::vector<uint32_t> Tokenizer::default_eos() const {
    if (!parts_.suffix.empty()) return parts_.suffix;
    std::vector<uint32_t> found;
    for (const char* name : kEosNames) {
        const auto id = find_token(name);
        if (!id || !is_special(*id)) continue;
        if (!found.empty()) return {};  // two candidates: the user must say which
        found = {*id};
    }
    return found;
}

std::string Tokenizer::token_text(uint32_t id) const {
    if (id >= vocab_size_) return {};
    const int32_t added = added_of_id_[id];
    if (added >= 0) return added_texts_[static_cast<size_t>(added)].text;
    const Vocabulary& vocabulary = parts_.model->vocabulary();
    const std::string_view bytes = vocabulary.bytes(id);
    // Tokens outside the byte alphabet are kept as they stand in the file.
    const bool is_translated = parts_.model->takes_bytes() && vocabulary.find(bytes) == id;
    return is_translated ? bytes_to_text(bytes) : std::string(bytes);
}

std::string_view Tokenizer::decoded_piece(uint32_t id) const {
    if (id >= vocab_size_) return {};
    const int32_t added = added_of_id_[id];
    if (added >= 0) return added_texts_[static_cast<size_t>(added)].bytes;
    return parts_.model->vocabulary().bytes(id);
}

bool Tokenizer::is_skipped(uint32_t id) const {
    if (id >= vocab_size_) return false;
    const int32_t added = added_of_id_[id];
    return added >= 0 && added_texts_[static_cast<size_t>(added)].is_skipped;
}

size_t Tokenizer::decoded_bytes(uint32_t id) const {
    if (decodes_by_bytes_) return decoded_piece(id).size();
    if (byte_of_fallback_token(token_bytes(id)) >= 0) return 1;
    const uint32_t twice[] = {id, id};
    const size_t two = decode(twice, false).size();
    const size_t one = decode(std::span(twice).first(1), false).size();
    return two > one ? two - one : 0;
}

std::string Tokenizer::join_pieces(std::span<const uint32_t> ids, bool skip_special) const {
    std::string bytes;
    for (const uint32_t id : ids) {
        if (!skip_special || !is_skipped(id)) bytes += decoded_piece(id);
    }
    return bytes;
}

std::vector<std::string> Tokenizer::token_texts(std::span<const uint32_t> ids,
                                                bool skip_special) const {
    std::vector<std::string> tokens;
    for (const uint32_t id : ids) {
        if (is_token(id) && (!skip_special || !is_skipped(id))) tokens.push_back(token_text(id));
    }
    return tokens;
}

std::string Tokenizer::decode(std::span<const uint32_t> ids, bool skip_special) const {
    if (!decodes_by_bytes_) return parts_.decoder.decode(token_texts(ids, skip_special));
    std::string bytes = join_pieces(ids, skip_special);
    uint64_t replaced = 0;
    return text::is_valid_utf8(bytes) ? bytes : text::replace_invalid_utf8(bytes, replaced);
}

std::string Tokenizer::decode_bytes(std::span<const uint32_t> ids, bool skip_special) const {
    if (decodes_by_bytes_) return join_pieces(ids, skip_special);
    return parts_.decoder.decode_bytes(token_texts(ids, skip_special));
}

bool Tokenizer::is_lossless() const {
    const auto changes_text = [this](size_t i) {
        const AddedToken& token = parts_.added[i];
        return token.strips_left || token.strips_right || added_texts_[i].bytes != token.content;
    };
    for (size_t i = 0; i < parts_.added.size(); ++i) {
        if (changes_text(i)) return false;
    }
    return decodes_by_bytes_ && parts_.normalizer.is_identity() &&
           parts_.pre_tokenizer.keeps_text() && !parts_.model->loses_text();
}

void Tokenizer::save(const std::string& folder) const {
    io::create_directories(folder);
    for (const SourceFile& file : parts_.files) {
        io::write_file_atomically(folder + "/" + file.name, file.content);
    }
    io::write_file_atomically(folder + "/source.json", source_text_);
}

}  // namespace longhaul::token

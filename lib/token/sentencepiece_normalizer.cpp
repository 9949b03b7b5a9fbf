// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/sentencepiece_normalizer.h"

#include "lib/base/error.h"
#include "lib/token/char_table.h"
#include "lib/token/sentencepiece_model.h"

namespace longhaul::token {

namespace {

constexpr std::string_view kMark = "\xE2\x96\x81";  // U+2581

}  // namespace

SentencePieceNormalizer::SentencePieceNormalizer(const SentencePieceModel& model,
                                                 const std::string& name)
    : adds_prefix_(model.add_dummy_prefix && !model.space_is_suffix),
      adds_suffix_(model.add_dummy_prefix && model.space_is_suffix),
      remove_extra_spaces_(model.remove_extra_spaces),
      space_(model.escape_spaces ? kMark : " ") {
    if (!model.charsmap.empty()) {
        charsmap_ = Charsmap::parse(model.charsmap, format("{}: precompiled_charsmap at byte {}",
                                                           name, model.charsmap_offset));
    }
    for (const SentencePieceModel::Piece& piece : model.pieces) {
        if (piece.type != SentencePieceModel::PieceType::kUserDefined) continue;
        user_defined_.push_back(piece.text);
        begins_user_defined_[static_cast<uint8_t>(piece.text[0])] = true;
    }
    std::vector<PrefixTrie::Key> keys;
    for (const std::string& text : user_defined_) keys.emplace_back(text, 0);
    user_defined_trie_ = PrefixTrie(std::move(keys));
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool is_kept = !charsmap_ || charsmap_->keeps_ascii(static_cast<char>(byte));
        is_plain_[byte] = is_kept && byte != ' ' && !begins_user_defined_[byte];
    }
}

bool SentencePieceNormalizer::cuts_before(char blank) const {
    const bool has_words = adds_prefix_ && !adds_suffix_ && remove_extra_spaces_ && space_ == kMark;
    if (!has_words || !charsmap_ || charsmap_->writes(kMark)) return false;
    if (charsmap_->longest(kMark).replacement != " ") return false;  // else a word could end so
    for (const std::string& text : user_defined_) {
        if (text.find(blank) != text.npos || text.find(kMark) != text.npos) return false;
    }
    const Charsmap::Match match = charsmap_->longest({&blank, 1});
    const bool is_space = match.length == 0 ? blank == ' ' : match.replacement == " ";
    return is_space && charsmap_->stands_alone(blank);
}

/// Bytes at the beginning of `text` that surely stay as they are.
size_t SentencePieceNormalizer::plain_length(std::string_view text) const {
    size_t length = 0;
    while (length < text.size() && is_plain_[static_cast<uint8_t>(text[length])]) ++length;
    const bool is_before_other = length < text.size() && static_cast<uint8_t>(text[length]) >= 0x80;
    // A rule may begin with the last character and go on with one that is not ASCII.
    return charsmap_ && is_before_other && length > 0 ? length - 1 : length;
}

SentencePieceNormalizer::Step SentencePieceNormalizer::step(std::string_view text) const {
    if (begins_user_defined_[static_cast<uint8_t>(text[0])]) {
        size_t longest = 0;
        user_defined_trie_.for_each_prefix(text,
                                           [&](size_t length, uint32_t) { longest = length; });
        if (longest != 0) return {longest, text.substr(0, longest)};
    }
    if (charsmap_) {
        const Charsmap::Match match = charsmap_->longest(text);
        if (match.length != 0) return {match.length, match.replacement};
    }
    const size_t length = next_char(text, 0).end;
    return {length, text.substr(0, length)};
}

void SentencePieceNormalizer::append(std::string_view piece, std::string& out) const {
    for (const char c : piece) {
        if (c == ' ') {
            out += space_;
        } else {
            out += c;
        }
    }
}

std::string SentencePieceNormalizer::apply(std::string_view text) const {
    std::string out;
    while (remove_extra_spaces_ && !text.empty()) {
        const Step first = step(text);
        if (first.replacement != " ") break;
        text.remove_prefix(first.length);
    }
    if (text.empty()) return out;
    out.reserve(text.size() + text.size() / 2 + 8);
    if (adds_prefix_) out += space_;
    bool is_after_space = remove_extra_spaces_;
    while (!text.empty()) {
        const size_t plain = plain_length(text);
        if (plain != 0) {
            out += text.substr(0, plain);
            text.remove_prefix(plain);
            is_after_space = false;
            continue;
        }
        const Step next = step(text);
        std::string_view piece = next.replacement;
        while (is_after_space && piece.starts_with(' ')) piece.remove_prefix(1);
        append(piece, out);
        if (!piece.empty()) is_after_space = piece.ends_with(' ') && remove_extra_spaces_;
        text.remove_prefix(next.length);
    }
    while (remove_extra_spaces_ && out.ends_with(space_)) out.resize(out.size() - space_.size());
    if (adds_suffix_) out += space_;
    return out;
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/char_bpe.h"

#include <algorithm>

#include "lib/text/unicode.h"
#include "lib/token/byte_piece.h"
#include "lib/token/symbol_merger.h"

namespace longhaul::token {

/// Collects the symbols of a piece. An unknown character is held back until a known one follows or
/// the piece ends, but not by tokens of bytes: so HF tokenizers does it.
class CharBpe::Symbols {
 public:
    Symbols(const Options& options, std::vector<uint32_t>& out) : options_(options), out_(out) {}
    void add_known(uint32_t id) {
        flush();
        out_.push_back(id);
    }
    void add_byte(uint32_t id) { out_.push_back(id); }
    void add_unknown() {
        if (options_.unknown_id == kNoToken) return;
        if (!options_.fuse_unknown) flush();
        is_held_ = true;
    }
    void flush() {
        if (is_held_) out_.push_back(options_.unknown_id);
        is_held_ = false;
    }

 private:
    const Options& options_;
    std::vector<uint32_t>& out_;
    bool is_held_ = false;
};

CharBpe::CharBpe(Vocabulary vocabulary, MergeTable merges, const Options& options)
    : vocabulary_(std::move(vocabulary)), merges_(std::move(merges)), options_(options) {
    prepare_bytes();
    prepare_characters();
    prepare_cuts();
}

void CharBpe::prepare_bytes() {
    byte_tokens_.fill(kNoToken);
    for (unsigned byte = 0; byte < 256 && options_.byte_fallback; ++byte) {
        byte_tokens_[byte] = vocabulary_.find(byte_piece(static_cast<uint8_t>(byte)));
    }
}

void CharBpe::prepare_characters() {
    for (uint32_t id = 0; id < vocabulary_.size(); ++id) {
        const std::string_view text = vocabulary_.bytes(id);
        if (text.empty() || vocabulary_.find(text) != id) continue;
        const NextChar first = next_char(text, 0);
        if (first.end == text.size()) characters_.set(first.character, id);
    }
}

void CharBpe::prepare_cuts() {
    bool has_all_bytes = true, merges_are_texts = true;
    for (const uint32_t id : byte_tokens_) has_all_bytes = has_all_bytes && id != kNoToken;
    const auto is_no_text = [&](uint32_t id) {  // a symbol that stands for other text than its own
        return id == options_.unknown_id ||
               std::find(byte_tokens_.begin(), byte_tokens_.end(), id) != byte_tokens_.end();
    };
    merges_.for_each([&](uint32_t left, uint32_t right, const Merge& merge) {
        merges_are_texts = merges_are_texts && !is_no_text(left) && !is_no_text(right);
        cuts_.add_token(vocabulary_.bytes(merge.id));
    });
    loses_text_ = !has_all_bytes;
    // Characters on both sides of a dropped one become neighbours.
    const bool drops_characters = !has_all_bytes && options_.unknown_id == kNoToken;
    can_cut_ = merges_are_texts && !has_affixes() && !drops_characters;
    if (has_all_bytes) cuts_.allow_before_all();
    for (uint32_t id = 0; id < vocabulary_.size(); ++id) {
        const std::string_view text = vocabulary_.bytes(id);
        if (text.empty()) continue;
        const NextChar first = next_char(text, 0);
        if (characters_.get(first.character) == id) cuts_.allow_before(first.character);
    }
    cuts_.finish();
}

/// @param text storage for a character with affixes; afterwards the character as it is looked up.
uint32_t CharBpe::find_symbol(std::string_view character, bool is_first, bool is_last,
                              std::string& text) const {
    text.clear();
    if (!is_first) text += options_.inner_prefix;
    text += character;
    if (is_last) text += options_.end_suffix;
    return vocabulary_.find(text);
}

void CharBpe::initial_symbols(std::string_view piece, std::vector<uint32_t>& symbols) const {
    Symbols collected(options_, symbols);
    std::string with_affixes;
    for (size_t position = 0; position < piece.size();) {
        const NextChar next = next_char(piece, position);
        std::string_view text = piece.substr(position, next.end - position);
        uint32_t id;
        if (has_affixes()) {
            id = find_symbol(text, position == 0, next.end == piece.size(), with_affixes);
            text = with_affixes;
        } else {
            id = characters_.get(next.character);
        }
        position = next.end;
        const auto has_byte_token = [&](char byte) {
            return byte_tokens_[static_cast<uint8_t>(byte)] != kNoToken;
        };
        if (id != kNoToken) {
            collected.add_known(id);
        } else if (std::all_of(text.begin(), text.end(), has_byte_token)) {
            for (const char byte : text) {
                collected.add_byte(byte_tokens_[static_cast<uint8_t>(byte)]);
            }
        } else {
            collected.add_unknown();
        }
    }
    collected.flush();
}

/// What becomes of a character that does not merge, where all bytes have tokens.
void CharBpe::add_character(char32_t character, std::vector<uint32_t>& ids) const {
    const uint32_t id = characters_.get(character);
    if (id != kNoToken) {
        ids.push_back(id);
        return;
    }
    char bytes[4];
    const char* const end = text::put_utf8(character, bytes);
    for (const char* byte = bytes; byte != end; ++byte) {
        ids.push_back(byte_tokens_[static_cast<uint8_t>(*byte)]);
    }
}

void CharBpe::encode(std::string_view piece, std::vector<uint32_t>& ids) const {
    if (options_.whole_piece_first && piece.size() <= vocabulary_.longest_token_bytes()) {
        const uint32_t whole = vocabulary_.find(piece);
        if (whole != kNoToken) {
            ids.push_back(whole);
            return;
        }
    }
    for (PartCursor parts(*this, piece, can_cut_); !parts.is_done();) {
        encode_part(parts.next(), ids);
    }
}

void CharBpe::prepare() const {
    if (!can_cut_ || loses_text_) return;
    std::call_once(once_, [this] {
        built_ = std::make_unique<CharBacktracking>(
            vocabulary_, merges_, [this](char32_t c) { return characters_.get(c); });
        if (built_->is_possible()) backtracking_.store(built_.get(), std::memory_order_release);
    });
}

void CharBpe::encode_part(std::string_view part, std::vector<uint32_t>& ids) const {
    if (const CharBacktracking* fast = backtracking_.load(std::memory_order_acquire)) {
        fast->encode(part, ids, [&](char32_t c) { add_character(c, ids); });
        return;
    }
    thread_local std::vector<uint32_t> symbols;
    symbols.clear();
    initial_symbols(part, symbols);
    merge_symbols(merges_, symbols, nullptr);
    ids.insert(ids.end(), symbols.begin(), symbols.end());
}

void CharBpe::encode_whole(std::string_view piece, std::vector<uint32_t>& ids) const {
    std::vector<uint32_t> symbols;
    initial_symbols(piece, symbols);
    merge_by_heap(merges_, symbols, nullptr);
    ids.insert(ids.end(), symbols.begin(), symbols.end());
}

}  // namespace longhaul::token

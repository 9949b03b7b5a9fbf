// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/sentencepiece_bpe.h"

#include <algorithm>

#include "lib/text/unicode.h"
#include "lib/token/byte_piece.h"
#include "lib/token/sentencepiece_model.h"
#include "lib/token/symbol_merger.h"

namespace longhaul::token {

namespace {

using PieceType = SentencePieceModel::PieceType;

constexpr uint32_t kFirstCharacter = kMaxTokenId + 1;
constexpr size_t kMostKept = 1 << 20;  // symbols of a text whose memory is used again

}  // namespace

SentencePieceBpe::SentencePieceBpe(const SentencePieceModel& model)
    : unknown_id_(model.unknown_id), byte_fallback_(model.byte_fallback) {
    add_pieces(model);
    add_merges(model);
}

void SentencePieceBpe::add_pieces(const SentencePieceModel& model) {
    std::vector<PrefixTrie::Key> user_defined;
    is_mergeable_.resize(model.pieces.size());
    is_unused_.resize(model.pieces.size());
    if (byte_fallback_) cuts_.allow_before_all();
    for (uint32_t id = 0; id < model.pieces.size(); ++id) {
        const auto& [text, score, type] = model.pieces[id];
        vocabulary_.add(id, text, true);
        is_mergeable_[id] = type == PieceType::kNormal || type == PieceType::kUnused;
        is_unused_[id] = type == PieceType::kUnused;
        has_unused_ = has_unused_ || is_unused_[id];
        if (type == PieceType::kByte) byte_tokens_[*piece_byte(text)] = id;
        if (model.pieces[id].is_matchable()) cuts_.add_token(text);
        if (type == PieceType::kUserDefined) {
            user_defined.emplace_back(model.pieces[id].text, id);
            has_user_defined_ = true;
            begins_user_defined_[static_cast<uint8_t>(text[0])] = true;
        }
        const NextChar first = next_char(text, 0);
        if (is_mergeable_[id] && first.end == text.size()) {
            characters_.set(first.character, id);
            cuts_.allow_before(first.character);
        }
    }
    user_defined_ = PrefixTrie(std::move(user_defined));
    cuts_.finish();
}

/// The symbol of a text that may be half of a merge, or kNoToken.
uint32_t SentencePieceBpe::find_part(std::string_view text) const {
    const uint32_t id = vocabulary_.find(text);
    if (id != kNoToken && is_mergeable_[id]) return id;
    const NextChar first = next_char(text, 0);
    return first.end == text.size() ? kFirstCharacter + first.character : kNoToken;
}

void SentencePieceBpe::add_merges_of(uint32_t id, uint32_t rank) {
    const std::string_view text = vocabulary_.bytes(id);
    for (size_t cut = next_char(text, 0).end; cut < text.size(); cut = next_char(text, cut).end) {
        const uint32_t left = find_part(text.substr(0, cut));
        if (left == kNoToken) continue;
        const uint32_t right = find_part(text.substr(cut));
        if (right != kNoToken) merges_.set(left, right, {rank, id});
    }
}

void SentencePieceBpe::add_merges(const SentencePieceModel& model) {
    std::vector<uint32_t> order;
    for (uint32_t id = 0; id < model.pieces.size(); ++id) {
        if (is_mergeable_[id]) order.push_back(id);
    }
    const auto score = [&](uint32_t id) { return model.pieces[id].score; };
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return score(a) > score(b); });
    uint32_t rank = 0;  // equal scores have equal ranks: then the leftmost pair goes first
    for (size_t i = 0; i < order.size(); ++i) {
        if (i > 0 && score(order[i]) != score(order[i - 1])) ++rank;
        add_merges_of(order[i], rank);
    }
}

/// The longest user-defined symbol that begins the text; length 0: none.
SentencePieceBpe::Defined SentencePieceBpe::find_defined(std::string_view text) const {
    Defined found;
    if (!begins_user_defined_[static_cast<uint8_t>(text[0])]) return found;
    user_defined_.for_each_prefix(text, [&](size_t length, uint32_t id) { found = {length, id}; });
    return found;
}

void SentencePieceBpe::initial_symbols(std::string_view piece,
                                       std::vector<uint32_t>& symbols) const {
    for (size_t position = 0; position < piece.size();) {
        if (const Defined defined = find_defined(piece.substr(position)); defined.length != 0) {
            symbols.push_back(defined.id);
            position += defined.length;
            continue;
        }
        const NextChar next = next_char(piece, position);
        symbols.push_back(symbol_of(next.character));
        position = next.end;
    }
}

/// As initial_symbols() and merging: user-defined symbols do not merge.
void SentencePieceBpe::backtrack(const CharBacktracking& fast, std::string_view piece,
                                 std::vector<uint32_t>& symbols) const {
    const auto add_other = [&](char32_t c) { symbols.push_back(symbol_of(c)); };
    size_t done = 0;
    for (size_t at = 0; has_user_defined_ && at < piece.size();) {
        const Defined defined = find_defined(piece.substr(at));
        if (defined.length == 0) {
            at = next_char(piece, at).end;
            continue;
        }
        fast.encode(piece.substr(done, at - done), symbols, add_other);
        symbols.push_back(defined.id);
        done = at += defined.length;
    }
    fast.encode(piece.substr(done), symbols, add_other);
}

void SentencePieceBpe::append_ids(const std::vector<uint32_t>& symbols,
                                  std::vector<uint32_t>& ids) const {
    bool is_after_unknown = false;
    for (const uint32_t symbol : symbols) {
        const bool is_character = symbol >= kFirstCharacter;
        // An unused piece that did not come from a merge is no better than an unknown character.
        const bool is_unknown = is_character || is_unused_[symbol];
        if (!is_unknown) {
            ids.push_back(symbol);
        } else if (byte_fallback_) {
            char bytes[4];
            std::string_view text = vocabulary_.bytes(symbol);
            if (is_character) {
                const char* const end = text::put_utf8(symbol - kFirstCharacter, bytes);
                text = {bytes, static_cast<size_t>(end - bytes)};
            }
            for (const char byte : text) ids.push_back(byte_tokens_[static_cast<uint8_t>(byte)]);
        } else if (!is_after_unknown) {
            ids.push_back(unknown_id_);
        }
        is_after_unknown = is_unknown;
    }
}

void SentencePieceBpe::encode(std::string_view piece, std::vector<uint32_t>& ids) const {
    if (has_unused_) {
        encode_whole(piece, ids);
        return;
    }
    for (PartCursor parts(*this, piece, true); !parts.is_done();) encode_part(parts.next(), ids);
}

uint32_t SentencePieceBpe::symbol_of(char32_t character) const {
    const uint32_t id = characters_.get(character);
    return id != kNoToken ? id : kFirstCharacter + character;
}

void SentencePieceBpe::prepare() const {
    if (has_unused_) return;
    std::call_once(once_, [this] {
        built_ = std::make_unique<CharBacktracking>(vocabulary_, merges_,
                                                    [this](char32_t c) { return symbol_of(c); });
        if (built_->is_possible()) backtracking_.store(built_.get(), std::memory_order_release);
    });
}

void SentencePieceBpe::encode_part(std::string_view part, std::vector<uint32_t>& ids) const {
    thread_local std::vector<uint32_t> symbols;
    symbols.clear();
    if (const CharBacktracking* fast = backtracking_.load(std::memory_order_acquire)) {
        backtrack(*fast, part, symbols);
    } else {
        initial_symbols(part, symbols);
        merge_symbols(merges_, symbols, nullptr);
    }
    append_ids(symbols, ids);
    if (symbols.capacity() > kMostKept) symbols = {};
}

void SentencePieceBpe::encode_whole(std::string_view piece, std::vector<uint32_t>& ids) const {
    std::vector<uint32_t> symbols, taken_apart;
    initial_symbols(piece, symbols);
    SplitLog log(is_unused_);
    merge_by_heap(merges_, symbols, has_unused_ ? &log : nullptr);
    for (const uint32_t symbol : symbols) log.expand(symbol, taken_apart);
    append_ids(taken_apart, ids);
}

}  // namespace longhaul::token

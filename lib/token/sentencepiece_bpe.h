// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The BPE of SentencePiece: two neighbours merge when their text together is a piece, the piece of
// the highest score first, the leftmost of equals. Source: google/sentencepiece, src/bpe_model.cc,
// and PopulateSentencePieceText in src/sentencepiece_processor.cc for what unknown text becomes.

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "lib/token/char_backtracking.h"
#include "lib/token/char_table.h"
#include "lib/token/cut_table.h"
#include "lib/token/model.h"
#include "lib/token/prefix_trie.h"

namespace longhaul::token {

struct SentencePieceModel;

/// Immutable after construction; encode() may be called in parallel.
class SentencePieceBpe : public Model {
 public:
    explicit SentencePieceBpe(const SentencePieceModel& model);

    const Vocabulary& vocabulary() const override { return vocabulary_; }
    uint32_t unknown_id() const override { return unknown_id_; }
    bool loses_text() const override { return !byte_fallback_; }
    void encode(std::string_view piece, std::vector<uint32_t>& ids) const override;
    void prepare() const override;
    /// True when prepare() found that time is linear in any text.
    bool is_linear() const { return backtracking_.load() != nullptr; }
    bool cuts_pieces() const override { return !has_unused_; }
    size_t cut(std::string_view piece, uint32_t* ends, size_t most) const override {
        return cuts_.cut(piece, ends, most);
    }
    ByteCuts byte_cuts() const override { return cuts_pieces() ? cuts_.byte_cuts() : ByteCuts{}; }
    void encode_part(std::string_view part, std::vector<uint32_t>& ids) const override;
    /// The same without cutting, by the heap: for tests.
    void encode_whole(std::string_view piece, std::vector<uint32_t>& ids) const;

 private:
    void add_pieces(const SentencePieceModel& model);
    void add_merges(const SentencePieceModel& model);
    void add_merges_of(uint32_t id, uint32_t rank);
    uint32_t find_part(std::string_view text) const;
    uint32_t symbol_of(char32_t character) const;
    struct Defined {
        size_t length = 0;
        uint32_t id = kNoToken;
    };
    Defined find_defined(std::string_view text) const;
    void backtrack(const CharBacktracking& fast, std::string_view piece,
                   std::vector<uint32_t>& symbols) const;
    void initial_symbols(std::string_view piece, std::vector<uint32_t>& symbols) const;
    void append_ids(const std::vector<uint32_t>& symbols, std::vector<uint32_t>& ids) const;

    Vocabulary vocabulary_;
    // Symbols are ids, or kFirstCharacter + c for a character c that is no piece.
    MergeTable merges_;
    CharTable characters_;  // ids of pieces of one character
    PrefixTrie user_defined_;
    std::array<bool, 256> begins_user_defined_{};
    std::array<uint32_t, 256> byte_tokens_{};
    std::vector<bool> is_mergeable_;  // by id: of type NORMAL or UNUSED
    std::vector<bool> is_unused_;
    CutTable cuts_;
    uint32_t unknown_id_;
    bool byte_fallback_, has_unused_ = false, has_user_defined_ = false;
    // Built by prepare(); null where it is not possible.
    mutable std::once_flag once_;
    mutable std::unique_ptr<const CharBacktracking> built_;
    mutable std::atomic<const CharBacktracking*> backtracking_ = nullptr;
};

}  // namespace longhaul::token

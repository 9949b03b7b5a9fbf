// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// BPE over characters as the "BPE" model of HF tokenizers does it (models/bpe/model.rs): characters
// without a token become the tokens of their bytes, the unknown token, or nothing; characters
// inside or at the end of a piece may be written with an affix. Byte-level vocabularies without
// affixes are served by Bpe (lib/token/bpe.h), which is faster; here their characters are those of
// the byte alphabet.

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/char_backtracking.h"
#include "lib/token/char_table.h"
#include "lib/token/cut_table.h"
#include "lib/token/model.h"

namespace longhaul::token {

/// Immutable after construction; encode() may be called in parallel.
class CharBpe : public Model {
 public:
    struct Options {
        bool byte_fallback = false;      // to the tokens <0x00> to <0xFF>, where all bytes have one
        bool fuse_unknown = false;       // adjacent unknown characters give one id
        bool whole_piece_first = false;  // a piece that is a token is that token (ignore_merges)
        uint32_t unknown_id = kNoToken;  // kNoToken: unknown characters are dropped
        std::string inner_prefix;        // before every character but the first
        std::string end_suffix;          // after the last character
    };
    CharBpe(Vocabulary vocabulary, MergeTable merges, const Options& options);

    const Vocabulary& vocabulary() const override { return vocabulary_; }
    uint32_t unknown_id() const override { return options_.unknown_id; }
    bool loses_text() const override { return loses_text_; }
    void encode(std::string_view piece, std::vector<uint32_t>& ids) const override;
    void prepare() const override;
    bool cuts_pieces() const override { return can_cut_ && !options_.whole_piece_first; }
    size_t cut(std::string_view piece, uint32_t* ends, size_t most) const override {
        return cuts_.cut(piece, ends, most);
    }
    ByteCuts byte_cuts() const override { return cuts_pieces() ? cuts_.byte_cuts() : ByteCuts{}; }
    void encode_part(std::string_view part, std::vector<uint32_t>& ids) const override;
    /// The same without cutting, by the heap: for tests.
    void encode_whole(std::string_view piece, std::vector<uint32_t>& ids) const;

 private:
    class Symbols;
    void prepare_bytes();
    void prepare_characters();
    void prepare_cuts();
    uint32_t find_symbol(std::string_view character, bool is_first, bool is_last,
                         std::string& text) const;
    void initial_symbols(std::string_view piece, std::vector<uint32_t>& symbols) const;
    void add_character(char32_t character, std::vector<uint32_t>& ids) const;
    bool has_affixes() const {
        return !options_.inner_prefix.empty() || !options_.end_suffix.empty();
    }

    Vocabulary vocabulary_;
    MergeTable merges_;
    Options options_;
    std::array<uint32_t, 256> byte_tokens_{};  // <0xHH>, or kNoToken
    CharTable characters_;                     // tokens of single characters, without affixes
    CutTable cuts_;
    bool can_cut_ = false, loses_text_ = true;
    // Built by prepare(); null where it is not possible.
    mutable std::once_flag once_;
    mutable std::unique_ptr<const CharBacktracking> built_;
    mutable std::atomic<const CharBacktracking*> backtracking_ = nullptr;
};

}  // namespace longhaul::token

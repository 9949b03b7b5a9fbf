// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Byte-pair encoding of one piece of text: always merge the adjacent pair of lowest rank, leftmost
// first. Three ways to the same ids, chosen by length: a scan for short pieces, backtracking in
// linear time for long ones, and a heap where a vocabulary does not allow backtracking.

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "lib/token/model.h"

namespace longhaul::token {

class Backtracking;

/// A BPE model. Immutable after construction; encode() may be called in parallel.
class Bpe : public Model {
 public:
    struct Options {
        bool whole_piece_first = false;  // a piece that is a token is that token (HF ignore_merges)
        uint32_t unknown_id = kNoToken;  // for bytes without a token; kNoToken: they are dropped
        bool fuse_unknown = false;       // adjacent unknown bytes of characters give one id
    };
    Bpe(Vocabulary vocabulary, MergeTable merges, const Options& options);
    Bpe(Bpe&&) noexcept;
    Bpe& operator=(Bpe&&) = delete;
    ~Bpe() override;

    const Vocabulary& vocabulary() const override { return vocabulary_; }
    bool takes_bytes() const override { return true; }
    uint32_t unknown_id() const override { return options_.unknown_id; }
    bool loses_text() const override { return loses_text_; }
    const MergeTable& merges() const { return merges_; }
    const Options& options() const { return options_; }
    /// Id of a byte on its own, or kNoToken.
    uint32_t byte_token(uint8_t byte) const { return byte_tokens_[byte]; }

    /// Appends the ids of one piece.
    void encode(std::string_view piece, std::vector<uint32_t>& ids) const override;

    // The three ways, for tests and for encode().
    void encode_by_scan(std::string_view piece, std::vector<uint32_t>& ids) const;
    void encode_by_heap(std::string_view piece, std::vector<uint32_t>& ids) const;
    /// @return false when this vocabulary or piece does not allow it; then nothing is appended.
    bool encode_by_backtracking(std::string_view piece, std::vector<uint32_t>& ids) const;

    /// Pieces up to this many bytes are merged by the scan, whose time is quadratic.
    static constexpr size_t kMaxScanBytes = 96;

 private:
    void initial_symbols(std::string_view piece, std::vector<uint32_t>& symbols) const;

    Vocabulary vocabulary_;
    MergeTable merges_;
    Options options_;
    std::array<uint32_t, 256> byte_tokens_{};
    bool has_all_bytes_ = true;
    bool loses_text_ = false;  // a byte that occurs in UTF-8 has no token
    mutable std::unique_ptr<std::once_flag> backtracking_once_;
    mutable std::unique_ptr<Backtracking> backtracking_;  // built at the first long piece
};

}  // namespace longhaul::token

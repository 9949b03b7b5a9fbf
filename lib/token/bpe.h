// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Byte-pair encoding of one piece of text: always merge the adjacent pair of lowest rank, leftmost
// first. Three ways to the same ids: backtracking, in linear time, and where it is not prepared or
// a vocabulary does not allow it a scan for short pieces and a heap for long ones.

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lib/token/model.h"

namespace longhaul::token {

class Backtracking;
class Seams;

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

    void prepare() const override;
    /// Pieces can be cut where no token reaches across. Parts are always merged, even if they are
    /// tokens and whole pieces come first.
    bool cuts_pieces() const override { return !loses_text_; }
    size_t cut(std::string_view piece, uint32_t* ends, size_t most) const override;
    void encode_part(std::string_view part, std::vector<uint32_t>& ids) const override;

    // The three ways, for tests and for encode().
    void encode_by_scan(std::string_view piece, std::vector<uint32_t>& ids) const;
    void encode_by_heap(std::string_view piece, std::vector<uint32_t>& ids) const;
    /// @return false when this vocabulary or piece does not allow it; then nothing is appended.
    bool encode_by_backtracking(std::string_view piece, std::vector<uint32_t>& ids) const;

    /// Pieces up to this many bytes are merged by the scan, whose time is quadratic.
    static constexpr size_t kMaxScanBytes = 96;

 private:
    const Seams& seams() const;
    /// Null where it is not possible or, with so few bytes, not worth while.
    const Backtracking* backtracking(size_t num_bytes) const;
    bool knows_bytes(std::string_view piece) const;
    void merge_few(std::string_view piece, std::vector<uint32_t>& ids) const;
    void initial_symbols(std::string_view piece, std::vector<uint32_t>& symbols) const;

    Vocabulary vocabulary_;
    MergeTable merges_;
    Options options_;
    std::array<uint32_t, 256> byte_tokens_{};
    bool has_all_bytes_ = true;
    bool loses_text_ = false;        // a byte that occurs in UTF-8 has no token
    std::vector<Merge> byte_pairs_;  // of the tokens of two bytes, (first << 8 | second)
    /// What makes encoding fast; built when it is worth while.
    struct Prepared;
    mutable std::unique_ptr<Prepared> prepared_;
};

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The .idx file of a Megatron IndexedDataset. All little-endian, without alignment:
//   0  "MMIDIDX\0\0"   9  u64 version 1   17  u8 type of the ids   18  u64 S sequences
//   26 u64 D documents + 1   34  i32[S] lengths   i64[S] byte offsets into .bin
//   i64[D] number of the sequence at which each document begins, the last is S   [i8[S] modes]
// Source: megatron/core/datasets/indexed_dataset.py (_IndexWriter, _IndexReader, DType).

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/shards/dataset.h"
#include "lib/shards/read_file.h"

namespace longhaul::shards {

inline constexpr char kMegatronMagic[] = "MMIDIDX\0";  // 9 bytes with both zeros
inline constexpr uint64_t kMegatronHeaderBytes = 34;
/// Lengths are int32: a longer document has no place in one sequence.
inline constexpr uint64_t kMegatronMaxLength = 2147483647;

/// Code of a type in the header: 8 u16, 4 i32, 5 i64, 1 u8. Megatron knows no u32.
uint8_t megatron_type_code(TokenType type);
/// What preprocess_data.py chooses (DType.optimal_dtype): u16 below 65500 ids, else i32.
TokenType megatron_token_type(uint32_t vocab_size);
/// The header as it lies in the file.
std::string megatron_header(TokenType type, uint64_t num_sequences, uint64_t num_documents);

/// Reads parts of an .idx; nothing is kept in memory. All members may be called in parallel.
class MegatronIndex {
 public:
    /// Checks magic, version, type and that the counts make the file's size.
    /// @throws DataError naming the file and the byte.
    MegatronIndex(io::UniqueFd fd, std::string name);

    /// Of the file (ReadFile::map).
    void map() { file_.map(); }

    TokenType token_type() const { return type_; }
    uint64_t num_sequences() const { return num_sequences_; }
    uint64_t num_documents() const { return num_documents_; }  // D - 1

    /// Lengths in tokens of sequences first, ... @throws DataError: one is negative.
    void read_lengths(uint64_t first, std::span<int32_t> out) const;
    /// Token index in .bin at which sequences first, ... begin; that of number num_sequences() is
    /// the end of the last one.
    /// @throws DataError: an offset is negative or inside a token.
    void read_begins(uint64_t first, std::span<uint64_t> out) const;
    /// Number of the sequence at which documents first, ... begin; out may reach to number
    /// num_documents(). @throws DataError: negative, descending or above num_sequences().
    void read_documents(uint64_t first, std::span<uint64_t> out) const;

 private:
    [[noreturn]] void fail(uint64_t byte, const std::string& what) const;

    ReadFile file_;
    TokenType type_ = TokenType::kU16;
    uint64_t num_sequences_ = 0, num_documents_ = 0;
};

}  // namespace longhaul::shards

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Cuts a text before blanks, 64 bytes at a time. The parts are called words: with the blanks before
// them, and not always whole.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/token/model.h"

namespace longhaul::token {

/// Immutable; may be used in parallel.
class WordCutter {
 public:
    /// Bytes looked at by one call of cut(), but for a longer word.
    static constexpr size_t kWindow = 2048;
    using Ends = std::array<uint32_t, kWindow + 64>;

    struct Options {
        std::string blanks;         // 1 to 4 ASCII characters: cuts lie before runs of them
        bool cuts_classes = false;  // and where a byte is of another class than the one before
        Model::ByteCuts allowed;    // where the bytes on both sides allow it
    };
    explicit WordCutter(const Options& options);

    /// Finds words from `begin` on, where one starts. @param text well-formed UTF-8 @param begin
    /// below text.size() @param[out] ends where words end, from `begin`; a word has less than 4 GiB
    /// @return how many, at least 1
    size_t cut(std::string_view text, size_t begin, Ends& ends) const;

 private:
    size_t write_ends(std::string_view text, size_t at, uint64_t starts, uint32_t* ends) const;

    Options options_;
    std::array<uint8_t, 4> blanks_;
};

namespace detail {

/// A bit for each of 64 bytes.
struct WordMasks {
    uint64_t blanks;
    uint64_t letters, digits, line_feeds, wide;  // ASCII letters; bytes that are not ASCII
};
/// @param bytes 64 for each block @param blanks equal ones are one
void find_word_masks(const char* bytes, size_t num_blocks, const std::array<uint8_t, 4>& blanks,
                     WordMasks* masks);

}  // namespace detail
}  // namespace longhaul::token

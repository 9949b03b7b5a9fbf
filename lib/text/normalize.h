// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Normalisation of documents for comparing them: equal to datatrove's simplify_text (FineWeb), with
// Unicode 16.0 data. In this order: lower case; numbers become 0; punctuation and control
// characters become spaces; white space collapses; NFD; nonspacing marks (Mn) go; trim. Source:
// datatrove 0.10.1, src/datatrove/utils/text.py, simplify_text with its default options.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

namespace longhaul::text {

/// Normalises one text after the other; keeps its buffer and its tables. Not thread-safe.
class TextNormalizer {
 public:
    /// Readable (not meaningful) bytes before and behind the returned view, for hashes and loops
    /// that read whole words and vectors.
    static constexpr size_t kPadding = 64;

    TextNormalizer();
    ~TextNormalizer();
    TextNormalizer(const TextNormalizer&) = delete;
    TextNormalizer& operator=(const TextNormalizer&) = delete;

    /// @param text UTF-8; an invalid byte counts as U+FFFD.
    /// @return UTF-8, valid until the next call. Words are separated by spaces (two spaces where a
    ///         "word" consisted of marks only, as in the original).
    std::string_view normalize(std::string_view text);

 private:
    enum class Kind : uint8_t { kText, kSpace, kDigit, kMark, kStarterMark, kSigma, kOrdered };
    /// What becomes of a character that is not ASCII: up to four characters of UTF-8.
    struct Outcome {
        Kind kind = Kind::kText;
        uint8_t length = 0;
        std::array<char, 14> bytes{};
    };
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    using Block = std::array<Outcome, 128>;

    void reserve(size_t text_bytes);
    const Outcome& outcome(char32_t c);
    static Outcome make_outcome(char32_t c);
    void remember(char32_t c, const Outcome& what);
    size_t put_ascii(std::string_view text, size_t position);
    size_t put_mixed(std::string_view text, size_t position);
    size_t put_number(std::string_view text, size_t position);
    size_t put_other(std::string_view text, size_t position);
    void put_ordered(const Outcome& outcome);
    void put_bytes(const char* bytes, size_t length);
    void put_space();

    std::vector<std::unique_ptr<Block>> blocks_;  // by code point / 128, made at first use
    /// Outcomes of characters below U+10000 that are up to three bytes of text, a space or a
    /// dropped mark, entered when first met: bytes, then (from bit 24) their number and kIs...
    /// flags.
    std::unique_ptr<uint32_t[], Free> short_outcomes_;
    std::unique_ptr<char[]> buffer_;
    size_t capacity_ = 0;
    char* out_ = nullptr;      // next byte to write
    bool after_space_ = true;  // the last character written was a collapsible space
    std::vector<std::pair<uint8_t, std::array<char, 5>>> marks_;  // kept marks in their final order
    char* marks_begin_ = nullptr;                                 // where they stand in the output
    char* marks_end_ = nullptr;
};

/// True for characters of scripts written without spaces (Han, kana, Bopomofo, Yi, Tangut, Khitan,
/// Nushu; Thai, Lao, Khmer, Burmese, Tibetan, the Tai scripts, Ahom), each of which counts as a
/// word of its own. Source: UAX 14, classes ID of letters, CJ and SA, and Tibetan.
bool is_unspaced(char32_t c);

/// Calls visit(const char* begin, size_t length) for every word of a normalised text: runs between
/// spaces, and every character of a script without spaces. Views stay inside `normalized`.
/// @param normalized what TextNormalizer returned (kPadding bytes behind it are readable)
template <class Visit>
void for_each_word(std::string_view normalized, Visit&& visit);

}  // namespace longhaul::text

#include "lib/text/normalize_impl.h"

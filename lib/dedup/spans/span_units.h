// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lines and paragraphs of a text, and what makes two of them equal (dedup-minhash-spans.1).

#include <cstdint>
#include <functional>
#include <string_view>

#include "lib/base/hash.h"
#include "lib/dedup/spans/span_options.h"
#include "lib/text/normalize.h"

namespace longhaul::dedup {

/// Bytes of a text. A line: what stands before a line end (LF, CR LF or CR). A paragraph: lines
/// that are not blank, one behind the other.
struct TextUnit {
    size_t begin = 0;
    size_t content_end = 0;  // without the line end of the (last) line
    size_t end = 0;          // with it, and with the blank lines behind a paragraph

    std::string_view content(std::string_view text) const {
        return text.substr(begin, content_end - begin);
    }
};

/// Calls visit for each line or paragraph in order; blank lines before the first paragraph belong
/// to none. @param unit kLine or kParagraph
void for_each_unit(std::string_view text, SpanUnit unit,
                   const std::function<void(const TextUnit&)>& visit);

/// Characters (code points) of the text, white space at its begin and end left out.
uint64_t trimmed_characters(std::string_view text);

/// Equal for units that count as equal. One per thread: keeps buffers.
class UnitHasher {
 public:
    explicit UnitHasher(bool is_exact) : is_exact_(is_exact) {}
    /// XXH3-128 of the text normalised as `dedup-minhash run` does it; when nothing is left of it,
    /// or for exact comparison, of the text itself.
    Hash128 hash(std::string_view content);

 private:
    bool is_exact_;
    text::TextNormalizer normalizer_;
};

/// Where a cut that ends a text without line end begins: the line end of the unit before it goes
/// too, so that no text ends in a line end that had none. @param begin of the cut
size_t begin_of_last_cut(std::string_view text, SpanUnit unit, size_t begin);

}  // namespace longhaul::dedup

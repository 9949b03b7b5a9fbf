// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From a document's text to what is compared: the hash of its normalised text (exact duplicates)
// and the hashes of its shingles, runs of n words (near duplicates).

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash.h"
#include "lib/dedup/signature/native_shingles.h"
#include "lib/dedup/signature/parameters.h"
#include "lib/dedup/signature/recipe.h"
#include "lib/text/normalize.h"

namespace longhaul::dedup {

/// One per thread: keeps buffers.
class Shingler {
 public:
    explicit Shingler(const Parameters& parameters);

    /// Normalises `text` as the recipe says, for the calls below; `text` must stay until then.
    void load(std::string_view text);

    /// Equal for documents that count as equal: XXH3-128 of the normalised text, or, when nothing
    /// is left of it (punctuation only), of the text itself.
    Hash128 exact_hash() const { return exact_hash_; }
    /// 64-bit hashes of all shingles in order, repeats included. Empty when the document has fewer
    /// words than a shingle: such a document is a duplicate only of an equal one.
    std::span<const uint64_t> shingles();
    /// The set of shingles: sorted, each once.
    std::span<const uint64_t> shingle_set();

 private:
    std::span<uint64_t> find_shingles();

    std::unique_ptr<TextRecipe> recipe_;  // null: the native scheme of the FineWeb recipe
    NativeShingles native_;
    text::TextNormalizer normalizer_;
    std::string_view normalized_;
    Hash128 exact_hash_;
    std::vector<uint64_t> shingles_;  // of the recipe
};

/// |A and B| / |A or B| of sorted sets; 0 when both are empty. Stops early, returning 0, when the
/// result is sure to be below `at_least`.
double jaccard(std::span<const uint64_t> a, std::span<const uint64_t> b, double at_least = 0);

}  // namespace longhaul::dedup

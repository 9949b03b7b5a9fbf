// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Texts to shingles as other programs do it: one class for each way. The native scheme of the
// FineWeb recipe is the Shingler's own (lib/dedup/signature/shingle.h), which is faster.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lib/dedup/signature/parameters.h"

namespace longhaul::dedup {

/// One per thread: keeps buffers.
class TextRecipe {
 public:
    TextRecipe() = default;
    TextRecipe(const TextRecipe&) = delete;
    TextRecipe& operator=(const TextRecipe&) = delete;
    virtual ~TextRecipe() = default;

    /// Normalises; @return what is equal for documents that count as equal. May refer to `text`,
    /// and both must stay until append_shingles().
    virtual std::string_view load(std::string_view text) = 0;
    /// Appends the hashes of all shingles of the loaded text, in order, repeats included.
    virtual void append_shingles(std::vector<uint64_t>& hashes) = 0;
};

/// @param parameters any but the native scheme of the FineWeb recipe
std::unique_ptr<TextRecipe> make_recipe(const Parameters& parameters);

namespace detail {
std::unique_ptr<TextRecipe> make_word_recipe(const Parameters& parameters);
std::unique_ptr<TextRecipe> make_character_recipe(const Parameters& parameters);
}  // namespace detail

}  // namespace longhaul::dedup

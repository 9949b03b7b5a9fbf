// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/recipe.h"

namespace longhaul::dedup {

std::unique_ptr<TextRecipe> make_recipe(const Parameters& parameters) {
    return has_character_shingles(parameters.recipe) ? detail::make_character_recipe(parameters)
                                                     : detail::make_word_recipe(parameters);
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What changes the text before it is cut into pieces: a sequence of steps as tokenizer.json
// describes them.

#include <string>
#include <string_view>
#include <vector>

namespace longhaul::token {

/// Immutable once built; all const members may be called in parallel.
class Normalizer {
 public:
    /// NFC by Unicode 9.0 data: HF tokenizers normalises with it, and so do the models trained with
    /// it.
    void add_nfc();

    /// True when there are no steps.
    bool is_identity() const { return steps_.empty(); }
    /// A quick answer: true means that apply() gives `text` back; false says nothing.
    bool surely_keeps(std::string_view text) const;
    /// `text` after all steps. @param text well-formed UTF-8.
    std::string apply(std::string_view text) const;

 private:
    struct Step {
        enum class Kind { kNfc } kind;
    };
    std::vector<Step> steps_;
};

}  // namespace longhaul::token

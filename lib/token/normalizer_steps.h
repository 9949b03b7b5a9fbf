// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The steps of a normaliser, each equal to that of HF tokenizers 0.23 (normalizers/*.rs).

#include <memory>
#include <string>
#include <string_view>

#include "lib/text/normalization_forms.h"
#include "lib/token/charsmap.h"
#include "lib/token/normalizer.h"

namespace longhaul::token {

using NormalizerStepPtr = std::shared_ptr<const NormalizerStep>;

/// NFC, NFD, NFKC, NFKD, by Unicode 9.0 data.
NormalizerStepPtr make_form_step(text::Form form);
/// Lowercase: character by character (no final sigma).
NormalizerStepPtr make_lowercase_step();
/// StripAccents: removes combining marks; what is composed keeps its accent.
NormalizerStepPtr make_strip_accents_step();
/// Strip: removes white space (White_Space) at the ends.
NormalizerStepPtr make_strip_step(bool left, bool right);
/// Prepend: `prefix` before every text that is not empty.
NormalizerStepPtr make_prepend_step(std::string prefix);
/// Replace {String}: each occurrence of `from`, which is not empty, from the left.
NormalizerStepPtr make_replace_step(std::string from, std::string to);
/// Replace {Regex}. @throws DataError as lib/token/regex.h does.
NormalizerStepPtr make_replace_regex_step(std::string_view pattern, std::string to);
/// ByteLevel: every byte as the character that stands for it.
NormalizerStepPtr make_byte_level_step();
/// Precompiled: the table of a sentencepiece model.
NormalizerStepPtr make_precompiled_step(Charsmap map);
/// Nmt: removes ASCII controls, turns other white space into spaces.
NormalizerStepPtr make_nmt_step();

struct BertNormalizerOptions {
    bool cleans_text = true;     // no controls; white space becomes spaces
    bool isolates_han = true;    // spaces around ideographs
    bool strips_accents = true;  // NFD, then no nonspacing marks
    bool lowers_case = true;
};
NormalizerStepPtr make_bert_step(const BertNormalizerOptions& options);

}  // namespace longhaul::token

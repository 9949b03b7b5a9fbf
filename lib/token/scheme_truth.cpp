// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/byte_level.h"
#include "lib/token/scheme.h"
#include "lib/token/split_spans.h"

namespace longhaul::token {

namespace {

/// The steps that are no regular expression.
void find_runs(std::string_view step, std::string_view text, SplitSpans& spans) {
    find_class(step == kDigitRunsStep ? SplitClass::kNumeric : SplitClass::kPunctuation, text,
               spans);
    apply_behavior(SplitBehavior::kContiguous, false, spans);
}

size_t num_characters(std::string_view text) {
    size_t count = 0;
    for (const char byte : text) count += (byte & 0xC0) != 0x80 ? 1 : 0;
    return count;
}

}  // namespace

SchemeTruth::SchemeTruth(Scheme scheme) {
    for (const std::string& text : scheme_info(scheme).steps) {
        Step& step = steps_.emplace_back(Step{text, {}});
        if (text[0] != '*') step.regex.emplace(text);
    }
}

void SchemeTruth::split(std::string_view text, std::vector<std::string_view>& pieces) const {
    std::vector<std::string_view> now, next;
    SplitSpans spans;
    if (!text.empty()) now.push_back(text);
    bool in_alphabet = false;
    for (const Step& step : steps_) {
        if (step.text == kByteAlphabetStep || step.text == kBytesStep) {
            in_alphabet = step.text == kByteAlphabetStep;
            continue;
        }
        next.clear();
        for (std::string_view piece : now) {
            const std::string translated = in_alphabet ? bytes_to_text(piece) : "";
            const std::string_view shown = in_alphabet ? translated : piece;
            if (step.regex) {
                find_matches(*step.regex, shown, spans);
            } else {
                find_runs(step.text, shown, spans);
            }
            for (const SplitSpan& span : spans) {
                const size_t shown_size = span.end - span.begin;
                const size_t size =
                    in_alphabet ? num_characters(shown.substr(span.begin, shown_size)) : shown_size;
                next.push_back(piece.substr(0, size));
                piece.remove_prefix(size);
            }
        }
        now.swap(next);
    }
    pieces.insert(pieces.end(), now.begin(), now.end());
}

}  // namespace longhaul::token

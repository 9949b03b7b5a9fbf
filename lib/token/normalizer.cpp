// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/normalizer.h"

#include <algorithm>

#include "lib/token/normalizer_steps.h"

namespace longhaul::token {

void Normalizer::add_nfc() {
    add(make_form_step(text::Form::kNfc));
}

bool Normalizer::ends_in_byte_alphabet() const {
    const auto writes = [](const auto& step) { return step->writes_byte_alphabet(); };
    return !steps_.empty() && writes(steps_.back()) &&
           std::count_if(steps_.begin(), steps_.end(), writes) == 1;
}

bool Normalizer::surely_keeps(std::string_view text) const {
    return std::all_of(steps_.begin(), steps_.end(),
                       [&](const auto& step) { return step->surely_keeps(text); });
}

bool Normalizer::cuts_before(char blank) const {
    return std::all_of(steps_.begin(), steps_.end(),
                       [&](const auto& step) { return step->cuts_before(blank); });
}

std::string Normalizer::apply(std::string_view text, bool* starts_document) const {
    std::string out(text);
    for (const auto& step : steps_) {
        if (step->surely_keeps(out)) continue;
        if (starts_document != nullptr && *starts_document && step->drops_start(out)) {
            *starts_document = false;
        }
        out = step->apply(out);
    }
    return out;
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/normalizer.h"

#include <algorithm>

#include "lib/text/normalization_forms.h"

namespace longhaul::token {

void Normalizer::add_nfc() {
    steps_.push_back({Step::Kind::kNfc});
}

bool Normalizer::surely_keeps(std::string_view text) const {
    return std::all_of(steps_.begin(), steps_.end(),
                       [&](const Step&) { return text::is_surely_nfc(text); });
}

std::string Normalizer::apply(std::string_view text) const {
    std::string out(text);
    for (const Step& step : steps_) {
        switch (step.kind) {
            case Step::Kind::kNfc:
                out = text::nfc(out, text::UnicodeData::k9);
                break;
        }
    }
    return out;
}

}  // namespace longhaul::token

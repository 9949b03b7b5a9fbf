// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/cutter.h"

#include <mutex>
#include <vector>

#include "lib/token/scheme_rules.h"

namespace longhaul::token {

namespace detail {

template <Scheme kScheme>
uint8_t cut_class(char32_t c) {
    constexpr Rules kRules = rules_of(kScheme);
    const uint16_t classes = class_of<kScheme>(c);
    const uint16_t cases = classes & (kUpper | kLower);
    if (classes & kHan) {
        return kRules.has_han && (classes & kLetter) ? uint8_t{kCutApart} : uint8_t{kCutHard};
    }
    if (kRules.family == Family::kO200k && (classes & kOther) && cases != 0) return kCutHard;
    uint8_t cut = 0;
    if (classes & kGap) cut = kCutHard;
    if (classes & kLetter) cut = kCutLetter;
    if (classes & kNumber) cut = kCutNumber;
    if (classes & kSpace) cut = kCutSpace;
    if (classes & (kCjk | kMark)) cut |= kCutApart;
    if (kRules.family == Family::kO200k) {
        if (cases == kUpper) cut |= kCutUpper;
        if (cases == kLower) cut |= kCutLower;
    }
    return cut;
}

uint8_t cut_class(Scheme scheme, char32_t c) {
    return with_scheme(scheme, [&](auto tag) { return cut_class<decltype(tag)::value>(c); });
}

namespace {

const uint8_t* class_table(Scheme scheme) {
    static std::array<std::vector<uint8_t>, kNumSchemes> tables;
    static std::array<std::once_flag, kNumSchemes> made;
    const auto index = static_cast<size_t>(scheme);
    std::call_once(made[index], [&] {
        std::vector<uint8_t> table(kNumClasses);
        with_scheme(scheme, [&](auto tag) {
            for (char32_t c = 0; c < kNumClasses; ++c) {
                table[c] = cut_class<decltype(tag)::value>(c);
            }
        });
        tables[index] = std::move(table);
    });
    return tables[index].data();
}

}  // namespace
}  // namespace detail

Cutter::Cutter(Scheme scheme) : scheme_(scheme), classes_(detail::class_table(scheme)) {}

}  // namespace longhaul::token

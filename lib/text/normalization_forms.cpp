// SPDX-License-Identifier: BSD-3-Clause
#include "lib/text/normalization_forms.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "lib/text/compatibility_tables.h"

namespace longhaul::text {

namespace {

// Hangul syllables are composed by arithmetic: Unicode 16.0, section 3.12.
constexpr char32_t kSBase = 0xAC00, kLBase = 0x1100, kVBase = 0x1161, kTBase = 0x11A7;
constexpr char32_t kLCount = 19, kVCount = 21, kTCount = 28, kSCount = kLCount * kVCount * kTCount;

bool counts(bool newer_than_9, UnicodeData data) {
    return !newer_than_9 || data == UnicodeData::k16;
}

bool composes(Form form) {
    return form == Form::kNfc || form == Form::kNfkc;
}
bool is_compatible(Form form) {
    return form == Form::kNfkc || form == Form::kNfkd;
}

/// The compatibility decomposition that differs from the canonical one, or null.
const tables::Compatibility* find_compatibility(char32_t c, UnicodeData data) {
    const auto* end = tables::kCompatibility + tables::kNumCompatibility;
    const auto* found = std::lower_bound(
        tables::kCompatibility, end, c,
        [](const tables::Compatibility& entry, char32_t key) { return entry.from < key; });
    if (found == end || found->from != c || !counts(found->newer_than_9, data)) return nullptr;
    return found;
}

/// A starter that may compose with the starter before it (Hangul, some Indic vowels).
bool joins_starter(char32_t c) {
    static const std::u32string starters = [] {
        std::u32string list;
        for (size_t i = 0; i < tables::kNumCompositions; ++i) {
            const char32_t second = tables::kCompositions[i].second;
            if (combining_class(second) == 0) list.push_back(second);
        }
        std::sort(list.begin(), list.end());
        return list;
    }();
    if (c < 0x300) return false;
    return (c >= kVBase && c < kVBase + kVCount) || (c > kTBase && c < kTBase + kTCount) ||
           std::binary_search(starters.begin(), starters.end(), c);
}

/// True when a character always stays as it is, whatever stands around it.
bool is_inert(char32_t c, Form form) {
    if (combining_class(c) != 0) return false;
    if (is_compatible(form) && find_compatibility(c, UnicodeData::k16) != nullptr) return false;
    if (composes(form) && joins_starter(c)) return false;
    std::u32string parts;
    append_decomposition(c, parts, UnicodeData::k16);
    if (parts.size() == 1 && parts[0] == c) return true;
    if (!composes(form)) return false;
    std::string bytes;
    append_utf8(c, bytes);
    return nfc(bytes) == bytes;
}

/// is_inert() of the characters below U+10000, one bit each.
using InertBits = std::array<uint64_t, 1024>;
InertBits make_inert_bits(Form form) {
    InertBits bits{};
    for (char32_t c = 0; c < 0x10000; ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        if (is_inert(c, form)) bits[c >> 6] |= uint64_t{1} << (c & 63);
    }
    return bits;
}

template <Form form>
const InertBits& inert_bits_of() {
    static const InertBits bits = make_inert_bits(form);
    return bits;
}
const InertBits& inert_bits(Form form) {
    switch (form) {
        case Form::kNfc:
            return inert_bits_of<Form::kNfc>();
        case Form::kNfd:
            return inert_bits_of<Form::kNfd>();
        case Form::kNfkc:
            return inert_bits_of<Form::kNfkc>();
        case Form::kNfkd:
            break;
    }
    return inert_bits_of<Form::kNfkd>();
}

struct Mark {
    char32_t code_point;
    uint8_t combining_class;
};

/// Works on one "segment" at a time: a starter and the marks after it.
class Normalizer {
 public:
    Normalizer(UnicodeData data, Form form, std::string& out)
        : data_(data), compose_(composes(form)), is_compatible_(is_compatible(form)), out_(out) {}

    void add(char32_t c) {
        decomposed_.clear();
        const auto* wide = is_compatible_ ? find_compatibility(c, data_) : nullptr;
        if (wide != nullptr) {
            decomposed_.append(tables::kCompatibilityPool + wide->offset, wide->length);
        } else {
            append_decomposition(c, decomposed_, data_);
        }
        for (const char32_t part : decomposed_) add_decomposed(part);
    }
    void flush() {
        if (!segment_.empty()) order_and_write();
        segment_.clear();
    }

 private:
    void add_decomposed(char32_t c) {
        const uint8_t ccc = combining_class(c, data_);
        if (ccc == 0 && !segment_.empty() && !(compose_ && joins_starter(c))) flush();
        segment_.push_back({c, ccc});
    }

    void order_and_write() {
        const auto by_class = [](const Mark& a, const Mark& b) {
            return a.combining_class < b.combining_class;
        };
        for (auto run = segment_.begin(); run != segment_.end();) {
            if (run->combining_class == 0) {
                ++run;
                continue;
            }
            const auto run_end = std::find_if(
                run, segment_.end(), [](const Mark& mark) { return mark.combining_class == 0; });
            std::stable_sort(run, run_end, by_class);
            run = run_end;
        }
        if (compose_) compose();
        for (const Mark& mark : segment_) append_utf8(mark.code_point, out_);
    }

    /// The canonical composition algorithm (D117) over the segment, in place.
    void compose() {
        constexpr size_t none = ~size_t{0};
        size_t starter = none, written = 0;
        int last_class = -1;  // of the last character kept after the starter
        for (const Mark mark : segment_) {
            const bool blocked = last_class != -1 && last_class >= mark.combining_class;
            const char32_t whole =
                starter == none || blocked
                    ? 0
                    : compose_pair(segment_[starter].code_point, mark.code_point, data_);
            if (whole != 0) {
                segment_[starter].code_point = whole;
                continue;
            }
            if (mark.combining_class == 0) {
                starter = written;
                last_class = -1;
            } else {
                last_class = mark.combining_class;
            }
            segment_[written++] = mark;
        }
        segment_.resize(written);
    }

    UnicodeData data_;
    bool compose_, is_compatible_;
    std::string& out_;
    std::u32string decomposed_;
    std::vector<Mark> segment_;
};

}  // namespace

uint8_t combining_class(char32_t c, UnicodeData data) {
    if (c < 0x300) return 0;
    const auto* end = tables::kCombining + tables::kNumCombining;
    const auto* found = std::lower_bound(
        tables::kCombining, end, c,
        [](const tables::Combining& entry, char32_t key) { return entry.code_point < key; });
    if (found == end || found->code_point != c || !counts(found->newer_than_9, data)) return 0;
    return found->combining_class;
}

void append_decomposition(char32_t c, std::u32string& out, UnicodeData data) {
    if (c >= kSBase && c < kSBase + kSCount) {
        const char32_t index = c - kSBase, tail = index % kTCount;
        out.push_back(kLBase + index / (kVCount * kTCount));
        out.push_back(kVBase + index % (kVCount * kTCount) / kTCount);
        if (tail != 0) out.push_back(kTBase + tail);
        return;
    }
    const auto* end = tables::kDecompositions + tables::kNumDecompositions;
    const auto* found = c < 0xC0 ? end
                                 : std::lower_bound(tables::kDecompositions, end, c,
                                                    [](const tables::Decomposition& entry,
                                                       char32_t key) { return entry.from < key; });
    if (found == end || found->from != c || !counts(found->newer_than_9, data)) {
        out.push_back(c);
        return;
    }
    append_decomposition(found->first, out, data);  // at most four levels deep
    if (found->second != 0) append_decomposition(found->second, out, data);
}

char32_t compose_pair(char32_t first, char32_t second, UnicodeData data) {
    if (first >= kLBase && first < kLBase + kLCount && second >= kVBase &&
        second < kVBase + kVCount) {
        return kSBase + ((first - kLBase) * kVCount + (second - kVBase)) * kTCount;
    }
    const bool is_lv =
        first >= kSBase && first < kSBase + kSCount && (first - kSBase) % kTCount == 0;
    if (is_lv && second > kTBase && second < kTBase + kTCount) return first + (second - kTBase);
    const auto* end = tables::kCompositions + tables::kNumCompositions;
    const auto* found = std::lower_bound(
        tables::kCompositions, end, std::pair(uint32_t{first}, uint32_t{second}),
        [](const tables::Composition& entry, const std::pair<uint32_t, uint32_t>& key) {
            return std::tie(entry.first, entry.second) < std::tie(key.first, key.second);
        });
    if (found == end || found->first != first || found->second != second) return 0;
    return counts(found->newer_than_9, data) ? static_cast<char32_t>(found->to) : 0;
}

std::string normalize(std::string_view text, Form form, UnicodeData data) {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    Normalizer normalizer(data, form, out);
    size_t position = 0;
    while (position < text.size()) {
        // An ASCII character followed by ASCII is a finished segment of its own.
        size_t run = position;
        while (run < text.size() && static_cast<uint8_t>(text[run]) < 0x80) ++run;
        if (run > position + 1 || (run == text.size() && run > position)) {
            const size_t keep = run == text.size() ? run : run - 1;
            normalizer.flush();
            out.append(text.substr(position, keep - position));
            position = keep;
            continue;
        }
        const Decoded decoded = decode_utf8(text, position);
        normalizer.add(decoded.code_point);
        position += decoded.length;
    }
    normalizer.flush();
    return out;
}

bool is_surely_normal(std::string_view text, Form form) {
    if (form == Form::kNfc) return is_surely_nfc(text);
    const InertBits& bits = inert_bits(form);
    for (size_t i = 0; i < text.size();) {
        if (static_cast<uint8_t>(text[i]) < 0x80) {
            ++i;
            continue;
        }
        const Decoded c = decode_utf8(text, i);
        const bool is_kept = c.code_point < 0x10000
                                 ? (bits[c.code_point >> 6] >> (c.code_point & 63)) & 1
                                 : is_inert(c.code_point, form);
        if (!is_kept || !c.is_valid) return false;
        i += c.length;
    }
    return true;
}

}  // namespace longhaul::text

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/charsmap.h"

#include "lib/base/error.h"
#include "lib/text/unicode.h"

namespace longhaul::token {

namespace {

constexpr uint32_t kBlock = 256;  // children of a unit lie in one block
constexpr size_t kMaxKeyBytes = 1024;

// A unit: bits 0-7 label, 8 has a value, 9 offset is in blocks, 10-30 offset, 31 is a value.
uint32_t label_of(uint32_t unit) {
    return unit & (uint32_t{1} << 31 | 0xFF);
}
bool has_value(uint32_t unit) {
    return unit >> 8 & 1;
}
uint32_t offset_of(uint32_t unit) {
    return unit >> 10 << ((unit & 1u << 9) >> 6);
}
uint32_t value_of(uint32_t unit) {
    return unit & ~(uint32_t{1} << 31);
}

uint32_t read_u32(std::string_view bytes, size_t at) {
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
        value |= uint32_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
    }
    return value;
}

}  // namespace

Charsmap Charsmap::parse(std::string_view blob, const std::string& place) {
    if (blob.size() < 4) throw DataError(place, 0, "the table of replacements has no size");
    const size_t trie_bytes = read_u32(blob, 0);
    if (trie_bytes == 0 || trie_bytes % 4 != 0 || trie_bytes > blob.size() - 4) {
        throw DataError(place, 0,
                        format("a trie of {} bytes in {} bytes", trie_bytes, blob.size()));
    }
    Charsmap map;
    map.units_.assign((trie_bytes / 4 + kBlock - 1) / kBlock * kBlock, 0);
    for (size_t i = 0; i < trie_bytes / 4; ++i) map.units_[i] = read_u32(blob, 4 + 4 * i);
    map.texts_ = blob.substr(4 + trie_bytes);
    const size_t invalid = text::find_invalid_utf8(map.texts_);
    if (invalid != std::string::npos) {
        throw DataError(place, 4 + trie_bytes + invalid, "a replacement is not UTF-8");
    }
    map.check(place);
    map.find_kept_ascii();
    return map;
}

/// Walks every key, so that searches need no checks: children lie inside the array, values inside
/// the texts, and no key is endless. Notes the bytes of the keys that are longer than one byte.
void Charsmap::check(const std::string& place) {
    enum class State : uint8_t { kNew, kOpen, kDone };
    struct Visit {
        uint32_t position, base, next_label;
    };
    std::vector<State> states(units_.size(), State::kNew);
    std::vector<Visit> path;
    const auto fail = [&](uint32_t position, const char* what) {
        throw DataError(place, 4 + size_t{4} * position, what);
    };
    const auto enter = [&](uint32_t position) {
        const uint32_t base = position ^ offset_of(units_[position]);
        if (base >= units_.size()) fail(position, "a unit of the trie points outside of it");
        if (position != 0 && has_value(units_[position])) {
            const uint32_t value = value_of(units_[base]);
            if (value >= texts_.size())
                fail(base, "a value of the trie is beyond the replacements");
            if ((static_cast<uint8_t>(texts_[value]) & 0xC0) == 0x80) {
                fail(base, "a value of the trie is inside a character");
            }
        }
        states[position] = State::kOpen;
        path.push_back({position, base, 1});
        if (path.size() > kMaxKeyBytes) fail(position, "a key of the trie is too long");
    };
    enter(0);
    while (!path.empty()) {
        Visit& last = path.back();
        if (last.next_label == kBlock) {
            states[last.position] = State::kDone;
            path.pop_back();
            continue;
        }
        const uint32_t label = last.next_label++;
        const uint32_t child = last.base ^ label;
        if (label_of(units_[child]) != label) continue;
        if (path.size() > 1) {
            is_joined_[label] = true;
            is_joined_[label_of(units_[path[1].position])] = true;
        }
        if (states[child] == State::kOpen) fail(child, "the trie loops");
        if (states[child] == State::kNew) enter(child);
    }
}

void Charsmap::find_kept_ascii() {
    const uint32_t root = offset_of(units_[0]);
    for (uint32_t first = 0; first < 128; ++first) {
        const uint32_t position = root ^ first;
        keeps_ascii_[first] = true;
        if (first == 0 || label_of(units_[position]) != first) continue;
        const uint32_t base = position ^ offset_of(units_[position]);
        bool is_kept = !has_value(units_[position]);
        for (uint32_t second = 1; second < 128; ++second) {
            is_kept = is_kept && label_of(units_[base ^ second]) != second;
        }
        keeps_ascii_[first] = is_kept;
    }
}

std::string_view Charsmap::replacement(uint32_t unit) const {
    const std::string_view rest = std::string_view(texts_).substr(value_of(unit));
    return rest.substr(0, rest.find('\0'));
}

Charsmap::Match Charsmap::longest(std::string_view text) const {
    size_t length = 0;
    uint32_t found = 0, position = offset_of(units_[0]);
    for (size_t i = 0; i < text.size(); ++i) {
        const auto label = static_cast<uint8_t>(text[i]);
        position ^= label;
        const uint32_t unit = units_[position];
        if (label == 0 || label_of(unit) != label) break;
        position ^= offset_of(unit);
        if (has_value(unit)) {
            length = i + 1;
            found = units_[position];
        }
    }
    if (length == 0) return {};
    return {length, replacement(found)};
}

bool Charsmap::has_rule_from(std::string_view text) const {
    uint32_t position = offset_of(units_[0]);
    for (const char byte : text) {
        const auto label = static_cast<uint8_t>(byte);
        position ^= label;
        if (label == 0 || label_of(units_[position]) != label) return false;
        position ^= offset_of(units_[position]);
    }
    return true;
}

Charsmap::Match Charsmap::shortest(std::string_view text) const {
    uint32_t position = offset_of(units_[0]);
    for (size_t i = 0; i < text.size(); ++i) {
        const auto label = static_cast<uint8_t>(text[i]);
        position ^= label;
        const uint32_t unit = units_[position];
        if (label == 0 || label_of(unit) != label) break;
        position ^= offset_of(unit);
        if (has_value(unit)) return {i + 1, replacement(units_[position])};
    }
    return {};
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Builds a precompiled_charsmap (lib/token/charsmap.h) out of rules: sparse, one block of 256 units
// for each node of the trie.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace longhaul::testing {

/// @param rules text -> replacement; no text may be empty.
inline std::string charsmap_blob(const std::map<std::string, std::string>& rules) {
    std::map<std::string, uint32_t> blocks{{"", 1}};  // prefix -> its block of children
    for (const auto& [text, replacement] : rules) {
        for (size_t i = 1; i <= text.size(); ++i) {
            blocks.emplace(text.substr(0, i), static_cast<uint32_t>(blocks.size()) + 1);
        }
    }
    const auto offset_bits = [](uint32_t position, uint32_t block) {
        const uint32_t offset = position ^ block * 256;
        return offset < 1u << 21 ? offset << 10 : (offset >> 8) << 10 | 1u << 9;
    };
    std::vector<uint32_t> units((blocks.size() + 1) * 256, 0);
    units[0] = offset_bits(0, 1);
    std::string texts;
    for (const auto& [prefix, block] : blocks) {
        if (prefix.empty()) continue;
        const auto label = static_cast<uint8_t>(prefix.back());
        const uint32_t position = blocks.at(prefix.substr(0, prefix.size() - 1)) * 256 + label;
        units[position] = label | offset_bits(position, block);
        const auto rule = rules.find(prefix);
        if (rule == rules.end()) continue;
        units[position] |= 1u << 8;
        units[block * 256] = 1u << 31 | static_cast<uint32_t>(texts.size());
        texts += rule->second + '\0';
    }
    std::string blob;
    const auto put = [&](uint32_t value) {
        for (unsigned i = 0; i < 4; ++i) blob += static_cast<char>(value >> (8 * i));
    };
    put(static_cast<uint32_t>(units.size() * 4));
    for (const uint32_t unit : units) put(unit);
    return blob + texts;
}

}  // namespace longhaul::testing

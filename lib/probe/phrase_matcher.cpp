// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/phrase_matcher.h"

#include <algorithm>
#include <deque>

#include "lib/base/check.h"

namespace longhaul::probe {

PhraseMatcher::PhraseMatcher(const std::vector<std::string_view>& phrases)
    : num_phrases_(phrases.size()) {
    nodes_.emplace_back();
    nodes_[0].next.fill(-1);
    for (size_t i = 0; i < phrases.size(); ++i) insert(phrases[i], i);
    link();
}

void PhraseMatcher::insert(std::string_view phrase, size_t index) {
    LH_CHECK(!phrase.empty(), "phrase {} is empty", index);
    int32_t node = 0;
    for (const char c : phrase) {
        const auto byte = static_cast<unsigned char>(c);
        if (nodes_[static_cast<size_t>(node)].next[byte] < 0) {
            nodes_[static_cast<size_t>(node)].next[byte] = static_cast<int32_t>(nodes_.size());
            nodes_.emplace_back();
            nodes_.back().next.fill(-1);
        }
        node = nodes_[static_cast<size_t>(node)].next[byte];
    }
    nodes_[static_cast<size_t>(node)].phrases.push_back(index);
}

/// Breadth first: turns missing edges into those of the longest proper suffix.
void PhraseMatcher::link() {
    std::deque<int32_t> queue;
    for (int32_t& next : nodes_[0].next) {
        if (next < 0) {
            next = 0;
        } else {
            queue.push_back(next);
        }
    }
    while (!queue.empty()) {
        Node& node = nodes_[static_cast<size_t>(queue.front())];
        queue.pop_front();
        const Node& suffix = nodes_[static_cast<size_t>(node.fallback)];
        node.next_with_output = suffix.phrases.empty() ? suffix.next_with_output : node.fallback;
        for (size_t byte = 0; byte < node.next.size(); ++byte) {
            if (node.next[byte] < 0) {
                node.next[byte] = suffix.next[byte];
            } else {
                nodes_[static_cast<size_t>(node.next[byte])].fallback = suffix.next[byte];
                queue.push_back(node.next[byte]);
            }
        }
    }
}

void PhraseMatcher::find(std::string_view line, std::vector<Hit>& hits) const {
    const size_t first_hit = hits.size();
    const auto is_new = [&](size_t phrase) {
        return std::none_of(hits.begin() + static_cast<std::ptrdiff_t>(first_hit), hits.end(),
                            [&](const Hit& hit) { return hit.phrase == phrase; });
    };
    int32_t state = 0;
    for (size_t i = 0; i < line.size(); ++i) {
        state = nodes_[static_cast<size_t>(state)].next[static_cast<unsigned char>(line[i])];
        for (int32_t node = state; node > 0;
             node = nodes_[static_cast<size_t>(node)].next_with_output) {
            for (const size_t phrase : nodes_[static_cast<size_t>(node)].phrases) {
                if (is_new(phrase)) hits.push_back({phrase, i + 1});
            }
        }
    }
}

}  // namespace longhaul::probe

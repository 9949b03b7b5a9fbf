// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/prefix_trie.h"

#include <algorithm>
#include <deque>
#include <numeric>

namespace longhaul::token {

/// Places the nodes level by level: the wide ones near the root find room first.
class PrefixTrie::Builder {
 public:
    Builder(const std::vector<Key>& keys, std::vector<Unit>& units) : keys_(keys), units_(units) {}

    void run() {
        grow(2 * kLabels);
        take(0, kRootParent);
        open_.push_back({0, keys_.size(), 0, 0});
        while (!open_.empty()) {
            const Node node = open_.front();
            open_.pop_front();
            place_children(node);
        }
    }

 private:
    static constexpr uint32_t kLabels = 256;
    static constexpr uint32_t kRootParent = kNoToken - 1;
    static constexpr int kMaxTries = 64;  // places looked at before one behind all others is taken

    struct Node {
        size_t begin, end;  // keys that go through it
        size_t depth;
        uint32_t unit;
    };
    struct Child {
        uint8_t label;
        size_t begin, end;
    };

    void grow(size_t size) {
        const size_t before = next_free_.size();
        if (size <= before) return;
        units_.resize(size);
        next_free_.resize(size + 1);  // the last one is a sentinel
        std::iota(next_free_.begin() + static_cast<ptrdiff_t>(before == 0 ? 0 : before - 1),
                  next_free_.end(), static_cast<uint32_t>(before == 0 ? 0 : before - 1));
    }

    /// The first free unit at or after `unit`; one behind the last if there is none.
    uint32_t free_from(uint32_t unit) {
        uint32_t found = unit;
        while (next_free_[found] != found) found = next_free_[found];
        while (next_free_[unit] != found) unit = std::exchange(next_free_[unit], found);
        return found;
    }

    void take(uint32_t unit, uint32_t parent) {
        units_[unit].parent = parent;
        next_free_[unit] = unit + 1;
        tail_ = std::max(tail_, unit + 1);
    }

    bool fits(uint32_t base) const {
        return std::all_of(children_.begin(), children_.end(), [&](const Child& child) {
            return units_[base + child.label].parent == kNoToken;
        });
    }

    uint32_t find_base() {
        const uint32_t first = children_.front().label;
        uint32_t slot = free_from(first + 1);
        for (int tries = 0; tries < kMaxTries && slot + kLabels < units_.size(); ++tries) {
            if (fits(slot - first)) return slot - first;
            slot = free_from(slot + 1);
        }
        slot = std::max(tail_, first + 1);
        if (slot + kLabels >= units_.size()) grow(units_.size() * 2);
        return slot - first;
    }

    void place_children(const Node& node) {
        children_.clear();
        for (size_t i = node.begin; i < node.end; ++i) {
            const std::string_view key = keys_[i].first;
            if (key.size() == node.depth) {
                units_[node.unit].number = keys_[i].second;
                continue;
            }
            const auto label = static_cast<uint8_t>(key[node.depth]);
            if (children_.empty() || children_.back().label != label) {
                children_.push_back({label, i, i});
            }
            children_.back().end = i + 1;
        }
        if (children_.empty()) return;
        const uint32_t base = find_base();
        units_[node.unit].base = base;
        for (const Child& child : children_) {
            take(base + child.label, node.unit);
            open_.push_back({child.begin, child.end, node.depth + 1, base + child.label});
        }
    }

    const std::vector<Key>& keys_;
    std::vector<Unit>& units_;
    std::vector<uint32_t> next_free_;  // of a free unit itself, of others a later one
    uint32_t tail_ = 1;                // from here on all units are free
    std::deque<Node> open_;
    std::vector<Child> children_;
};

PrefixTrie::PrefixTrie(std::vector<Key> keys) {
    std::sort(keys.begin(), keys.end());
    Builder(keys, units_).run();
}

}  // namespace longhaul::token

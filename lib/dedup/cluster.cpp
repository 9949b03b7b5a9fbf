// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/cluster.h"

#include <algorithm>

#include "lib/dedup/signature/shingle.h"

namespace longhaul::dedup {

namespace {

uint64_t group_of(Packed48 packed) {
    return packed.value() >> 1;
}
bool is_last(Packed48 packed) {
    return (packed.value() & 1) != 0;
}

}  // namespace

Clusterer::Clusterer(const Parameters& parameters, uint64_t max_candidates, const IdSet* has_copies,
                     uint64_t num_groups, SpillArea& area, uint64_t store_bytes,
                     Components* components)
    : parameters_(parameters),
      max_candidates_(max_candidates),
      has_copies_(has_copies),
      components_(components),
      store_(area, store_bytes),
      first_kept_(components == nullptr ? num_groups : 0, kNone) {}

Decision Clusterer::decide_copy(uint64_t id, uint64_t first) {
    ++counts_.num_exact;
    // The first one may itself have gone as a near duplicate; its copy has the same shingles.
    const auto gone = removed_firsts_.find(first);
    if (gone == removed_firsts_.end()) return {id, Verdict::kExact, first, 1};
    return {id, Verdict::kExact, gone->second.match, gone->second.jaccard};
}

double Clusterer::compare(std::span<const uint64_t> set, uint64_t other, double at_least) {
    const auto [low, high] = std::minmax<uint64_t>({set.size(), store_.size_of(other)});
    ++counts_.num_compared;
    if (static_cast<double>(low) < at_least * static_cast<double>(high)) return 0;
    return jaccard(set, store_.get(other), at_least);
}

Decision Clusterer::remove(uint64_t id, uint64_t match, double jaccard) {
    ++counts_.num_near;
    const auto bin = std::min<size_t>(static_cast<size_t>(jaccard * 20), 19);
    ++counts_.jaccard_histogram[bin];
    const double found = candidate_probability(jaccard, parameters_.bands, parameters_.rows);
    // Every pair found with probability p stands for 1/p pairs of its kind.
    if (jaccard >= parameters_.threshold && found > 0) counts_.expected_misses += 1 / found - 1;
    const Decision decision{id, Verdict::kNear, match, jaccard};
    const bool has_copies = has_copies_ != nullptr && has_copies_->contains(id);
    if (has_copies) removed_firsts_.emplace(id, decision);
    return decision;
}

/// Kept members of the groups, each once, in input order.
void Clusterer::gather(std::span<const Packed48> groups) {
    gathered_.clear();
    for (const Packed48 packed : groups) {
        const uint64_t group = group_of(packed);
        if (first_kept_[group] == kNone) continue;
        gathered_.push_back(first_kept_[group]);
        const auto more = more_kept_.find(group);
        if (more == more_kept_.end()) continue;
        gathered_.insert(gathered_.end(), more->second.begin(), more->second.end());
    }
    std::sort(gathered_.begin(), gathered_.end());
    gathered_.erase(std::unique(gathered_.begin(), gathered_.end()), gathered_.end());
}

/// Enters a kept document in those of its groups that have members to come.
void Clusterer::keep(uint64_t id, std::span<const Packed48> groups, std::span<const uint64_t> set) {
    uint64_t uses = 0;
    for (const Packed48 packed : groups) {
        if (is_last(packed)) continue;
        const uint64_t group = group_of(packed);
        if (first_kept_[group] == kNone) {
            first_kept_[group] = id;
            ++uses;
            continue;
        }
        std::vector<uint64_t>& more = more_kept_[group];
        if (more.size() + 1 >= max_candidates_) continue;
        more.push_back(id);
        ++uses;
    }
    if (uses > 0) store_.put(id, set, uses);
}

/// Frees what only groups that end here needed.
void Clusterer::close_groups(std::span<const Packed48> groups) {
    for (const Packed48 packed : groups) {
        if (!is_last(packed)) continue;
        const uint64_t group = group_of(packed);
        if (first_kept_[group] == kNone) continue;
        store_.release(first_kept_[group]);
        first_kept_[group] = kNone;
        const auto more = more_kept_.find(group);
        if (more == more_kept_.end()) continue;
        for (const uint64_t id : more->second) store_.release(id);
        more_kept_.erase(more);
    }
}

Decision Clusterer::decide_candidate(uint64_t id, std::span<const Packed48> groups,
                                     std::span<const uint64_t> set) {
    if (components_ != nullptr) return decide_by_component(id, set);
    Decision decision{id, Verdict::kKept, 0, 0};
    gather(groups);
    for (const uint64_t other : gathered_) {
        const double jaccard = compare(set, other, parameters_.threshold);
        if (jaccard >= parameters_.threshold) {
            decision = remove(id, other, jaccard);
            break;
        }
        ++counts_.num_below_threshold;
    }
    if (decision.verdict == Verdict::kKept) keep(id, groups, set);
    close_groups(groups);
    return decision;
}

void Clusterer::keep_index_document(uint64_t id, std::span<const Packed48> groups,
                                    std::span<const uint64_t> set) {
    if (components_ == nullptr) {
        keep(id, groups, set);
        close_groups(groups);
    } else if (kept_of_root_.emplace(components_->root(id), id).second) {
        store_.put(id, set, ~uint64_t{0});
    }
}

/// --transitive: of a component, everything but its first document goes; the Jaccard is measured
/// for the report only.
Decision Clusterer::decide_by_component(uint64_t id, std::span<const uint64_t> set) {
    const auto [kept, is_first] = kept_of_root_.emplace(components_->root(id), id);
    if (is_first) {
        store_.put(id, set, ~uint64_t{0});
        return {id, Verdict::kKept, 0, 0};
    }
    const double jaccard = compare(set, kept->second, 0);
    if (jaccard < parameters_.threshold) {
        ++counts_.num_below_threshold;
        ++counts_.num_unverified;
    }
    return remove(id, kept->second, jaccard);
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Stage "cluster": decides, document after document in input order, what stays. A document goes
// only when its true Jaccard with a document that stays is at least the threshold ("star" removal:
// no chains, no document far from the one that stands for it).

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "lib/dedup/group.h"
#include "lib/dedup/options.h"
#include "lib/dedup/shingle_store.h"

namespace longhaul::dedup {

enum class Verdict : uint8_t { kKept, kExact, kNear, kBad };

struct Decision {
    uint64_t id = 0;
    Verdict verdict = Verdict::kKept;
    uint64_t match = 0;  // the document that stays instead; the corpus::Reason of a bad record
    double jaccard = 0;  // with it; 1 for an exact copy of it
};

struct ClusterCounts {
    uint64_t num_exact = 0, num_near = 0;
    uint64_t num_compared = 0;         // pairs whose Jaccard was computed
    uint64_t num_below_threshold = 0;  // of those: wrong candidates
    uint64_t num_unverified = 0;       // removed below the threshold (--transitive only)
    std::array<uint64_t, 20> jaccard_histogram{};  // of near removals, in steps of .05
    double expected_misses = 0;  // estimate of duplicates that no band found, see report
};

/// An exact copy of the first of equal documents, or a bad record.
inline Decision decision_of(const Fate& fate) {
    if (fate.kept >= Fate::kBad) return {fate.id, Verdict::kBad, fate.kept - Fate::kBad, 0};
    return {fate.id, Verdict::kExact, fate.kept, 1};
}

/// Feed it every candidate in the order of the keep rule, and every exact copy after its first
/// document. Not thread-safe.
class Clusterer {
 public:
    /// @param has_copies documents that decide_copy() will be asked for; null: it is not used
    /// @param components null unless --transitive
    Clusterer(const Parameters& parameters, uint64_t max_candidates, const IdSet* has_copies,
              uint64_t num_groups, SpillArea& area, uint64_t store_bytes, Components* components);

    /// An exact copy of an earlier document.
    Decision decide_copy(uint64_t id, uint64_t first);
    /// A document that stays whatever it is like; before all others.
    void keep_index_document(uint64_t id, std::span<const Packed48> groups,
                             std::span<const uint64_t> set);
    /// A member of candidate groups. @param set its sorted shingles
    Decision decide_candidate(uint64_t id, std::span<const Packed48> groups,
                              std::span<const uint64_t> set);

    const ClusterCounts& counts() const { return counts_; }

 private:
    static constexpr uint64_t kNone = kMaxId + 1;

    Decision decide_by_component(uint64_t id, std::span<const uint64_t> set);
    Decision remove(uint64_t id, uint64_t match, double jaccard);
    double compare(std::span<const uint64_t> set, uint64_t other, double at_least);
    void gather(std::span<const Packed48> groups);
    void keep(uint64_t id, std::span<const Packed48> groups, std::span<const uint64_t> set);
    void close_groups(std::span<const Packed48> groups);

    Parameters parameters_;
    uint64_t max_candidates_;
    const IdSet* has_copies_;
    Components* components_;
    ShingleStore store_;
    std::vector<uint64_t> first_kept_;                               // of each group, or kNone
    std::unordered_map<uint64_t, std::vector<uint64_t>> more_kept_;  // beyond the first
    std::vector<uint64_t> gathered_;
    std::unordered_map<uint64_t, Decision> removed_firsts_;  // near removals with exact copies
    std::unordered_map<uint64_t, uint64_t> kept_of_root_;    // --transitive: of each component
    ClusterCounts counts_;
};

}  // namespace longhaul::dedup

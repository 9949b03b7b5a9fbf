// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Stage "group": finds equal exact hashes and equal band keys. A key shared by m documents makes
// one group with m members, never pairs, so hot keys cost no more than others.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lib/dedup/external_sort.h"
#include "lib/dedup/records.h"

namespace longhaul::dedup {

/// One bit for each id.
class IdSet {
 public:
    explicit IdSet(uint64_t num_ids) : words_((num_ids + 63) / 64) {}
    void insert(uint64_t id) { words_[id / 64] |= uint64_t{1} << id % 64; }
    bool contains(uint64_t id) const { return (words_[id / 64] >> id % 64 & 1) != 0; }
    std::span<const uint64_t> words() const { return words_; }
    std::span<uint64_t> words() { return words_; }

 private:
    std::vector<uint64_t> words_;
};

/// Every later document of an exact group, with the first one; and bad records. Finished.
struct ExactGroups {
    ExternalSorter<Fate> fates;
    IdSet copies;      // the later documents
    IdSet has_copies;  // the first ones
    uint64_t num_copies = 0;
};

/// Consumes the sorter, which is filled and not finished. Emit: void(uint64_t id, uint64_t first)
/// for every document that equals an earlier one, by their hashes.
template <class Record, class Emit>
void for_each_copy(ExternalSorter<Record>& exact, Emit emit) {
    exact.finish();
    Record first;
    bool has_first = false;
    for (Record record; exact.next(record);) {
        if (!has_first || record.hash != first.hash) {
            first = record;
            has_first = true;
        } else {
            emit(record.id, first.id);
        }
    }
}

/// Consumes the sorters, which are filled and not finished.
/// @param exact of ExactRecord, or of records with its members in another order
template <class Record>
ExactGroups group_exact(ExternalSorter<Record>& exact, ExternalSorter<Fate>& bad_ids,
                        uint64_t num_ids, uint64_t sort_bytes, SpillArea& area) {
    ExactGroups groups{ExternalSorter<Fate>(area, sort_bytes / 16), IdSet(num_ids), IdSet(num_ids),
                       0};
    bad_ids.finish();
    for (Fate fate; bad_ids.next(fate);) groups.fates.add(fate);

    for_each_copy(exact, [&](uint64_t id, uint64_t first) {
        groups.fates.add({id, first});
        groups.copies.insert(id);
        groups.has_copies.insert(first);
        ++groups.num_copies;
    });
    groups.fates.finish();
    exact = ExternalSorter<Record>(area, 0);  // its memory is free now
    return groups;
}

/// Groups of documents that share a band key. Finished; in the order of ids.
struct GroupCounts {
    uint64_t num_groups = 0;
    uint64_t largest_group = 0;
    uint64_t num_hot_groups = 0;  // above kHotGroup members
    static constexpr uint64_t kHotGroup = 10000;
};
struct BandGroups {
    ExternalSorter<Membership> memberships;
    GroupCounts counts;
};

/// Connected components of the candidates, for --transitive: 8 bytes a line.
class Components {
 public:
    explicit Components(uint64_t num_ids);
    void join(uint64_t a, uint64_t b);
    /// The least id of the component.
    uint64_t root(uint64_t id);

 private:
    std::vector<uint64_t> parents_;
};

/// Streams records sorted by (key, id) into groups; of a run of equal keys only the latest member
/// is held back, so that a run of any length needs no memory.
///
/// Documents below `first_new` are those of an index (--against): they are never removed, so a
/// group of them alone is none, and of a group's at most `max_held` matter. Emit: void(const
/// Membership&, uint64_t first_id_of_the_group), by group.
template <class Emit>
class BandGrouper {
 public:
    BandGrouper(GroupCounts& counts, Emit emit, uint64_t first_new = 0, size_t max_held = 1)
        : counts_(counts), emit_(std::move(emit)), first_new_(first_new), max_held_(max_held) {}

    void add(const BandRecord& record) {
        const uint64_t id = record.id.value();
        if (size_ == 0 || record.key() != key_) {
            close();
            key_ = record.key();
            held_.push_back(id);
        } else if (id < first_new_) {
            if (held_.size() < max_held_) held_.push_back(id);
        } else {
            if (!is_open_) open();
            for (const uint64_t member : held_) emit(member, false);
            held_.assign(1, id);
        }
        ++size_;
    }
    /// Ends the last group. Keys may be fed again afterwards.
    void close() {
        if (is_open_) {
            emit(held_.back(), true);
            counts_.largest_group = std::max(counts_.largest_group, size_);
            counts_.num_hot_groups += size_ > GroupCounts::kHotGroup ? 1 : 0;
        }
        held_.clear();
        is_open_ = false;
        size_ = 0;
    }

 private:
    void open() {
        is_open_ = true;
        first_ = held_.front();
        ++counts_.num_groups;
    }
    void emit(uint64_t member, bool is_last) {
        const uint64_t group = counts_.num_groups - 1;
        emit_(Membership{Packed48(member), Packed48(group << 1 | (is_last ? 1 : 0))}, first_);
    }

    GroupCounts& counts_;
    Emit emit_;
    uint64_t first_new_;
    size_t max_held_;
    uint64_t key_ = 0;
    uint64_t size_ = 0;           // members of the current run so far
    std::vector<uint64_t> held_;  // not yet emitted
    bool is_open_ = false;        // the run is a group
    uint64_t first_ = 0;          // of the group
};

/// Consumes the bands' sorters; exact copies are left out (they follow their first document).
/// @param components receives every group, when not null
BandGroups group_bands(std::vector<ExternalSorter<BandRecord>>& bands, const IdSet& copies,
                       uint64_t sort_bytes, SpillArea& area, Components* components);

}  // namespace longhaul::dedup

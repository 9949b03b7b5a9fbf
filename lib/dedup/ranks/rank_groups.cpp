// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/ranks/rank_groups.h"

#include <algorithm>

#include "lib/dedup/ranks/record_exchange.h"
#include "lib/dedup/removal_list.h"
#include "lib/dedup/stages/key_range.h"

namespace longhaul::dedup {

namespace {

/// "These two documents share a key."
struct Link {
    Packed48 first, second;
};

class RankGrouper {
 public:
    RankGrouper(comm::Comm& comm, const RankDocuments& documents, const Options& options,
                const MemoryPlan& memory, SpillArea& area)
        : comm_(comm),
          documents_(documents),
          is_transitive_(options.parameters.is_transitive),
          threads_(options.threads),
          sort_bytes_(memory.sort_bytes),
          exchange_bytes_(memory.sort_bytes / 8),
          area_(area),
          copies_(documents.num_own()),
          result_{IdSet(documents.num_own()),
                  Spool<Fate>(area, sort_bytes_ / 16),
                  ExternalSorter<Membership>(area, sort_bytes_ / 4),
                  std::vector<bool>(documents.share.end - documents.share.begin),
                  {},
                  0,
                  {}},
          memberships_(area, sort_bytes_ / 16),
          links_(area, sort_bytes_ / 16) {}

    RankGroups run(KeySpools& keys) {
        find_copies(keys.exact);
        GroupCounts counts;
        for (size_t band = 0; band < keys.bands.size(); ++band) {
            find_groups(keys.bands[band], band, counts);
        }
        send_memberships(add_up(counts));
        if (is_transitive_) send_links();
        return std::move(result_);
    }

 private:
    int owner_of_hash(const Hash128& hash) const {
        return static_cast<int>(range_of(hash.high, static_cast<uint64_t>(comm_.size())));
    }
    /// Ranges of bands begin at different ranks: documents that are alike share many keys.
    int owner_of_key(uint64_t key, size_t band) const {
        const auto num_ranks = static_cast<uint64_t>(comm_.size());
        return static_cast<int>((range_of(key, num_ranks) + band) % num_ranks);
    }

    void find_copies(Spool<OrderedExactRecord>& own) {
        ExternalSorter<OrderedExactRecord> exact(area_, sort_bytes_ / 4, threads_);
        exchange_records<OrderedExactRecord>(
            comm_, exchange_bytes_, "exact hashes",
            [&](OrderedExactRecord& record, int& to) {
                if (!own.next(record)) return false;
                record.id += documents_.first_own();
                to = owner_of_hash(record.hash);
                return true;
            },
            [&](int, const OrderedExactRecord& record) { exact.add(record); });
        own.clear();
        Spool<Fate> found(area_, sort_bytes_ / 16);
        for_each_copy(exact, [&](uint64_t id, uint64_t first) { found.add({id, first}); });
        exact = ExternalSorter<OrderedExactRecord>(area_, 0);  // its memory is free now
        std::vector<int64_t> num_copies{static_cast<int64_t>(found.count())};
        comm_.all_reduce({num_copies.data(), 1, tensor::DType::kI64}, comm::Op::kSum,
                         {-1, -1, "number of copies"});
        result_.num_copies = static_cast<uint64_t>(num_copies[0]);
        tell_of_copies(found);
    }

    /// Of a copy know the rank that owns it and the one that owns the first.
    void tell_of_copies(Spool<Fate>& found) {
        Fate fate;
        bool is_to_first = false;
        exchange_records<Fate>(
            comm_, exchange_bytes_, "copies",
            [&](Fate& sent, int& to) {
                if (!is_to_first && !found.next(fate)) return false;
                sent = fate;
                to = documents_.owner_of(is_to_first ? fate.kept : fate.id);
                is_to_first = !is_to_first && to != documents_.owner_of(fate.kept);
                return true;
            },
            [&](int, const Fate& copy) { take_copy(copy); });
    }

    void take_copy(const Fate& copy) {
        const uint64_t first = documents_.first_own();
        if (documents_.owner_of(copy.id) == comm_.rank()) copies_.insert(copy.id - first);
        if (documents_.owner_of(copy.kept) != comm_.rank()) return;
        result_.has_copies.insert(copy.kept - first);
        result_.copies.add(copy);
    }

    void find_groups(Spool<BandRecord>& own, size_t band, GroupCounts& counts) {
        ExternalSorter<BandRecord> sorter(area_, sort_bytes_ / 4, threads_);
        exchange_records<BandRecord>(
            comm_, exchange_bytes_, "band keys",
            [&](BandRecord& record, int& to) {
                do {
                    if (!own.next(record)) return false;
                } while (copies_.contains(record.id.value()));
                record.id = Packed48(record.id.value() + documents_.first_own());
                to = owner_of_key(record.key(), band);
                return true;
            },
            [&](int, const BandRecord& record) { sorter.add(record); });
        own.clear();
        sorter.finish();
        BandGrouper grouper(counts, [&](const Membership& membership, uint64_t first) {
            memberships_.add(membership);
            if (is_transitive_ && first != membership.id.value()) {
                links_.add({Packed48(first), membership.id});
            }
        });
        for (BandRecord record; sorter.next(record);) grouper.add(record);
        grouper.close();
    }

    /// Counts of all ranks. @return groups of the ranks before this one: ours are numbered after
    uint64_t add_up(const GroupCounts& own) {
        std::vector<int64_t> mine{static_cast<int64_t>(own.num_groups),
                                  static_cast<int64_t>(own.largest_group),
                                  static_cast<int64_t>(own.num_hot_groups)};
        std::vector<int64_t> all(mine.size() * static_cast<size_t>(comm_.size()));
        const auto buffer = [](std::vector<int64_t>& numbers) {
            return comm::Buffer{numbers.data(), static_cast<int64_t>(numbers.size()),
                                tensor::DType::kI64};
        };
        comm_.all_gather(buffer(mine), buffer(all), {-1, -1, "numbers of groups"});
        uint64_t before = 0;
        GroupCounts& sum = result_.counts;
        for (size_t rank = 0; rank < static_cast<size_t>(comm_.size()); ++rank) {
            if (rank == static_cast<size_t>(comm_.rank())) before = sum.num_groups;
            sum.num_groups += static_cast<uint64_t>(all[3 * rank]);
            sum.largest_group =
                std::max(sum.largest_group, static_cast<uint64_t>(all[3 * rank + 1]));
            sum.num_hot_groups += static_cast<uint64_t>(all[3 * rank + 2]);
        }
        return before;
    }

    void send_memberships(uint64_t first_group) {
        exchange_records<Membership>(
            comm_, exchange_bytes_, "members of groups",
            [&](Membership& membership, int& to) {
                if (!memberships_.next(membership)) return false;
                membership.group = Packed48(membership.group.value() + 2 * first_group);
                to = documents_.owner_of(membership.id.value());
                return true;
            },
            [&](int, const Membership& membership) {
                result_.memberships.add(membership);
                const Place place = place_of(membership.id.value(), documents_.sources);
                result_.has_candidates[place.input - documents_.share.begin] = true;
            });
        memberships_.clear();
        result_.memberships.finish();
    }

    void send_links() {
        if (comm_.rank() == 0) {
            result_.components = std::make_unique<Components>(documents_.num_ids());
        }
        exchange_records<Link>(
            comm_, exchange_bytes_, "links",
            [&](Link& link, int& to) {
                to = 0;
                return links_.next(link);
            },
            [&](int, const Link& link) {
                result_.components->join(link.first.value(), link.second.value());
            });
    }

    comm::Comm& comm_;
    const RankDocuments& documents_;
    bool is_transitive_;
    int threads_;
    uint64_t sort_bytes_;
    uint64_t exchange_bytes_;
    SpillArea& area_;
    IdSet copies_;  // documents of this rank that are copies
    RankGroups result_;
    Spool<Membership> memberships_;  // of groups of this rank
    Spool<Link> links_;              // --transitive
};

}  // namespace

RankGroups group_over_ranks(comm::Comm& comm, const RankDocuments& documents,
                            const Options& options, const MemoryPlan& memory, SpillArea& area,
                            KeySpools& keys) {
    return RankGrouper(comm, documents, options, memory, area).run(keys);
}

}  // namespace longhaul::dedup

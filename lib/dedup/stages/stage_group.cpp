// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "lib/dedup/group.h"
#include "lib/dedup/stages/index.h"
#include "lib/dedup/stages/key_range.h"
#include "lib/dedup/stages/stage_units.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

/// Adds a unit's keys of one part, but not those of exact copies.
class KeyLoader {
 public:
    KeyLoader(const Work& work, uint64_t part, const IdSet& copies,
              ExternalSorter<BandRecord>& sorter)
        : copies_(copies),
          sorter_(sorter),
          num_ranges_(work.plan().num_splits),
          band_(part / num_ranges_),
          range_(part % num_ranges_) {}

    void load(const UnitSpan& unit) {
        const StageReader file = unit.work->read(Stage::kSign, unit.unit);
        // An index may have been cut into other ranges.
        const uint64_t there = unit.work->plan().num_splits;
        const uint64_t first = range_of(first_key(range_, num_ranges_), there);
        const uint64_t last = range_of(last_key(range_, num_ranges_), there);
        for (uint64_t range = first; range <= last; ++range) {
            load_section(file, Work::band_section(band_ * there + range), unit);
        }
    }

 private:
    void load_section(const StageReader& file, size_t section, const UnitSpan& unit) {
        IndexFilter filter(unit);
        RecordReader<BandRecord> records(file, section);
        for (BandRecord record; records.next(record);) {
            const uint64_t line = record.id.value();
            if (line >= unit.num_lines) file.refuse(format("document {}", line));
            const uint64_t id = unit.first_id + line;
            const bool is_asked = range_of(record.key(), num_ranges_) == range_ &&
                                  !filter.leaves_out(line) && !copies_.contains(id);
            if (is_asked) sorter_.add(BandRecord(record.key(), id));
        }
    }

    const IdSet& copies_;
    ExternalSorter<BandRecord>& sorter_;
    uint64_t num_ranges_, band_, range_;
};

/// Finds the groups among sorted keys.
GroupCounts find_groups(const UnitContext& context, const Documents& documents,
                        ExternalSorter<BandRecord>& keys, ExternalSorter<Membership>& memberships) {
    // Of an index's documents in a group, the first are all that anything is compared with; a
    // closure needs all.
    const size_t max_held = context.options.parameters.is_transitive
                                ? std::numeric_limits<size_t>::max()
                                : context.options.max_candidates;
    GroupCounts counts;
    BandGrouper grouper(
        counts, [&](const Membership& membership, uint64_t) { memberships.add(membership); },
        documents.first_new, max_held);
    for (BandRecord record; keys.next(record);) grouper.add(record);
    grouper.close();
    return counts;
}

void write(const UnitContext& context, uint64_t part, const Documents& documents,
           const GroupCounts& counts, ExternalSorter<Membership>& memberships) {
    const auto file = context.work.write(Stage::kGroup, part,
                                         GroupSections::kMemberships + documents.units.size(),
                                         context.memory.sort_bytes / 8);
    file->add_text(kMetaSection,
                   io::to_line({{"groups", counts.num_groups},
                                {"largest_group", counts.largest_group},
                                {"hot_groups", counts.num_hot_groups}}),
                   0);
    size_t unit = 0;
    for (Membership membership; memberships.next(membership);) {
        const uint64_t id = membership.id.value();
        while (id >= documents.units[unit].first_id + documents.units[unit].num_lines) ++unit;
        file->add(GroupSections::kMemberships + unit, membership);
    }
    file->commit();
}

}  // namespace

IdSet read_id_set(const StageReader& file, size_t section, uint64_t num_ids) {
    IdSet set(num_ids);
    RecordReader<uint64_t> words(file, section);
    if (words.num_rows() != set.words().size()) {
        file.refuse(format("{} documents expected", num_ids));
    }
    size_t at = 0;
    for (uint64_t word = 0; words.next(word);) set.words()[at++] = word;
    return set;
}

void group_unit(const UnitContext& context, uint64_t part) {
    const Documents documents = read_documents(context.work);
    const IdSet copies =
        read_id_set(context.work.read(Stage::kExact, 0), ExactSections::kCopies, documents.num_ids);
    const uint64_t sort_bytes = context.memory.sort_bytes;
    ExternalSorter<BandRecord> keys(context.area, sort_bytes - sort_bytes / 4);
    KeyLoader loader(context.work, part, copies, keys);
    for (const UnitSpan& unit : documents.units) loader.load(unit);
    keys.finish();
    ExternalSorter<Membership> memberships(context.area, sort_bytes / 4);
    const GroupCounts counts = find_groups(context, documents, keys, memberships);
    keys = ExternalSorter<BandRecord>(context.area, 0);  // its memory is free now
    memberships.finish();
    write(context, part, documents, counts, memberships);
}

}  // namespace longhaul::dedup

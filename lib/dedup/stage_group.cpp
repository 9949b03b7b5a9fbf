// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/group.h"
#include "lib/dedup/stage_units.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

/// Adds the keys of one part of a unit, but not those of exact copies.
void load(const StageReader& file, uint64_t part, const UnitSpan& unit, const IdSet& copies,
          ExternalSorter<BandRecord>& sorter) {
    RecordReader<BandRecord> records(file, Work::band_section(part));
    for (BandRecord record; records.next(record);) {
        const uint64_t local = record.id.value();
        if (local >= unit.num_lines) file.refuse(format("document {}", local));
        const uint64_t id = unit.first_id + local;
        if (!copies.contains(id)) sorter.add(BandRecord(record.key(), id));
    }
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
    const Work& work = context.work;
    const Documents documents = read_documents(work);
    const IdSet copies =
        read_id_set(work.read(Stage::kExact, 0), ExactSections::kCopies, documents.num_ids);
    const uint64_t sort_bytes = context.memory.sort_bytes;
    ExternalSorter<BandRecord> keys(context.area, sort_bytes - sort_bytes / 4);
    for (uint64_t i = 0; i < documents.units.size(); ++i) {
        load(work.read(Stage::kSign, i), part, documents.units[i], copies, keys);
    }
    keys.finish();
    ExternalSorter<Membership> memberships(context.area, sort_bytes / 4);
    GroupCounts counts;
    BandGrouper grouper(
        counts, [&](const Membership& membership, uint64_t) { memberships.add(membership); });
    for (BandRecord record; keys.next(record);) grouper.add(record);
    grouper.close();
    memberships.finish();

    const auto file = work.write(
        Stage::kGroup, part, GroupSections::kMemberships + documents.units.size(), sort_bytes / 8);
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

}  // namespace longhaul::dedup

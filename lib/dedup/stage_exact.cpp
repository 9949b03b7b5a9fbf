// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "lib/dedup/group.h"
#include "lib/dedup/stage_units.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

/// Adds a unit's exact hashes and bad records, with ids of the whole run.
void load(const StageReader& file, const UnitSpan& unit, ExternalSorter<ExactRecord>& exact,
          ExternalSorter<Fate>& bad) {
    RecordReader<ExactRecord> documents(file, SignSections::kExact);
    for (ExactRecord record; documents.next(record);) {
        if (record.id >= unit.num_lines) file.refuse(format("document {}", record.id));
        record.id += unit.first_id;
        exact.add(record);
    }
    RecordReader<BadRow> rows(file, SignSections::kBad);
    for (BadRow row; rows.next(row);) {
        if (row.id >= unit.num_lines) file.refuse(format("record {}", row.id));
        bad.add({unit.first_id + row.id, Fate::kBad + row.reason});
    }
}

}  // namespace

void exact_unit(const UnitContext& context, uint64_t unit) {
    const Documents documents = read_documents(context.work);
    documents.bad.check(context.options.reader.policy, documents.num_records);
    const uint64_t sort_bytes = context.memory.sort_bytes;
    ExternalSorter<ExactRecord> exact(context.area, sort_bytes - sort_bytes / 8);
    ExternalSorter<Fate> bad(context.area, sort_bytes / 16);
    for (uint64_t i = 0; i < documents.units.size(); ++i) {
        load(context.work.read(Stage::kSign, i), documents.units[i], exact, bad);
    }
    ExactGroups groups = group_exact(exact, bad, documents.num_ids, sort_bytes, context.area);

    const auto file =
        context.work.write(Stage::kExact, unit, ExactSections::kCount, sort_bytes / 16);
    file->add_text(kMetaSection, io::to_line({{"copies", groups.num_copies}}), 0);
    file->add_all(ExactSections::kCopies, std::as_const(groups.copies).words());
    file->add_all(ExactSections::kHasCopies, std::as_const(groups.has_copies).words());
    for (Fate fate; groups.fates.next(fate);) {
        file->add(ExactSections::kFates, FateRow{fate.id, fate.kept});
    }
    file->commit();
}

}  // namespace longhaul::dedup

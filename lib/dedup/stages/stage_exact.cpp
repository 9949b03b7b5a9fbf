// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <utility>

#include "lib/dedup/group.h"
#include "lib/dedup/stages/index.h"
#include "lib/dedup/stages/stage_units.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

void add(ExternalSorter<ExactRecord>& sorter, const ExactRecord& record, const OrderKey&) {
    sorter.add(record);
}
void add(ExternalSorter<OrderedExactRecord>& sorter, const ExactRecord& record,
         const OrderKey& order) {
    sorter.add({record.hash, order, record.id});
}

/// Adds a unit's exact hashes, with ids of the whole run.
template <class Record>
void load_documents(const StageReader& file, const UnitSpan& unit, bool has_order,
                    ExternalSorter<Record>& sorter) {
    RecordReader<ExactRecord> documents(file, SignSections::kExact);
    std::optional<RecordReader<OrderKey>> orders;
    if (has_order && !unit.is_index) orders.emplace(file, SignSections::kOrder);
    IndexFilter filter(unit);
    for (ExactRecord record; documents.next(record);) {
        OrderKey order = OrderKey::index();
        if (orders && !orders->next(order)) file.refuse("it lacks the order of documents");
        if (record.id >= unit.num_lines) file.refuse(format("document {}", record.id));
        if (filter.leaves_out(record.id)) continue;
        record.id += unit.first_id;
        add(sorter, record, order);
    }
    OrderKey order;
    if (orders && orders->next(order)) file.refuse("it orders too many documents");
}

void load_bad(const StageReader& file, const UnitSpan& unit, ExternalSorter<Fate>& bad) {
    RecordReader<BadRow> rows(file, SignSections::kBad);
    for (BadRow row; rows.next(row);) {
        if (row.id >= unit.num_lines) file.refuse(format("record {}", row.id));
        bad.add({unit.first_id + row.id, Fate::kBad + row.reason});
    }
}

template <class Record>
void find_copies(const UnitContext& context, const Documents& documents) {
    const uint64_t sort_bytes = context.memory.sort_bytes;
    const bool has_order = !context.options.keep.is_input_order();
    ExternalSorter<Record> exact(context.area, sort_bytes - sort_bytes / 8,
                                 context.options.threads);
    ExternalSorter<Fate> bad(context.area, sort_bytes / 16);
    for (const UnitSpan& unit : documents.units) {
        const StageReader file = unit.work->read(Stage::kSign, unit.unit);
        load_documents(file, unit, has_order, exact);
        if (!unit.is_index) load_bad(file, unit, bad);
    }
    ExactGroups groups = group_exact(exact, bad, documents.num_ids, sort_bytes, context.area);

    const auto file = context.work.write(Stage::kExact, 0, ExactSections::kCount, sort_bytes / 16);
    file->add_text(kMetaSection, io::to_line({{"copies", groups.num_copies}}), 0);
    file->add_all(ExactSections::kCopies, std::as_const(groups.copies).words());
    file->add_all(ExactSections::kHasCopies, std::as_const(groups.has_copies).words());
    for (Fate fate; groups.fates.next(fate);) {
        // Two indexes may hold the same document.
        if (fate.id >= documents.first_new) {
            file->add(ExactSections::kFates, FateRow{fate.id, fate.kept});
        }
    }
    file->commit();
}

}  // namespace

void exact_unit(const UnitContext& context, uint64_t) {
    const Documents documents = read_documents(context.work);
    documents.bad.check(context.options.reader.policy, documents.num_records);
    if (context.options.keep.is_input_order()) {
        find_copies<ExactRecord>(context, documents);
    } else {
        find_copies<OrderedExactRecord>(context, documents);
    }
}

}  // namespace longhaul::dedup

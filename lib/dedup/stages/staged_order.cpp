// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/staged_order.h"

#include <algorithm>
#include <optional>

#include "lib/base/hash.h"

namespace longhaul::dedup {

namespace {

/// The order keys of a unit's documents, which are asked for by growing lines.
class OrderReader {
 public:
    explicit OrderReader(const UnitSpan& unit)
        : is_index_(unit.is_index),
          file_(unit.work->read(Stage::kSign, unit.unit)),
          documents_(file_, SignSections::kExact) {
        if (!is_index_) orders_.emplace(file_, SignSections::kOrder);
    }
    OrderKey order_of(uint64_t line) {
        if (is_index_) return OrderKey::index();
        ExactRecord record;
        OrderKey order;
        while (documents_.next(record) && orders_->next(order)) {
            if (record.id == line) return order;
        }
        file_.refuse(format("it lacks the order of document {}", line));
    }

 private:
    bool is_index_;
    StageReader file_;
    RecordReader<ExactRecord> documents_;
    std::optional<RecordReader<OrderKey>> orders_;
};

}  // namespace

StagedOrder::StagedOrder(const UnitContext& context, const Documents& documents,
                         MembershipMerge& merge)
    : documents_(documents),
      order_(
          context.memory, context.area, merge.counts().num_groups,
          [this](const SetRow& row, std::vector<uint64_t>& shingles) { read_set(row, shingles); }) {
    for (size_t unit = 0; unit < documents.units.size(); ++unit) add_unit(context, unit, merge);
    order_.finish();
}

void StagedOrder::add_unit(const UnitContext& context, size_t unit, MembershipMerge& merge) {
    const UnitSpan& span = documents_.units[unit];
    shingle_files_.push_back(context.work.read(Stage::kShingles, unit));
    RecordReader<SetRow> rows(shingle_files_.back(), ShingleSections::kRows);
    OrderReader orders(span);
    merge.open_unit(unit);
    SetRow row;
    for (Candidate candidate; merge.next(candidate);) {
        if (!rows.next(row) || row.id != candidate.id) {
            shingle_files_.back().refuse(
                format("it lacks the shingles of document {}", candidate.id));
        }
        order_.add(orders.order_of(candidate.id - span.first_id), row, candidate.groups);
    }
    if (rows.next(row)) shingle_files_.back().refuse("it holds too many documents");
}

void StagedOrder::read_set(const SetRow& row, std::vector<uint64_t>& shingles) const {
    const auto after =
        std::upper_bound(documents_.units.begin(), documents_.units.end(), row.id,
                         [](uint64_t id, const UnitSpan& unit) { return id < unit.first_id; });
    const auto unit = static_cast<size_t>(after - documents_.units.begin()) - 1;
    const StageReader& file = shingle_files_[unit];
    const uint64_t num_stored = file.section(ShingleSections::kSets).bytes / sizeof(uint64_t);
    if (row.begin > num_stored || row.count > num_stored - row.begin) {
        file.refuse(format("the shingles of document {} are cut", row.id));
    }
    shingles.resize(row.count);
    const auto bytes = std::as_writable_bytes(std::span(shingles));
    file.read_at(ShingleSections::kSets, row.begin * sizeof(uint64_t), bytes);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (xxh3_64(text) != row.hash) {
        file.refuse(format("the shingles of document {} are damaged", row.id));
    }
}

}  // namespace longhaul::dedup

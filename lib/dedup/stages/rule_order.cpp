// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/rule_order.h"

#include <algorithm>

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

template <class Record>
std::optional<Record> take(ExternalSorter<Record>& sorter) {
    Record record;
    return sorter.next(record) ? std::optional<Record>(record) : std::nullopt;
}

}  // namespace

RuleOrder::RuleOrder(const UnitContext& context, const Documents& documents, MembershipMerge& merge)
    : documents_(documents),
      window_shingles_(context.memory.store_bytes / 8 / sizeof(uint64_t)),
      candidates_(context.area, context.memory.sort_bytes / 4),
      memberships_(context.area, context.memory.sort_bytes / 4),
      num_left_(merge.counts().num_groups) {
    for (size_t unit = 0; unit < documents.units.size(); ++unit) add_unit(context, unit, merge);
    candidates_.finish();
    memberships_.finish();
    next_candidate_ = take(candidates_);
    next_membership_ = take(memberships_);
}

void RuleOrder::add_unit(const UnitContext& context, size_t unit, MembershipMerge& merge) {
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
        const OrderKey order = orders.order_of(candidate.id - span.first_id);
        candidates_.add({order, row});
        for (const Packed48 group : candidate.groups) {
            memberships_.add({order, Packed48(candidate.id), group});
            ++num_left_[group.value() >> 1];
        }
    }
    if (rows.next(row)) shingle_files_.back().refuse("it holds too many documents");
}

/// Sets that follow each other in this order lie anywhere: a number of them is read in the order in
/// which they lie.
void RuleOrder::load_window() {
    constexpr size_t kMostSets = 4096;
    window_.clear();
    window_at_ = 0;
    uint64_t num_shingles = 0;
    while (next_candidate_ && window_.size() < kMostSets) {
        num_shingles += next_candidate_->set.count;
        if (!window_.empty() && num_shingles > window_shingles_) break;
        window_.push_back({*next_candidate_, {}});
        next_candidate_ = take(candidates_);
    }
    std::vector<Loaded*> by_place;
    for (Loaded& loaded : window_) by_place.push_back(&loaded);
    std::sort(by_place.begin(), by_place.end(), [](const Loaded* a, const Loaded* b) {
        return a->candidate.set.id < b->candidate.set.id;
    });
    for (Loaded* loaded : by_place) read_set(*loaded);
}

void RuleOrder::read_set(Loaded& loaded) const {
    const SetRow& row = loaded.candidate.set;
    const auto after =
        std::upper_bound(documents_.units.begin(), documents_.units.end(), row.id,
                         [](uint64_t id, const UnitSpan& unit) { return id < unit.first_id; });
    const auto unit = static_cast<size_t>(after - documents_.units.begin()) - 1;
    const StageReader& file = shingle_files_[unit];
    const uint64_t num_stored = file.section(ShingleSections::kSets).bytes / sizeof(uint64_t);
    if (row.begin > num_stored || row.count > num_stored - row.begin) {
        file.refuse(format("the shingles of document {} are cut", row.id));
    }
    loaded.shingles.resize(row.count);
    const auto bytes = std::as_writable_bytes(std::span(loaded.shingles));
    file.read_at(ShingleSections::kSets, row.begin * sizeof(uint64_t), bytes);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (xxh3_64(text) != row.hash) {
        file.refuse(format("the shingles of document {} are damaged", row.id));
    }
}

bool RuleOrder::next(Candidate& candidate) {
    if (window_at_ == window_.size()) load_window();
    if (window_.empty()) return false;
    candidate.id = window_[window_at_++].candidate.set.id;
    candidate.groups.clear();
    for (; next_membership_ && next_membership_->id.value() == candidate.id;
         next_membership_ = take(memberships_)) {
        const uint64_t group = next_membership_->group.value() >> 1;
        const bool is_last = --num_left_[group] == 0;
        candidate.groups.push_back(Packed48(group << 1 | (is_last ? 1 : 0)));
    }
    return true;
}

}  // namespace longhaul::dedup

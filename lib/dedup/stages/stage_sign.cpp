// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "lib/dedup/sign.h"
#include "lib/dedup/stages/key_range.h"
#include "lib/dedup/stages/stage_units.h"

namespace longhaul::dedup {

namespace {

/// Band keys of the same range go into the same section.
class FileSink : public SignSink {
 public:
    FileSink(StageWriter& file, uint64_t num_splits, bool has_order)
        : file_(file), num_splits_(num_splits), has_order_(has_order) {}

    void add_document(const ExactRecord& record, const OrderKey& order) override {
        file_.add(SignSections::kExact, record);
        if (has_order_) file_.add(SignSections::kOrder, order);
    }
    void add_keys(std::span<const uint64_t> ids, std::span<const uint64_t> keys) override {
        const size_t num_bands = ids.empty() ? 0 : keys.size() / ids.size();
        for (size_t band = 0; band < num_bands; ++band) {
            for (size_t i = 0; i < ids.size(); ++i) {
                const uint64_t key = keys[i * num_bands + band];
                file_.add(Work::band_section(band * num_splits_ + range_of(key, num_splits_)),
                          BandRecord(key, ids[i]));
            }
        }
    }
    void add_bad(uint64_t id, corpus::Reason reason) override {
        file_.add(SignSections::kBad, BadRow{id, static_cast<uint64_t>(reason)});
    }

 private:
    StageWriter& file_;
    uint64_t num_splits_;
    bool has_order_;
};

}  // namespace

void sign_unit(const UnitContext& context, uint64_t unit) {
    check_unchanged(context.work.plan(), unit);
    const auto file = context.work.write(Stage::kSign, unit,
                                         Work::band_section(context.work.num_units(Stage::kGroup)),
                                         context.memory.sort_bytes);
    FileSink sink(*file, context.work.plan().num_splits, !context.options.keep.is_input_order());
    Inputs inputs = context.work.unit_inputs(unit);
    const Signed documents =
        sign(inputs, context.options, context.memory, context.area, sink, context.on_bytes);
    documents.bad.warn();
    file->add_text(kMetaSection, sign_meta(documents), 0);
    file->commit();
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "lib/base/error.h"
#include "lib/dedup/group.h"
#include "lib/dedup/second_reading.h"
#include "lib/dedup/stages/stage_units.h"

namespace longhaul::dedup {

namespace {

/// Documents of the unit that share a key with another; numbers from 0 in the unit.
IdSet candidates_of(const Work& work, uint64_t unit, const UnitSpan& span) {
    IdSet candidates(span.num_lines);
    for (uint64_t part = 0; part < work.num_units(Stage::kGroup); ++part) {
        const StageReader file = work.read(Stage::kGroup, part);
        RecordReader<Membership> memberships(file, GroupSections::kMemberships + unit);
        for (Membership membership; memberships.next(membership);) {
            const uint64_t id = membership.id.value();
            if (id < span.first_id || id - span.first_id >= span.num_lines) {
                file.refuse(format("document {}", id));
            }
            candidates.insert(id - span.first_id);
        }
    }
    return candidates;
}

/// Writes the sets of one input after the other.
class SetWriter {
 public:
    SetWriter(UnitContext context, StageWriter& file) : context_(std::move(context)), file_(file) {}

    /// @param candidates by number in the unit, whose first document has the id `first_id`
    void add_input(const Inputs& input, const Source& source, const IdSet& candidates,
                   uint64_t first_id) {
        const uint64_t before = source.first_id - first_id;
        bool has_candidate = false;
        for (uint64_t i = 0; i < source.num_lines && !has_candidate; ++i) {
            has_candidate = candidates.contains(before + i);
        }
        if (!has_candidate) {
            context_.on_bytes(source.stored_bytes);
            return;
        }
        read_again({input, context_.options, context_.memory,
                    [&](MarkedBatch& item) { attach(item, candidates, before, source); },
                    [&](MarkedBatch& item) { take(item, input[0], source); }, context_.on_bytes});
    }

 private:
    static void attach(MarkedBatch& item, const IdSet& candidates, uint64_t before,
                       const Source& source) {
        for (size_t line = 0; line < item.batch.lines.size(); ++line) {
            const uint64_t row = item.batch.first_id + line;
            if (row >= source.num_lines || !candidates.contains(before + row)) continue;
            Mark mark;
            mark.line = line;
            mark.is_candidate = true;
            item.marks.push_back(std::move(mark));
        }
    }

    void take(const MarkedBatch& item, const Input& input, const Source& source) {
        const Batch& batch = item.batch;
        for (const Mark& mark : item.marks) {
            const auto bytes = std::as_bytes(std::span(mark.set));
            const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            file_.add(ShingleSections::kRows,
                      SetRow{source.first_id + batch.first_id + mark.line, num_shingles_,
                             mark.set.size(), xxh3_64(text)});
            file_.add_all(ShingleSections::kSets, std::span<const uint64_t>(mark.set));
            num_shingles_ += mark.set.size();
        }
        const bool has_changed =
            batch.ends_input && (batch.stored_hash != source.stored_hash ||
                                 batch.first_row + batch.lines.size() != source.num_lines);
        if (has_changed && !input.is_stream) {
            throw DataError(format("{} has changed since it was signed", input.name));
        }
    }

    UnitContext context_;
    StageWriter& file_;
    uint64_t num_shingles_ = 0;
};

}  // namespace

namespace {

/// An index's inputs are read as its own plan says.
Options reading_options(const Options& options, const UnitSpan& unit) {
    Options result = options;
    result.reader = unit.work->plan().options.reader;
    return result;
}

}  // namespace

void shingles_unit(const UnitContext& context, uint64_t unit) {
    const Work& work = context.work;
    const Documents documents = read_documents(work);
    const UnitSpan& span = documents.units[unit];
    const IdSet candidates = candidates_of(work, unit, span);
    const auto file =
        work.write(Stage::kShingles, unit, ShingleSections::kCount, context.memory.sort_bytes / 8);
    file->add_text(kMetaSection, "{}", 0);
    const Options options = reading_options(context.options, span);
    SetWriter sets({work, options, context.memory, context.area, context.on_bytes}, *file);
    const Inputs inputs = span.work->unit_inputs(span.unit);
    for (size_t i = 0; i < inputs.size(); ++i) {
        sets.add_input(inputs.slice(i, i + 1), documents.sources[span.first_source + i], candidates,
                       span.first_id);
    }
    file->commit();
}

}  // namespace longhaul::dedup

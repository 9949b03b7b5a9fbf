// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/stage_apply.h"

#include <filesystem>
#include <utility>

#include "lib/base/error.h"
#include "lib/dedup/applied_json.h"
#include "lib/dedup/remover.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

namespace fs = std::filesystem;

/// Marks the lines of a unit that go.
class DecisionMarks {
 public:
    /// @param unit among all units, those of indexes first
    DecisionMarks(const StageReader& file, size_t unit, uint64_t first_id)
        : file_(file), rows_(file, ClusterSections::kDecisions + unit), first_id_(first_id) {
        advance();
    }

    void attach(MarkedBatch& item) {
        const uint64_t first = item.batch.first_id;
        const uint64_t end = first + item.batch.lines.size();
        for (; has_row_ && row_.id < end; advance()) {
            if (row_.id < first || row_.verdict > static_cast<uint64_t>(Verdict::kBad)) {
                file_.refuse(format("document {}", row_.id));
            }
            Mark mark;
            mark.line = row_.id - first;
            mark.decision = {first_id_ + row_.id, static_cast<Verdict>(row_.verdict), row_.match,
                             row_.jaccard};
            item.marks.push_back(std::move(mark));
        }
    }
    void finish() const {
        if (has_row_) file_.refuse(format("document {} is beyond its unit", row_.id));
    }

 private:
    void advance() { has_row_ = rows_.next(row_); }

    const StageReader& file_;
    RecordReader<DecisionRow> rows_;
    uint64_t first_id_;
    DecisionRow row_;
    bool has_row_ = false;
};

/// What decides whether a done unit serves an output.
io::Json output_json(const Options& options, Target target) {
    const std::string path =
        target == Target::kNone ? "" : fs::weakly_canonical(fs::absolute(options.output)).string();
    return {{"target", static_cast<int>(target)},
            {"path", path},
            {"annotate", options.annotate},
            {"removal_list", !options.removal_list.empty()}};
}

fs::path path_of(const record::FileEntry& entry, const Options& options, Target target) {
    return target == Target::kFile ? fs::path(options.output)
                                   : fs::path(options.output) / entry.path;
}

}  // namespace

void apply_decisions(const UnitContext& context, uint64_t unit, Documents& documents,
                     const UnitOutput& output) {
    const size_t number = documents.first_unit + unit;
    const UnitSpan& span = documents.units[number];
    const StageReader decisions = context.work.read(Stage::kCluster, 0);
    DecisionMarks marks(decisions, number, span.first_id);
    const Inputs inputs = context.work.unit_inputs(unit);
    const RemoverContext remover_context{
        context.options.annotate,
        inputs,
        std::span(documents.sources).subspan(span.first_source, span.num_sources),
        context.work.plan().unit_begin(unit),
        output.writer,
        output.list,
        [](const Mark& mark) { return mark.decision; },
        output.on_removed};
    Remover remover(remover_context);
    read_again(
        {inputs, context.options, context.memory, [&](MarkedBatch& item) { marks.attach(item); },
         [&](MarkedBatch& item) { remover.take(item); }, context.on_bytes, output.writer.tasks()});
    marks.finish();
}

void apply_unit(const UnitContext& context, Target target, uint64_t unit) {
    Documents documents = read_documents(context.work);
    const UnitSpan& span = documents.units[documents.first_unit + unit];
    const auto file =
        context.work.write(Stage::kApply, unit, ApplySections::kCount, uint64_t{8} << 20);
    OutputWriter writer(target, context.options.output, context.work.inputs(),
                        context.options.threads);
    RemovalList::Sink sink;
    if (!context.options.removal_list.empty()) {
        sink = [&](std::string_view lines, uint64_t records) {
            file->add_text(ApplySections::kRemovals, lines, records);
        };
    }
    RemovalList list(sink, documents.sources);
    apply_decisions(context, unit, documents, {writer, list, [](const Decision&) {}});
    list.flush();

    const auto sources = std::span(documents.sources).subspan(span.first_source, span.num_sources);
    io::Json meta = applied_json(writer.finish(), sources);
    meta["output"] = output_json(context.options, target);
    file->add_text(kMetaSection, io::to_line(meta), 0);
    file->commit();
}

std::optional<AppliedUnit> read_applied(const UnitContext& context, Target target, uint64_t unit,
                                        const Documents& documents) {
    if (!context.work.is_done(Stage::kApply, unit)) return std::nullopt;
    const StageReader file = context.work.read(Stage::kApply, unit);
    const std::string source = file.path().string();
    const io::Json meta = io::parse_json(file.read_text(kMetaSection), source);
    if (meta.value("output", io::Json()) != output_json(context.options, target)) {
        return std::nullopt;
    }
    AppliedUnit applied;
    const UnitSpan& span = documents.units[documents.first_unit + unit];
    const auto first = documents.sources.begin() + static_cast<ptrdiff_t>(span.first_source);
    applied.sources.assign(first, first + static_cast<ptrdiff_t>(span.num_sources));
    read_applied_json(meta, source, applied.outputs, applied.sources);
    for (const record::FileEntry& entry : applied.outputs) {
        std::error_code error;
        const uint64_t bytes = fs::file_size(path_of(entry, context.options, target), error);
        if (bytes != entry.bytes || error) return std::nullopt;
    }
    return applied;
}

}  // namespace longhaul::dedup

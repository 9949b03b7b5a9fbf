// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/staged_output.h"

#include <utility>

#include "lib/base/error.h"
#include "lib/dedup/check_paths.h"
#include "lib/dedup/manifest.h"
#include "lib/dedup/stages/cluster_meta.h"
#include "lib/dedup/survey.h"

namespace longhaul::dedup {

namespace {

std::vector<Source> own_sources(const Documents& documents) {
    return {documents.sources.begin() + static_cast<ptrdiff_t>(documents.first_source),
            documents.sources.end()};
}

}  // namespace

StagedOutput::StagedOutput(const UnitContext& context)
    : context_(context),
      documents_(read_documents(context.work)),
      target_(resolve_target(context.options.output, context.work.inputs(),
                             !context.options.removal_list.empty())) {
    check_paths(context.options, context.work.inputs(), target_);
}

bool StagedOutput::is_complete() const {
    return dedup::is_complete(context_.options, context_.work.inputs(), target_,
                              own_sources(documents_));
}

void StagedOutput::retract() {
    retract_earlier_output(context_.options, context_.work.inputs(), target_);
}

void StagedOutput::apply(const std::vector<uint64_t>& units) {
    probe_paths(context_.options, target_);
    if (target_ == Target::kStdout) {
        apply_to_stream();
        return;
    }
    // A killed run leaves this begun manifest, by which the next one knows the file as ours.
    if (target_ == Target::kFile && !units.empty()) {
        begun_manifest_.emplace(context_.options.output + ".manifest.json");
    }
    for (const uint64_t unit : units) {
        if (!read_applied(context_, target_, unit, documents_)) apply_unit(context_, target_, unit);
    }
}

void StagedOutput::apply_to_stream() {
    const Options& options = context_.options;
    OutputWriter writer(target_, options.output, context_.work.inputs(), options.threads);
    std::optional<RemovalFile> list_file;
    RemovalList::Sink sink;
    if (!options.removal_list.empty()) {
        list_file.emplace(options.removal_list);
        sink = [&](std::string_view lines, uint64_t records) { list_file->write(lines, records); };
    }
    RemovalList list(sink, documents_.sources);
    for (uint64_t unit = 0; unit < num_units(); ++unit) {
        apply_decisions(context_, unit, documents_, {writer, list, [](const Decision&) {}});
    }
    list.flush();
    if (list_file) streamed_list_ = list_file->finish();
    writer.finish();
    is_streamed_ = true;
}

std::vector<uint64_t> StagedOutput::missing() const {
    std::vector<uint64_t> units;
    if (is_streamed_) return units;
    for (uint64_t unit = 0; unit < num_units(); ++unit) {
        if (!read_applied(context_, target_, unit, documents_)) units.push_back(unit);
    }
    return units;
}

/// Joins what the units wrote.
void StagedOutput::gather_units(Outcome& outcome, std::vector<Source>& sources) const {
    std::optional<RemovalFile> list;
    if (!context_.options.removal_list.empty()) list.emplace(context_.options.removal_list);
    for (uint64_t unit = 0; unit < num_units(); ++unit) {
        const auto applied = read_applied(context_, target_, unit, documents_);
        if (!applied) {
            throw UsageError(
                format("unit {} of {} is not applied; run \"dedup-minhash apply {}\" "
                       "with the same outputs first",
                       unit, num_units(), context_.work.folder().string()));
        }
        outcome.outputs.insert(outcome.outputs.end(), applied->outputs.begin(),
                               applied->outputs.end());
        sources.insert(sources.end(), applied->sources.begin(), applied->sources.end());
        if (!list) continue;
        const StageReader file = context_.work.read(Stage::kApply, unit);
        uint64_t records = file.section(ApplySections::kRemovals).rows;
        file.for_each_block(ApplySections::kRemovals, [&](std::span<const std::byte> block) {
            list->write({reinterpret_cast<const char*>(block.data()), block.size()},
                        std::exchange(records, 0));
        });
    }
    if (list) outcome.removal_list = list->finish();
}

Survey StagedOutput::survey() const {
    Surveyor surveyor(context_.area, context_.memory.sort_bytes / 8,
                      num_survey_pairs(context_.options));
    const StageReader file = context_.work.read(Stage::kCluster, 0);
    for (size_t unit = documents_.first_unit; unit < documents_.units.size(); ++unit) {
        const uint64_t first_id = documents_.units[unit].first_id;
        RecordReader<DecisionRow> rows(file, ClusterSections::kDecisions + unit);
        for (DecisionRow row; rows.next(row);) {
            const auto verdict = static_cast<Verdict>(row.verdict);
            if (verdict == Verdict::kBad) continue;
            surveyor.add({first_id + row.id, verdict, row.match, row.jaccard});
        }
    }
    return surveyor.finish();
}

void StagedOutput::finish(StageClock& clock) {
    std::vector<Source> sources;
    const Inputs everything = all_inputs(context_.work);
    Outcome outcome{context_.options,
                    context_.work.inputs(),
                    target_,
                    sources,
                    everything,
                    documents_.sources,
                    {},
                    streamed_list_,
                    documents_.bad,
                    {},
                    {},
                    {},
                    0};
    if (is_streamed_) {
        sources = own_sources(documents_);
    } else {
        gather_units(outcome, sources);
    }
    publish(outcome);
    begun_manifest_.reset();
    const StageReader file = context_.work.read(Stage::kCluster, 0);
    const ClusterMeta meta = cluster_meta(file.read_text(kMetaSection), file.path().string());
    outcome.counts = meta.counts;
    outcome.groups = meta.groups;
    outcome.survey = survey();
    outcome.spilled_bytes = context_.area.bytes_written();
    conclude(outcome, clock);
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/dedup_minhash.h"

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cli/progress.h"
#include "lib/dedup/apply.h"
#include "lib/dedup/check_paths.h"
#include "lib/dedup/cluster.h"
#include "lib/dedup/conclude.h"
#include "lib/dedup/group.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/manifest.h"
#include "lib/dedup/output.h"
#include "lib/dedup/ranks/ranked_run.h"
#include "lib/dedup/removal_list.h"
#include "lib/dedup/report.h"
#include "lib/dedup/sign.h"
#include "lib/dedup/stages/staged.h"
#include "lib/dedup/survey.h"
#include "lib/io/atomic_file.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

namespace {

/// One run from the first reading to the report.
class Run {
 public:
    explicit Run(const Options& options)
        : options_(options),
          inputs_(options.inputs, options.reader),
          target_(resolve_target(options.output, inputs_, !options.removal_list.empty())),
          memory_(plan_memory(options)),
          area_(options.tmp_dir) {}

    ExitCode execute() {
        check_paths(options_, inputs_, target_);
        if (is_complete(options_, inputs_, target_)) {
            log::info("{} is complete already", options_.output);
            return ExitCode::kOk;
        }
        probe_paths(options_, target_);
        SignSorters sorters(options_.parameters.bands, memory_.sort_bytes, area_, options_.threads);
        const Signed documents = sign_inputs(sorters);
        sources_ = documents.sources;
        const uint64_t num_ids =
            sources_.empty() ? 0 : sources_.back().first_id + sources_.back().num_lines;

        ExactGroups exact =
            group_exact(sorters.exact, sorters.bad_ids, num_ids, memory_.sort_bytes, area_);
        std::unique_ptr<Components> components;
        if (options_.parameters.is_transitive) components = std::make_unique<Components>(num_ids);
        BandGroups bands =
            group_bands(sorters.bands, exact.copies, memory_.sort_bytes, area_, components.get());
        check_group_memory(bands.counts.num_groups);
        clock_.end_stage("group", 0);

        Clusterer clusterer(options_.parameters, options_.max_candidates, &exact.has_copies,
                            bands.counts.num_groups, area_, memory_.store_bytes, components.get());
        Outcome outcome{options_, inputs_,       target_, sources_, inputs_, sources_, {},
                        {},       documents.bad, {},      {},       {},      0};
        apply_removal(exact, bands, clusterer, outcome);
        outcome.counts = clusterer.counts();
        outcome.groups = bands.counts;
        outcome.spilled_bytes = area_.bytes_written();
        publish(outcome);
        begun_manifest_.reset();
        conclude(outcome, clock_);
        return ExitCode::kOk;
    }

 private:
    Signed sign_inputs(SignSorters& sorters) {
        cli::Progress progress("signing", inputs_.total_bytes(), options_.progress);
        Signed documents =
            sign(inputs_, options_, memory_, area_, sorters, [&](uint64_t n) { progress.add(n); });
        progress.finish();
        documents.bad.warn();
        documents.bad.check(options_.reader.policy, documents.num_records);
        clock_.end_stage("sign", total_of(documents.sources).text_bytes);
        return documents;
    }

    /// 8 bytes a group stay in memory while documents are decided.
    void check_group_memory(uint64_t num_groups) const {
        const uint64_t needed = num_groups * sizeof(uint64_t);
        if (needed <= memory_.sort_bytes) return;
        throw UsageError(format("--memory {}: {} groups of candidates need {} more",
                                human_bytes(options_.memory_bytes), num_groups,
                                human_bytes((needed - memory_.sort_bytes) / 3 * 8)));
    }

    void apply_removal(ExactGroups& exact, BandGroups& bands, Clusterer& clusterer,
                       Outcome& outcome) {
        Surveyor surveyor(area_, memory_.sort_bytes / 8, num_survey_pairs(options_));
        retract_earlier_output(options_, inputs_, target_);
        // A killed run leaves this begun manifest, by which the next one knows the file as ours.
        if (target_ == Target::kFile) begun_manifest_.emplace(options_.output + ".manifest.json");
        OutputWriter output(target_, options_.output, inputs_, options_.threads);
        std::optional<RemovalFile> list_file;
        RemovalList::Sink sink;
        if (!options_.removal_list.empty()) {
            list_file.emplace(options_.removal_list);
            sink = [&](std::string_view lines, uint64_t records) {
                list_file->write(lines, records);
            };
        }
        RemovalList removal_list(sink, sources_);
        cli::Progress progress("removing", inputs_.total_bytes(), options_.progress);
        apply({inputs_, options_, memory_, exact, bands, clusterer, output, removal_list,
               [&](const Decision& decision) { surveyor.add(decision); },
               [&](uint64_t n) { progress.add(n); }},
              sources_);
        progress.finish();
        removal_list.flush();
        if (list_file) outcome.removal_list = list_file->finish();
        outcome.outputs = output.finish();
        clock_.end_stage("apply", total_of(sources_).text_bytes);
        outcome.survey = surveyor.finish();
    }

    const Options& options_;
    Inputs inputs_;
    Target target_;
    MemoryPlan memory_;
    SpillArea area_;
    StageClock clock_;
    std::vector<Source> sources_;
    std::optional<io::AtomicFile> begun_manifest_;
};

}  // namespace

ExitCode run(const Options& options) {
    if (is_one_of_ranks()) return run_over_mpi(options);
    const bool needs_stages = !options.keep.is_input_order() || !options.against.empty();
    return needs_stages ? run_staged(options, "", {}) : Run(options).execute();
}

std::string describe_plan(const Options& options) {
    const Inputs inputs(options.inputs, options.reader);
    const Target target = resolve_target(options.output, inputs, !options.removal_list.empty());
    plan_memory(options);
    check_paths(options, inputs, target);
    std::string text = s_curve_table(options.parameters);
    text += format("{}: a document goes at Jaccard >= {} with the kept one\n",
                   options.parameters.is_transitive ? "transitive, not verified" : "verified",
                   options.parameters.threshold);
    if (!options.keep.is_input_order()) {
        text += format("of duplicates, the best by {} stays\n", options.keep.words());
    }
    for (const IndexRef& index : options.against) text += format("against {}\n", index.work);
    constexpr std::array kLayouts{"JSON lines", "text, a document a line", "text, one document"};
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Input& input = inputs[i];
        text += format("input  {} ({}, {})\n", input.name,
                       input.is_stream ? "stream, spooled" : human_bytes(input.bytes),
                       kLayouts[static_cast<size_t>(input.layout)]);
    }
    if (target == Target::kStdout) text += "output standard output\n";
    if (target == Target::kFile) text += format("output {}\n", options.output);
    if (target == Target::kFolder) {
        for (const std::string& name : mirrored_names(inputs)) {
            text += format("output {}\n", (std::filesystem::path(options.output) / name).string());
        }
    }
    if (!options.removal_list.empty()) text += format("removal list {}\n", options.removal_list);
    const uint64_t key_bytes =
        sizeof(BandRecord) * static_cast<uint64_t>(options.parameters.bands) + sizeof(ExactRecord);
    text +=
        format("{} threads, memory {}, temporary files of {} bytes a document beyond it in {}\n",
               options.threads, human_bytes(options.memory_bytes), key_bytes,
               SpillArea(options.tmp_dir).folder().string());
    return text;
}

}  // namespace longhaul::dedup

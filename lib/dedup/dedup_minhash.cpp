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
#include "lib/dedup/group.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/manifest.h"
#include "lib/dedup/output.h"
#include "lib/dedup/removal_list.h"
#include "lib/dedup/report.h"
#include "lib/dedup/sign.h"
#include "lib/dedup/survey.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

namespace {

constexpr size_t kReportPairs = 10;
constexpr size_t kShownTextBytes = 100000;  // enough to hold the first difference

/// One run from the first reading to the report.
class Run {
 public:
    explicit Run(const Options& options)
        : options_(options),
          inputs_(options.inputs, options.reader.layout),
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
        SignSorters sorters(options_.parameters.bands, memory_.sort_bytes, area_);
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

        Clusterer clusterer(options_.parameters, options_.max_candidates, exact.has_copies,
                            bands.counts.num_groups, area_, memory_.store_bytes, components.get());
        apply_removal(exact, bands, clusterer);
        finish(documents.bad, clusterer.counts(), bands);
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

    void apply_removal(ExactGroups& exact, BandGroups& bands, Clusterer& clusterer) {
        const size_t num_pairs = std::max(options_.report.empty() ? 0 : kReportPairs,
                                          static_cast<size_t>(options_.num_samples));
        Surveyor surveyor(area_, memory_.sort_bytes / 8, num_pairs);
        retract_earlier_output(options_, inputs_, target_);
        // A killed run leaves this begun manifest, by which the next one knows the file as ours.
        if (target_ == Target::kFile) begun_manifest_.emplace(options_.output + ".manifest.json");
        OutputWriter output(target_, options_.output, inputs_);
        RemovalList removal_list(options_.removal_list, sources_);
        cli::Progress progress("removing", inputs_.total_bytes(), options_.progress);
        apply({inputs_, options_, memory_, exact, bands, clusterer, output, removal_list,
               [&](const Decision& decision) { surveyor.add(decision); },
               [&](uint64_t n) { progress.add(n); }},
              sources_);
        progress.finish();
        if (removal_list.is_wanted()) removal_entry_ = removal_list.finish();
        outputs_ = output.finish();
        clock_.end_stage("apply", total_of(sources_).text_bytes);
        survey_ = surveyor.finish();
    }

    void finish(const corpus::BadRecords& bad, const ClusterCounts& counts,
                const BandGroups& bands) {
        // First, so that a crash from here on leaves no output that nobody can account for.
        write_manifests(options_, inputs_, target_, sources_, outputs_, removal_entry_);
        begun_manifest_.reset();
        if (!options_.report.empty() || options_.num_samples > 0) {
            read_texts(survey_, inputs_, sources_, options_, kShownTextBytes);
            clock_.end_stage("survey", 0);
        }
        const RunFacts facts{options_, inputs_,        sources_,
                             bad,      counts,         bands.counts,
                             survey_,  clock_.costs(), area_.bytes_written()};
        if (!options_.report.empty()) {
            io::write_file_atomically(options_.report, io::to_pretty(report_json(facts)));
        }
        if (options_.num_samples > 0 && log::level() <= log::Level::kInfo) {
            const std::string pairs = pairs_side_by_side(survey_, inputs_, sources_,
                                                         static_cast<size_t>(options_.num_samples));
            io::write_full(2, pairs + "\n", "standard error");
        }
        for (const std::string& line : report_lines(facts)) log::info("{}", line);
    }

    const Options& options_;
    Inputs inputs_;
    Target target_;
    MemoryPlan memory_;
    SpillArea area_;
    StageClock clock_;
    std::vector<Source> sources_;
    std::vector<record::FileEntry> outputs_;
    record::FileEntry removal_entry_;
    std::optional<io::AtomicFile> begun_manifest_;
    Survey survey_;
};

}  // namespace

ExitCode run(const Options& options) {
    return Run(options).execute();
}

std::string describe_plan(const Options& options) {
    const Inputs inputs(options.inputs, options.reader.layout);
    const Target target = resolve_target(options.output, inputs, !options.removal_list.empty());
    plan_memory(options);
    check_paths(options, inputs, target);
    std::string text = s_curve_table(options.parameters);
    text += format("{}: a document goes at Jaccard >= {} with the kept one\n",
                   options.parameters.is_transitive ? "transitive, not verified" : "verified",
                   options.parameters.threshold);
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

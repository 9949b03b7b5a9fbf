// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/spans.h"

#include <filesystem>
#include <optional>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cli/progress.h"
#include "lib/dedup/check_paths.h"
#include "lib/dedup/manifest.h"
#include "lib/dedup/output.h"
#include "lib/dedup/spans/span_cutter.h"
#include "lib/dedup/spans/span_list.h"
#include "lib/dedup/spans/span_reader.h"
#include "lib/dedup/spans/span_report.h"
#include "lib/dedup/stages/staged.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

namespace {

/// One run from the first reading to the report.
class SpanRun {
 public:
    explicit SpanRun(const SpanOptions& options)
        : options_(options),
          common_(options.common),
          inputs_(common_.inputs, common_.reader),
          target_(resolve_target(common_.output, inputs_, !common_.removal_list.empty())),
          memory_(plan_span_memory(options)),
          area_(common_.tmp_dir) {}

    ExitCode execute() {
        check_paths(common_, inputs_, target_);
        if (is_complete(common_, inputs_, target_)) {
            log::info("{} is complete already", common_.output);
            return ExitCode::kOk;
        }
        probe_paths(common_, target_);
        SpanReading reading = read();
        SpanFindings findings(area_);
        find(reading, findings);
        cut(reading, findings);
        finish(reading, findings);
        return ExitCode::kOk;
    }

 private:
    SpanReading read() {
        cli::Progress progress("reading", inputs_.total_bytes(), common_.progress);
        SpanReading reading =
            read_spans(inputs_, options_, memory_, area_, [&](uint64_t n) { progress.add(n); });
        progress.finish();
        reading.bad.warn();
        reading.bad.check(common_.reader.policy, reading.num_records);
        clock_.end_stage("read", 0);
        return reading;
    }

    void find(SpanReading& reading, SpanFindings& findings) {
        if (reading.repeats) {
            reading.repeats->find(findings);
            reading.repeats.reset();
        } else {
            find_equal_units(*reading.units, options_.max_copies, area_, memory_.sort_bytes,
                             findings);
            reading.units.reset();
        }
        if (findings.unequal_bytes > 0) {
            log::warn(
                "{} bytes stay that may have occurred before: different passages have equal "
                "hashes",
                findings.unequal_bytes);
        }
        clock_.end_stage("find", 0);
    }

    void cut(SpanReading& reading, SpanFindings& findings) {
        retract_earlier_output(common_, inputs_, target_);
        // A killed run leaves this begun manifest, by which the next one knows the file as ours.
        if (target_ == Target::kFile) begun_manifest_.emplace(common_.output + ".manifest.json");
        OutputWriter output(target_, common_.output, inputs_, common_.threads);
        SpanList list(common_.removal_list);
        cli::Progress progress("cutting", inputs_.total_bytes(), common_.progress);
        cut_spans({inputs_, options_, memory_, findings, output, list,
                   [&](uint64_t n) { progress.add(n); }},
                  reading);
        progress.finish();
        if (list.is_wanted()) list_entry_ = list.finish();
        outputs_ = output.finish();
        clock_.end_stage("cut", 0);
    }

    void finish(const SpanReading& reading, const SpanFindings& findings) {
        // First, so that a crash from here on leaves no output that nobody can account for.
        write_manifests(common_, inputs_, target_, reading.sources, outputs_, list_entry_,
                        span_details_json(reading));
        begun_manifest_.reset();
        const SpanFacts facts{options_, inputs_,        reading,
                              findings, clock_.costs(), area_.bytes_written()};
        if (!common_.report.empty()) {
            io::write_file_atomically(common_.report, io::to_pretty(span_report_json(facts)));
        }
        for (const std::string& line : span_report_lines(facts)) log::info("{}", line);
    }

    const SpanOptions& options_;
    const Options& common_;
    Inputs inputs_;
    Target target_;
    MemoryPlan memory_;
    SpillArea area_;
    StageClock clock_;
    std::vector<record::FileEntry> outputs_;
    record::FileEntry list_entry_;
    std::optional<io::AtomicFile> begun_manifest_;
};

}  // namespace

ExitCode run_spans(const SpanOptions& options) {
    refuse_several_ranks("start one");
    return SpanRun(options).execute();
}

std::string describe_spans(const SpanOptions& options) {
    const Options& common = options.common;
    const Inputs inputs(common.inputs, common.reader);
    const Target target = resolve_target(common.output, inputs, !common.removal_list.empty());
    plan_span_memory(options);
    check_paths(common, inputs, target);
    const bool is_substring = options.unit == SpanUnit::kSubstring;
    std::string text = format("unit   {} of at least {} {}, {}\n", span_unit_name(options.unit),
                              options.min_length, is_substring ? "bytes" : "characters",
                              options.is_exact ? "byte for byte" : "normalised");
    for (size_t i = 0; i < inputs.size(); ++i) {
        text += format("input  {} ({})\n", inputs[i].name,
                       inputs[i].is_stream ? "stream, spooled" : human_bytes(inputs[i].bytes));
    }
    if (target == Target::kStdout) text += "output standard output\n";
    if (target == Target::kFile) text += format("output {}\n", common.output);
    if (target == Target::kFolder) {
        for (const std::string& name : mirrored_names(inputs)) {
            text += format("output {}\n", (std::filesystem::path(common.output) / name).string());
        }
    }
    if (!common.removal_list.empty()) text += format("removal list {}\n", common.removal_list);
    return text + format("{} threads, memory {}, temporary files in {}\n", common.threads,
                         human_bytes(common.memory_bytes),
                         SpillArea(common.tmp_dir).folder().string());
}

}  // namespace longhaul::dedup

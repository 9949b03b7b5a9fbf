// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/conclude.h"

#include <algorithm>

#include "lib/dedup/manifest.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

namespace {

constexpr size_t kReportPairs = 10;
constexpr size_t kShownTextBytes = 100000;  // enough to hold the first difference

}  // namespace

size_t num_survey_pairs(const Options& options) {
    return std::max(options.report.empty() ? 0 : kReportPairs,
                    static_cast<size_t>(options.num_samples));
}

void publish(const Outcome& outcome) {
    write_manifests(outcome.options, outcome.inputs, outcome.target, outcome.sources,
                    outcome.outputs, outcome.removal_list);
}

void conclude(Outcome& outcome, StageClock& clock) {
    const Options& options = outcome.options;
    if (!options.report.empty() || options.num_samples > 0) {
        read_texts(outcome.survey, outcome.all_inputs, outcome.all_sources, options,
                   kShownTextBytes);
        clock.end_stage("survey", 0);
    }
    const RunFacts facts{options,
                         outcome.inputs,
                         outcome.sources,
                         outcome.all_inputs,
                         outcome.all_sources,
                         outcome.bad,
                         outcome.counts,
                         outcome.groups,
                         outcome.survey,
                         clock.costs(),
                         outcome.spilled_bytes};
    if (!options.report.empty()) {
        io::write_file_atomically(options.report, io::to_pretty(report_json(facts)));
    }
    if (options.num_samples > 0 && log::level() <= log::Level::kInfo) {
        const std::string pairs =
            pairs_side_by_side(outcome.survey, outcome.all_inputs, outcome.all_sources,
                               static_cast<size_t>(options.num_samples));
        io::write_full(2, pairs + "\n", "standard error");
    }
    for (const std::string& line : report_lines(facts)) log::info("{}", line);
}

}  // namespace longhaul::dedup

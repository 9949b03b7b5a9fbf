// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/crew.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "lib/base/error.h"
#include "lib/cli/progress.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

namespace {

/// What the plan decides, and the rest as given.
Options effective_options(const Options& given, const Plan& plan) {
    Options options = given;
    const Options& planned = plan.options;
    options.parameters = planned.parameters;
    options.reader = planned.reader;
    options.on_bad_record = planned.on_bad_record;
    options.max_bad_records = planned.max_bad_records;
    options.max_candidates = planned.max_candidates;
    options.keep = planned.keep;
    options.against = planned.against;
    return options;
}

bool reads_inputs(Stage stage) {
    return stage == Stage::kSign || stage == Stage::kShingles || stage == Stage::kApply;
}

void run_unit(Stage stage, const UnitContext& context, uint64_t unit) {
    constexpr std::array kBodies{sign_unit, exact_unit, group_unit, shingles_unit, cluster_unit};
    with_context([&] { kBodies.at(static_cast<size_t>(stage) - 1)(context, unit); }, "{} unit {}",
                 stage_name(stage), unit);
}

}  // namespace

Crew::Crew(const Work& work, const Options& given, const cluster::TaskShare& share)
    : work_(work),
      options_(effective_options(given, work.plan())),
      share_(share),
      memory_(plan_memory(options_)),
      area_(options_.tmp_dir) {}

void Crew::run(Stage stage) {
    std::vector<uint64_t> to_do;
    const std::vector<uint64_t> mine = units(stage);
    for (const uint64_t unit : mine) {
        if (!work_.is_done(stage, unit)) to_do.push_back(unit);
    }
    cli::Progress progress(stage_name(stage), reads_inputs(stage) ? bytes_of(stage, to_do) : 0,
                           options_.progress);
    if (stage == Stage::kGroup) {
        run_in_threads(to_do);
    } else {
        const UnitContext with_progress = context([&](uint64_t n) { progress.add(n); });
        for (const uint64_t unit : to_do) run_unit(stage, with_progress, unit);
    }
    progress.finish();
    log::info("{}: {} of {} units done here, {} of them before", stage_name(stage), mine.size(),
              work_.num_units(stage), mine.size() - to_do.size());
}

std::vector<uint64_t> Crew::units(Stage stage) const {
    std::vector<uint64_t> units;
    for (uint64_t unit = share_.index; unit < work_.num_units(stage); unit += share_.count) {
        units.push_back(unit);
    }
    return units;
}

uint64_t Crew::bytes_of(Stage stage, const std::vector<uint64_t>& units) const {
    const uint64_t num_index_units = stage == Stage::kShingles ? work_.num_index_units() : 0;
    uint64_t total = 0;
    for (const uint64_t unit : units) {
        if (unit < num_index_units) continue;
        total += work_.unit_inputs(unit - num_index_units).total_bytes();
    }
    return total;
}

UnitContext Crew::context(std::function<void(uint64_t)> on_bytes) {
    return {work_, options_, memory_, area_, std::move(on_bytes)};
}

/// Parts of stage group share the memory; a part is sorted by one thread.
void Crew::run_in_threads(const std::vector<uint64_t>& units) {
    const auto num_threads = std::max<size_t>(
        std::min(units.size(), static_cast<size_t>(std::max(options_.threads, 1))), 1);
    MemoryPlan memory = memory_;
    memory.sort_bytes /= num_threads;
    const UnitContext context{work_, options_, memory, area_, [](uint64_t) {}};
    std::atomic<size_t> next{0};
    std::mutex mutex;
    std::exception_ptr error;  // of the first unit that failed: units begin in order
    size_t failed = units.size();
    const auto body = [&] {
        size_t i = 0;
        try {
            for (i = next++; i < units.size(); i = next++) {
                run_unit(Stage::kGroup, context, units[i]);
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (i < failed) error = std::current_exception();
            failed = std::min(failed, i);
            next = units.size();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (size_t i = 1; i < num_threads; ++i) threads.emplace_back(body);
        body();
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace longhaul::dedup

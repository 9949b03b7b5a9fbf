// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/unit_run.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "lib/base/error.h"
#include "lib/tokenize/unit_record.h"

namespace longhaul::tokenize {

namespace {

/// Hands out units in order and collects what became of them. Thread-safe.
class UnitRun {
 public:
    UnitRun(const UnitContext& context, const Plan& plan, const MemoryPlan& memory)
        : context_(context),
          plan_(plan),
          next_(context.job.task.index),
          encoder_(context, memory) {}

    /// One thread's work: unit after unit.
    void work() {
        while (const std::optional<uint64_t> unit = take()) {
            try {
                finish(*unit, encode(*unit));
            } catch (const UnitEncoder::GivenUp&) {
                return;
            } catch (...) {
                fail(*unit, std::current_exception());
            }
        }
    }
    UnitsDone result() {
        warn_up_to(std::numeric_limits<uint64_t>::max());
        if (error_) std::rethrow_exception(error_);
        return done_;
    }

 private:
    UnitResult encode(uint64_t unit) {
        return with_context(
            [&] {
                return encoder_.encode(plan_.units[unit], unit,
                                       [this, unit] { return first_failed_ < unit; });
            },
            "unit {}", unit);
    }

    std::optional<uint64_t> take() {
        const std::lock_guard lock(mutex_);
        while (!error_ && next_ < plan_.units.size()) {
            const uint64_t unit = next_;
            next_ += context_.job.task.count;
            const auto done = read_unit_record(context_.job.output, unit);
            if (!done) {
                under_way_.insert(unit);
                return unit;
            }
            for (const SegmentResult& segment : done->segments) {
                context_.on_progress(segment.end - segment.begin);
            }
        }
        return std::nullopt;
    }

    void finish(uint64_t unit, const UnitResult& result) {
        write_unit_record(context_.job.output, unit, result);
        const std::lock_guard lock(mutex_);
        done_.counts.add(result.counts);
        ++done_.num_units;
        bad_.emplace(unit, result.bad);
        under_way_.erase(unit);
        warn_up_to(under_way_.empty() ? next_ : *under_way_.begin());
    }

    void fail(uint64_t unit, std::exception_ptr error) {
        const std::lock_guard lock(mutex_);
        under_way_.erase(unit);
        if (unit > first_failed_) return;
        first_failed_ = unit;
        error_ = std::move(error);
    }

    /// Tells of bad records in the order of the units.
    void warn_up_to(uint64_t unit) {
        while (!bad_.empty() && bad_.begin()->first < unit) {
            bad_.begin()->second.warn();
            bad_.erase(bad_.begin());
        }
    }

    const UnitContext& context_;
    const Plan& plan_;
    std::mutex mutex_;
    uint64_t next_;
    std::set<uint64_t> under_way_;
    std::map<uint64_t, corpus::BadRecords> bad_;  // not yet told
    UnitsDone done_;
    std::atomic<uint64_t> first_failed_{std::numeric_limits<uint64_t>::max()};
    std::exception_ptr error_;  // of first_failed_
    UnitEncoder encoder_;
};

}  // namespace

UnitsDone encode_units(const UnitContext& context, const Plan& plan, bool one_by_one) {
    const Task task = context.job.task;
    const uint64_t num_units = plan.units.size();
    const uint64_t num_mine =
        num_units > task.index ? (num_units - task.index - 1) / task.count + 1 : 0;
    const MemoryPlan memory = plan_memory(context.job, one_by_one ? 1 : num_mine);
    UnitRun run(context, plan, memory);
    {
        std::vector<std::jthread> lanes;
        for (uint64_t i = 1; i < memory.num_units; ++i) lanes.emplace_back([&run] { run.work(); });
        run.work();
    }
    return run.result();
}

}  // namespace longhaul::tokenize

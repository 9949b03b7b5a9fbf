// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/sweep.h"

#include <algorithm>
#include <chrono>

#include "lib/base/error.h"

namespace longhaul::probe {

namespace {

using Clock = std::chrono::steady_clock;

bool joins_parts(Collective collective) {
    return collective == Collective::kAllGather;
}
bool splits_parts(Collective collective) {
    return collective == Collective::kReduceScatter;
}
bool exchanges_parts(Collective collective) {
    return collective == Collective::kAllToAll;
}

/// Small whole numbers: their sums over ranks are exact in float up to 2^20 ranks.
constexpr size_t kPeriod = 13;  // of value_of() in `index`
float value_of(int rank, size_t index) {
    return static_cast<float>((static_cast<uint64_t>(rank) * 7 + index * 3) % kPeriod);
}

/// Buffers of one size. The input of rank r at element i is value_of(r, i).
class Buffers {
 public:
    Buffers(Collective collective, size_t count, int rank, int size)
        : collective_(collective), count_(count), rank_(rank), size_(size) {
        const size_t all = count * static_cast<size_t>(size);
        in_.resize(splits_parts(collective) || exchanges_parts(collective) ? all : count);
        out_.resize(splits_parts(collective)                                 ? count
                    : joins_parts(collective) || exchanges_parts(collective) ? all
                                                                             : count);
        for (size_t i = 0; i < kPeriod; ++i) {
            for (int r = 0; r < size; ++r) sums_[i] += value_of(r, i);
        }
        // In place, reduce-scatter needs room for its whole input.
        in_place_.resize(std::max(in_.size(), out_.size()));
    }

    void fill(bool is_in_place) {
        for (size_t i = 0; i < in_.size(); ++i) in_[i] = value_of(rank_, i);
        std::fill(out_.begin(), out_.end(), -1.0f);
        if (!is_in_place) return;
        std::fill(in_place_.begin(), in_place_.end(), -1.0f);
        const size_t at = joins_parts(collective_) ? count_ * static_cast<size_t>(rank_) : 0;
        std::copy(in_.begin(), in_.end(), in_place_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    void run(Fabric& fabric, bool is_in_place) {
        if (is_in_place) {
            fabric.run(collective_, nullptr, in_place_.data(), count_);
        } else {
            fabric.run(collective_, in_.data(), out_.data(), count_);
        }
    }

    /// Elements of the result that differ from what they must be.
    int64_t count_wrong(bool is_in_place) const {
        const std::vector<float>& result = is_in_place ? in_place_ : out_;
        int64_t wrong = 0;
        for (size_t i = 0; i < out_.size(); ++i) wrong += result[i] == expected(i) ? 0 : 1;
        return wrong;
    }

 private:
    float expected(size_t i) const {
        const size_t part = count_ == 0 ? 0 : i / count_;
        const auto me = static_cast<size_t>(rank_);
        switch (collective_) {
            case Collective::kAllReduce:
                return sums_[i % kPeriod];
            case Collective::kReduceScatter:
                return sums_[(me * count_ + i) % kPeriod];
            case Collective::kAllGather:
                return value_of(static_cast<int>(part), i % count_);
            case Collective::kAllToAll:
                return value_of(static_cast<int>(part), me * count_ + i % count_);
            case Collective::kBroadcast:
                return value_of(0, i);
            case Collective::kSendRecv:
                return value_of((rank_ + size_ - 1) % size_, i);
        }
        return 0;
    }

    Collective collective_;
    size_t count_;
    int rank_, size_;
    std::vector<float> in_, out_, in_place_;
    float sums_[kPeriod] = {};  // over ranks, of value_of(r, i)
};

SweepResult measure(Fabric& fabric, Buffers& buffers, const SweepOptions& options,
                    const SweepRow& row, bool is_in_place) {
    SweepResult result;
    buffers.fill(is_in_place);
    for (int i = 0; i < options.warmup; ++i) buffers.run(fabric, is_in_place);
    std::vector<double> times_us;
    for (int i = 0; i < options.iterations; ++i) {
        fabric.barrier();
        const Clock::time_point start = Clock::now();
        buffers.run(fabric, is_in_place);
        times_us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    fabric.max(times_us);
    result.is_measured = true;
    result.time_us = summarize(times_us);
    const auto rate = [&](double time_us) {
        return bandwidth(row.collective, row.size_bytes, fabric.size(), time_us * 1e-6);
    };
    result.best = rate(result.time_us.min);
    result.typical = rate(result.time_us.median);
    if (!options.check) return result;
    buffers.fill(is_in_place);
    buffers.run(fabric, is_in_place);
    // The sum of the counts, by way of max over a vector with one slot a rank.
    std::vector<double> wrong(static_cast<size_t>(fabric.size()), 0);
    wrong[static_cast<size_t>(fabric.rank())] =
        static_cast<double>(buffers.count_wrong(is_in_place));
    fabric.max(wrong);
    result.num_wrong = 0;
    for (const double count : wrong) result.num_wrong += static_cast<int64_t>(count);
    return result;
}

}  // namespace

Sweep run_sweep(Fabric& fabric, const SweepOptions& options,
                const std::function<void(const SweepRow&)>& on_row) {
    Sweep sweep;
    sweep.transport = fabric.name();
    sweep.ranks = gather_ranks(fabric);
    for (const Collective collective : options.collectives) {
        uint64_t last_size = 0;
        for (const uint64_t size_bytes : options.sizes_bytes) {
            SweepRow row;
            row.collective = collective;
            row.count = elements_per_rank(collective, size_bytes, sizeof(float), fabric.size());
            row.size_bytes = table_size_bytes(collective, row.count, sizeof(float), fabric.size());
            if (row.count == 0 || row.size_bytes == last_size) continue;  // rounded to the same
            last_size = row.size_bytes;
            Buffers buffers(collective, row.count, fabric.rank(), fabric.size());
            row.out_of_place = measure(fabric, buffers, options, row, false);
            // Alone there is nothing to do in place.
            if (fabric.size() > 1) row.in_place = measure(fabric, buffers, options, row, true);
            if (fabric.rank() != 0) continue;
            if (on_row) on_row(row);
            sweep.rows.push_back(row);
        }
    }
    return sweep;
}

LinearModel fit_model(const std::vector<SweepRow>& rows, Collective collective, int num_ranks) {
    std::vector<const SweepRow*> mine;
    for (const SweepRow& row : rows) {
        if (row.collective == collective) mine.push_back(&row);
    }
    LinearModel model;
    if (mine.size() < 3) return model;
    std::vector<double> small;
    for (size_t i = 0; i < 3; ++i) small.push_back(mine[i]->out_of_place.time_us.median);
    model.alpha_us = median(small);
    const SweepRow& low = *mine[mine.size() - 3];
    const SweepRow& high = *mine.back();
    const double bytes = static_cast<double>(high.size_bytes) - static_cast<double>(low.size_bytes);
    const double us = high.out_of_place.time_us.median - low.out_of_place.time_us.median;
    if (us > 0) model.beta_gb_per_s = bytes / us / 1e3 * bus_factor(collective, num_ranks);
    return model;
}

std::vector<record::Finding> judge(const Sweep& sweep, const SweepOptions& options) {
    using record::Status;
    std::vector<record::Finding> findings;
    for (const Collective collective : options.collectives) {
        const std::string subject = collective_name(collective);
        double best = 0;
        int64_t num_wrong = 0;
        uint64_t wrong_size = 0;
        for (const SweepRow& row : sweep.rows) {
            if (row.collective != collective) continue;
            best = std::max({best, row.out_of_place.typical.busbw_gb_per_s,
                             row.in_place.typical.busbw_gb_per_s});
            for (const SweepResult* result : {&row.out_of_place, &row.in_place}) {
                if (result->num_wrong > 0 && num_wrong == 0) wrong_size = row.size_bytes;
                num_wrong += std::max<int64_t>(0, result->num_wrong);
            }
        }
        if (num_wrong > 0) {
            findings.push_back(
                {Status::kFail, "sweep.data.wrong", subject,
                 format("{} wrong elements, first at size {} bytes", num_wrong, wrong_size),
                 "nccl-probe pairs names the link; test memory and NIC of its ends"});
        }
        if (sweep.ranks.size() < 2) {
            // A floor that nothing was measured against is not met.
            const bool is_asked = options.min_busbw_gb_per_s > 0;
            findings.push_back({is_asked ? Status::kUnknown : Status::kNote, "sweep.single",
                                subject,
                                "one rank: nothing crosses a link, so busbw is 0 by definition",
                                "start several ranks: mpirun -n 8 or srun --mpi=pmix -n 8"});
        } else if (options.min_busbw_gb_per_s > 0 && best < options.min_busbw_gb_per_s) {
            findings.push_back({Status::kFail, "sweep.busbw.low", subject,
                                format("best busbw {:.3g} GB/s, floor {:.3g} GB/s", best,
                                       options.min_busbw_gb_per_s),
                                "nccl-probe pairs, env and topo find the reason"});
        } else if (num_wrong == 0) {
            findings.push_back(
                {Status::kOk, "sweep.done", subject,
                 format("best busbw {:.3g} GB/s on {} ranks", best, sweep.ranks.size()), ""});
        }
    }
    return findings;
}

}  // namespace longhaul::probe

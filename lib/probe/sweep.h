// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Bandwidth of collectives over a range of sizes, out of place and in place, with verified results.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/io/json_fwd.h"
#include "lib/probe/fabric.h"
#include "lib/probe/statistics.h"
#include "lib/record/finding.h"

namespace longhaul::probe {

struct SweepOptions {
    std::vector<Collective> collectives{Collective::kAllReduce};
    std::vector<uint64_t> sizes_bytes;
    int warmup = 5;
    int iterations = 20;
    bool check = true;              // verify the data of every size
    double min_busbw_gb_per_s = 0;  // the best busbw of a collective must reach it; 0: no floor
};

/// One placement of one size. The time of an iteration is that of its slowest rank.
struct SweepResult {
    bool is_measured = false;
    Summary time_us;
    Bandwidth best, typical;  // of the fastest and of the median iteration
    int64_t num_wrong = -1;   // elements on all ranks; -1: not checked
};

struct SweepRow {
    Collective collective = Collective::kAllReduce;
    uint64_t size_bytes = 0;
    uint64_t count = 0;  // float elements per rank
    SweepResult out_of_place, in_place;
};

struct Sweep {
    std::string transport;
    std::vector<RankInfo> ranks;
    std::vector<SweepRow> rows;
};

/// Runs on all ranks. @param on_row called on rank 0 after each size, for tables that grow.
/// @return the whole on rank 0, an empty one elsewhere.
Sweep run_sweep(Fabric& fabric, const SweepOptions& options,
                const std::function<void(const SweepRow&)>& on_row = {});

/// Startup time and asymptotic rate of t(S) = alpha + S / beta: alpha is the median time of the
/// three smallest sizes, beta comes from the slope over the three largest, so that a change of
/// algorithm in between disturbs neither.
struct LinearModel {
    double alpha_us = 0;
    double beta_gb_per_s = 0;  // in terms of busbw
};
LinearModel fit_model(const std::vector<SweepRow>& rows, Collective collective, int num_ranks);

/// Wrong data and floors as findings, else one `ok` (or a note for a single rank).
std::vector<record::Finding> judge(const Sweep& sweep, const SweepOptions& options);

std::string table_header(const Sweep& sweep);
std::string to_text(const SweepRow& row);
io::Json to_json(const Sweep& sweep, const SweepOptions& options);

}  // namespace longhaul::probe

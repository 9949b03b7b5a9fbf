// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "lib/base/format.h"
#include "lib/io/json.h"
#include "lib/probe/sweep.h"

namespace longhaul::probe {

namespace {

std::string wrong_text(int64_t num_wrong) {
    return num_wrong < 0 ? "N/A" : format("{}", num_wrong);
}

std::string half_row(const SweepResult& result) {
    if (!result.is_measured) {
        return format("  {:>9} {:>9} {:>9} {:>7} {:>7} {:>6}", "-", "-", "-", "-", "-", "-");
    }
    return format("  {:>9.2f} {:>9.2f} {:>9.2f} {:>7.2f} {:>7.2f} {:>6}", result.time_us.median,
                  result.time_us.min, result.time_us.max, result.typical.algbw_gb_per_s,
                  result.typical.busbw_gb_per_s, wrong_text(result.num_wrong));
}

io::Json result_json(const SweepResult& result) {
    io::Json json{{"time_median_us", result.time_us.median},
                  {"time_min_us", result.time_us.min},
                  {"time_max_us", result.time_us.max},
                  {"algbw_gb_per_s", result.typical.algbw_gb_per_s},
                  {"busbw_gb_per_s", result.typical.busbw_gb_per_s},
                  {"best_busbw_gb_per_s", result.best.busbw_gb_per_s}};
    if (result.num_wrong >= 0) json["num_wrong"] = result.num_wrong;
    return json;
}

}  // namespace

std::string table_header(const Sweep& sweep) {
    std::set<std::string> hosts;
    for (const RankInfo& rank : sweep.ranks) hosts.insert(rank.host);
    std::string text = format(
        "# transport {}, {} ranks on {} host{}; time of the slowest rank: "
        "median, min, max; rates of the median, GB = 1e9 bytes\n",
        sweep.transport, sweep.ranks.size(), hosts.size(), hosts.size() == 1 ? "" : "s");
    for (const RankInfo& rank : sweep.ranks) {
        text += format("#   rank {:>3} pid {:>7} on {}\n", rank.rank, rank.pid, rank.host);
    }
    const std::string half = format("  {:>9} {:>9} {:>9} {:>7} {:>7} {:>6}", "time(us)", "min",
                                    "max", "algbw", "busbw", "#wrong");
    return text + format("#{:<41}{:<54}{}\n", "", "   out of place", "   in place") +
           format("# {:<14} {:>12} {:>12}{}{}\n", "collective", "size(B)", "count", half, half);
}

std::string to_text(const SweepRow& row) {
    return format("  {:<14} {:>12} {:>12}{}{}\n", collective_name(row.collective), row.size_bytes,
                  row.count, half_row(row.out_of_place), half_row(row.in_place));
}

io::Json to_json(const Sweep& sweep, const SweepOptions& options) {
    io::Json ranks = io::Json::array();
    for (const RankInfo& rank : sweep.ranks) {
        ranks.push_back({{"rank", rank.rank}, {"host", rank.host}, {"pid", rank.pid}});
    }
    io::Json results = io::Json::array();
    for (const SweepRow& row : sweep.rows) {
        results.push_back({{"collective", collective_name(row.collective)},
                           {"size_bytes", row.size_bytes},
                           {"count", row.count},
                           {"type", "float"},
                           {"out_of_place", result_json(row.out_of_place)}});
        if (row.in_place.is_measured) results.back()["in_place"] = result_json(row.in_place);
    }
    io::Json models = io::Json::array();
    const int num_ranks = static_cast<int>(sweep.ranks.size());
    for (const Collective collective : options.collectives) {
        const LinearModel model = fit_model(sweep.rows, collective, num_ranks);
        if (model.beta_gb_per_s <= 0) continue;
        models.push_back({{"collective", collective_name(collective)},
                          {"alpha_us", model.alpha_us},
                          {"beta_busbw_gb_per_s", model.beta_gb_per_s}});
    }
    return io::Json{{"schema", 1},
                    {"tool", "nccl-probe sweep"},
                    {"transport", sweep.transport},
                    {"warmup", options.warmup},
                    {"iterations", options.iterations},
                    {"ranks", std::move(ranks)},
                    {"results", std::move(results)},
                    {"models", std::move(models)},
                    {"findings", record::to_json(judge(sweep, options))}};
}

}  // namespace longhaul::probe

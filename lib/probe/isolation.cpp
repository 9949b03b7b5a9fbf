// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/isolation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "lib/base/format.h"
#include "lib/probe/statistics.h"

namespace longhaul::probe {

namespace {

using record::Finding;
using record::Status;

constexpr double kNoiseSigmas = 5;   // noise of one pair that is still no finding
constexpr double kSpreadSigmas = 6;  // spread between members or links (topology) likewise

/// One quantity of all pairs as "time" (larger is worse), with the model's parts.
struct Analysis {
    std::vector<double> pair_time;    // NaN where not measured
    std::vector<double> member_time;  // s(a); NaN without any measured pair
    double usual = 0;                 // median of member_time
    double noise = 0;                 // median relative noise of the pairs
};

std::vector<double> finite(const std::vector<double>& values) {
    std::vector<double> kept;
    for (const double value : values) {
        if (std::isfinite(value)) kept.push_back(value);
    }
    return kept;
}

Analysis analyse(const PairMatrix& matrix, const std::function<double(const PairSample&)>& time) {
    Analysis result;
    std::vector<std::vector<double>> by_member(matrix.members.size());
    std::vector<double> noise;
    for (const PairSample& pair : matrix.pairs) {
        const double value =
            pair.is_missing ? std::numeric_limits<double>::quiet_NaN() : time(pair);
        result.pair_time.push_back(value);
        if (!std::isfinite(value)) continue;
        by_member[static_cast<size_t>(pair.a)].push_back(value);
        by_member[static_cast<size_t>(pair.b)].push_back(value);
        noise.push_back(pair.noise);
    }
    // With three pairs or fewer a quartile interpolates towards a bad pair: take the best one.
    for (const auto& times : by_member) {
        result.member_time.push_back(quantile(times, times.size() < 4 ? 0.0 : 0.25));
    }
    result.usual = median(finite(result.member_time));
    result.noise = noise.empty() ? 0 : median(noise);
    return result;
}

/// The ratio to the yardstick above which a member or link counts as bad.
double ratio_limit(double tolerance_ratio, double noise, const std::vector<double>& ratios) {
    std::vector<double> logs;
    for (const double ratio : finite(ratios)) logs.push_back(std::log(ratio));
    const double spread = logs.size() < 4 ? 0 : scaled_mad(logs);
    return std::max({tolerance_ratio, 1 + kNoiseSigmas * noise, std::exp(kSpreadSigmas * spread)});
}

std::vector<double> member_ratios(const Analysis& analysis) {
    std::vector<double> ratios;
    for (const double time : analysis.member_time) ratios.push_back(time / analysis.usual);
    return ratios;
}

/// How much slower a pair is than the slower of its ends.
std::vector<double> link_ratios(const PairMatrix& matrix, const Analysis& analysis) {
    std::vector<double> ratios;
    for (size_t i = 0; i < matrix.pairs.size(); ++i) {
        const PairSample& pair = matrix.pairs[i];
        const double ends = std::max(analysis.member_time[static_cast<size_t>(pair.a)],
                                     analysis.member_time[static_cast<size_t>(pair.b)]);
        ratios.push_back(analysis.pair_time[i] / ends);
    }
    return ratios;
}

double bandwidth_time(const PairSample& pair) {
    return pair.gb_per_s() > 0 ? 1 / pair.gb_per_s() : std::numeric_limits<double>::quiet_NaN();
}

std::string member_name(const PairMatrix& matrix, int member) {
    return matrix.members[static_cast<size_t>(member)];
}

std::string member_subject(const PairMatrix& matrix, size_t member) {
    return matrix.unit + " " + matrix.members[member];
}

std::string link_subject(const PairMatrix& matrix, const PairSample& pair) {
    return format("link {}-{}", member_name(matrix, pair.a), member_name(matrix, pair.b));
}

/// Members none of whose pairs answered, or that rank 0 gave up on.
std::vector<bool> silent_members(const PairMatrix& matrix) {
    std::vector<size_t> missing(matrix.members.size(), 0), total(matrix.members.size(), 0);
    for (const PairSample& pair : matrix.pairs) {
        for (const auto member : {static_cast<size_t>(pair.a), static_cast<size_t>(pair.b)}) {
            ++total[member];
            missing[member] += pair.is_missing ? 1 : 0;
        }
    }
    std::vector<bool> is_silent(matrix.members.size(), false);
    for (size_t member = 0; member < is_silent.size() && is_silent.size() > 2; ++member) {
        is_silent[member] = total[member] > 0 && missing[member] == total[member];
    }
    for (const int member : matrix.silent) is_silent[static_cast<size_t>(member)] = true;
    return is_silent;
}

void add_missing_and_wrong(const PairMatrix& matrix, std::vector<Finding>& findings) {
    const std::vector<bool> is_silent = silent_members(matrix);
    for (size_t member = 0; member < is_silent.size(); ++member) {
        if (!is_silent[member]) continue;
        findings.push_back({Status::kFail, "pairs.member.silent", member_subject(matrix, member),
                            "no answer before the deadline",
                            "exclude the node; look at its kernel log and network link"});
    }
    for (const PairSample& pair : matrix.pairs) {
        const bool is_explained =
            is_silent[static_cast<size_t>(pair.a)] || is_silent[static_cast<size_t>(pair.b)];
        if (pair.is_missing && !is_explained) {
            findings.push_back({Status::kFail, "pairs.link.silent", link_subject(matrix, pair),
                                "no answer before the deadline, though both ends still report",
                                "check routing, MTU and cable between the two"});
        }
        if (pair.is_wrong_data) {
            findings.push_back({Status::kFail, "pairs.data.wrong", link_subject(matrix, pair),
                                "the bytes that arrived differ from those sent",
                                "exclude both nodes until memory and NIC are tested"});
        }
    }
}

void add_slow_members(const PairMatrix& matrix, const Analysis& analysis, double tolerance_ratio,
                      bool is_latency, std::vector<Finding>& findings) {
    const std::vector<double> ratios = member_ratios(analysis);
    const double limit = ratio_limit(tolerance_ratio, analysis.noise, ratios);
    for (size_t member = 0; member < ratios.size(); ++member) {
        if (!(ratios[member] > limit)) continue;
        const double time = analysis.member_time[member];
        findings.push_back(
            is_latency
                ? Finding{Status::kWarn, "pairs.member.latency", member_subject(matrix, member),
                          format("latency {:.2f} us to its nearer peers, usual {:.2f} us (limit "
                                 "{:.2f}x)",
                                 time, analysis.usual, limit),
                          "look for a busy node, power saving or a wrong interface"}
                : Finding{Status::kFail, "pairs.member.slow", member_subject(matrix, member),
                          format("{:.3g} GB/s with its better peers, usual {:.3g} GB/s ({:.0f} %, "
                                 "limit {:.0f} %)",
                                 1 / time, 1 / analysis.usual, 100 * analysis.usual / time,
                                 100 / limit),
                          "exclude the node; check NIC width and rate, PCIe and counters on it"});
    }
}

/// More than a quarter of the pairs: levels of the network, not broken cables.
Finding many_slow_links(const PairMatrix& matrix, size_t num_slow, bool is_latency) {
    const std::string evidence =
        format("{} of {} pairs have {} than both their ends reach with others", num_slow,
               matrix.pairs.size(), is_latency ? "a higher latency" : "less bandwidth");
    const std::string subject = format("{} {}s", matrix.members.size(), matrix.unit);
    if (is_latency) {
        return {Status::kNote, "pairs.levels", subject, evidence,
                "usual when the members sit on several switches"};
    }
    return {Status::kWarn, "pairs.levels.slow", subject, evidence,
            "compare with the switch topology: uplinks are oversubscribed or down"};
}

void add_slow_links(const PairMatrix& matrix, const Analysis& analysis, double tolerance_ratio,
                    bool is_latency, std::vector<Finding>& findings) {
    const std::vector<double> ratios = link_ratios(matrix, analysis);
    const double limit = ratio_limit(tolerance_ratio, analysis.noise, ratios);
    const auto num_slow = static_cast<size_t>(
        std::count_if(ratios.begin(), ratios.end(), [&](double ratio) { return ratio > limit; }));
    if (num_slow > std::max<size_t>(1, ratios.size() / 4)) {
        findings.push_back(many_slow_links(matrix, num_slow, is_latency));
        return;
    }
    for (size_t i = 0; i < ratios.size(); ++i) {
        if (!(ratios[i] > limit)) continue;
        const PairSample& pair = matrix.pairs[i];
        if (is_latency) {
            findings.push_back({Status::kWarn, "pairs.link.latency", link_subject(matrix, pair),
                                format("latency {:.2f} us, both ends reach {:.2f} us with others",
                                       pair.latency_us, pair.latency_us / ratios[i]),
                                "compare the route of this pair with the others"});
            continue;
        }
        const double ends = pair.gb_per_s() * ratios[i];
        const bool is_contention = pair.alone_gb_per_s > ends / limit;
        std::string evidence =
            format("{:.3g} GB/s {}, {:.3g} GB/s back; both ends reach {:.3g} GB/s with others",
                   pair.a_to_b_gb_per_s, "there", pair.b_to_a_gb_per_s, ends);
        if (pair.alone_gb_per_s > 0) evidence += format("; alone {:.3g} GB/s", pair.alone_gb_per_s);
        findings.push_back({is_contention ? Status::kWarn : Status::kFail,
                            is_contention ? "pairs.link.contended" : "pairs.link.slow",
                            link_subject(matrix, pair), evidence,
                            is_contention ? "slow only while others talk: look at the switches' "
                                            "uplinks and adaptive routing"
                                          : "check cable and switch port between the two"});
    }
}

void add_below_floor(const PairMatrix& matrix, double floor, std::vector<Finding>& findings) {
    std::vector<int> low(matrix.members.size(), 0);
    std::vector<int> total(matrix.members.size(), 0);
    size_t num_low = 0;
    for (const PairSample& pair : matrix.pairs) {
        if (pair.is_missing) continue;
        const bool is_low = pair.gb_per_s() < floor;
        num_low += is_low ? 1 : 0;
        for (const int member : {pair.a, pair.b}) {
            ++total[static_cast<size_t>(member)];
            low[static_cast<size_t>(member)] += is_low ? 1 : 0;
        }
    }
    if (num_low == 0) return;
    if (num_low == matrix.pairs.size()) {
        findings.push_back({Status::kFail, "pairs.all.slow",
                            format("all {} {}s", matrix.members.size(), matrix.unit),
                            format("every pair is below the floor of {:.3g} GB/s", floor),
                            "wrong network or transport (TCP instead of RDMA?): see nccl-probe "
                            "env and topo"});
        return;
    }
    for (const PairSample& pair : matrix.pairs) {
        if (pair.is_missing || pair.gb_per_s() >= floor) continue;
        findings.push_back({Status::kFail, "pairs.link.below_floor", link_subject(matrix, pair),
                            format("{:.3g} GB/s, floor {:.3g} GB/s", pair.gb_per_s(), floor),
                            "see the other findings for the end that is to blame"});
    }
}

/// With two members a difference has no third party to compare with.
void add_direction(const PairMatrix& matrix, double tolerance_ratio,
                   std::vector<Finding>& findings) {
    for (const PairSample& pair : matrix.pairs) {
        const double low = pair.gb_per_s();
        const double high = std::max(pair.a_to_b_gb_per_s, pair.b_to_a_gb_per_s);
        const double limit = std::max(tolerance_ratio, 1 + kNoiseSigmas * pair.noise);
        if (pair.is_missing || low <= 0 || high / low <= limit) continue;
        findings.push_back({Status::kWarn, "pairs.link.one_way", link_subject(matrix, pair),
                            format("{:.3g} GB/s there, {:.3g} GB/s back", pair.a_to_b_gb_per_s,
                                   pair.b_to_a_gb_per_s),
                            "one direction is slower: check cable, PFC and PCIe writes of the "
                            "receiving end"});
    }
}

Finding all_good(const PairMatrix& matrix, const Analysis& bandwidth, const Analysis& latency) {
    if (matrix.members.size() < 2 || matrix.pairs.empty()) {
        return {Status::kUnknown, "pairs.too_few", matrix.unit + "s",
                format("{} {}: a pair needs two", matrix.members.size(), matrix.unit),
                "start at least two ranks, better on two hosts"};
    }
    if (!std::isfinite(bandwidth.usual)) {
        return {Status::kUnknown, "pairs.unmeasured", matrix.unit + "s",
                format("none of {} pairs has a bandwidth", matrix.pairs.size()),
                "look at the errors of the run that measured them"};
    }
    std::string evidence =
        format("{} pairs in {} rounds, median {:.3g} GB/s, {:.2f} us", matrix.pairs.size(),
               matrix.rounds, 1 / bandwidth.usual, latency.usual);
    if (matrix.members.size() == 2) evidence += "; two members: a slow end can not be told apart";
    return {Status::kOk, "pairs.even", format("{} {}s", matrix.members.size(), matrix.unit),
            evidence, ""};
}

}  // namespace

std::vector<Finding> isolate(const PairMatrix& matrix, const IsolationLimits& limits) {
    std::vector<Finding> findings;
    const double ratio = 1 / (1 - std::clamp(limits.tolerance, 0.0, 0.99));
    const double latency_ratio = 1 + limits.latency_tolerance;
    const Analysis bandwidth = analyse(matrix, bandwidth_time);
    const Analysis latency = analyse(matrix, [](const PairSample& pair) {
        return pair.latency_us > 0 ? pair.latency_us : std::numeric_limits<double>::quiet_NaN();
    });
    add_missing_and_wrong(matrix, findings);
    if (matrix.members.size() > 2) {
        add_slow_members(matrix, bandwidth, ratio, false, findings);
        add_slow_links(matrix, bandwidth, ratio, false, findings);
        add_slow_members(matrix, latency, latency_ratio, true, findings);
        add_slow_links(matrix, latency, latency_ratio, true, findings);
    }
    add_direction(matrix, ratio * ratio, findings);
    if (limits.min_gb_per_s > 0) add_below_floor(matrix, limits.min_gb_per_s, findings);
    if (findings.empty()) findings.push_back(all_good(matrix, bandwidth, latency));
    return record::worst_first(std::move(findings));
}

std::vector<size_t> suspects(const PairMatrix& matrix, const IsolationLimits& limits,
                             size_t at_most) {
    const Analysis bandwidth = analyse(matrix, bandwidth_time);
    const double ratio = 1 / (1 - std::clamp(limits.tolerance, 0.0, 0.99));
    std::vector<size_t> found;
    for (size_t i = 0; i < matrix.pairs.size(); ++i) {
        if (bandwidth.pair_time[i] > ratio * bandwidth.usual) found.push_back(i);
    }
    std::stable_sort(found.begin(), found.end(), [&](size_t x, size_t y) {
        return bandwidth.pair_time[x] > bandwidth.pair_time[y];
    });
    if (found.size() > at_most) found.resize(at_most);
    return found;
}

}  // namespace longhaul::probe

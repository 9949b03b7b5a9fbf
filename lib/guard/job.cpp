// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/job.h"

#include <csignal>

#include "lib/base/error.h"
#include "lib/cluster/hostlist.h"
#include "lib/log/log.h"

namespace longhaul::guard {
namespace {

/// @return false when it failed; the failure is logged as `what`.
template <class Call>
bool attempt(const char* what, Call&& call) {
    try {
        call();
        return true;
    } catch (const Error& error) {
        log::warn("{}: {}", what, error.describe());
        return false;
    }
}

}  // namespace

std::optional<cluster::JobInfo> Job::info() const {
    std::optional<cluster::JobInfo> info;
    if (can_ask()) attempt("reading the job", [&] { info = agent_.job(id()); });
    return info;
}

std::vector<std::string> Job::hosts() const {
    std::vector<std::string> hosts = environment_.hosts;
    const auto now = info();
    if (now && now->is_running()) hosts = cluster::expand_hostlist(now->nodes);
    if (!can_ask() || hosts.empty()) return hosts;
    std::vector<std::string> lost;
    attempt("reading the nodes", [&] {
        for (const auto& node : agent_.nodes(cluster::compress_hostlist(hosts))) {
            if (node.is_lost()) lost.push_back(node.name);
        }
    });
    return cluster::without_hosts(hosts, lost);
}

bool Job::requeue(const std::vector<std::string>& excluded) const {
    if (!can_ask()) return false;
    if (!attempt("requeueing the job", [&] { agent_.requeue(id()); })) return false;
    if (!excluded.empty()) {
        const std::string hosts = cluster::compress_hostlist(excluded);
        attempt("excluding hosts", [&] { agent_.exclude(id(), hosts); });
    }
    return true;
}

bool Job::hold(const std::string& comment) const {
    return can_ask() && attempt("holding the job", [&] { agent_.hold(id(), comment); });
}

void Job::kill_steps() const {
    if (can_ask()) attempt("ending the steps", [&] { agent_.signal_steps(id(), SIGKILL); });
}

}  // namespace longhaul::guard

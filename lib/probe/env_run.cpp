// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/env_run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/cluster/sys_devices.h"
#include "lib/io/stream.h"
#include "lib/probe/env_audit.h"
#include "lib/probe/fabric.h"

namespace longhaul::probe {

namespace {

constexpr size_t kMaxInputBytes = 16 << 20;

EnvironmentFacts read_facts(const cluster::SysTree& tree) {
    EnvironmentFacts facts;
    for (const auto& interface : cluster::read_interfaces(tree)) {
        facts.interfaces.push_back(interface.name);
    }
    for (const auto& port : cluster::read_rdma_ports(tree)) {
        if (facts.hcas.empty() || facts.hcas.back() != port.device)
            facts.hcas.push_back(port.device);
    }
    facts.have_sys = !facts.interfaces.empty();
    if (tree.is_live()) {
        facts.file_exists = [](const std::string& path) { return std::filesystem::exists(path); };
    }
    return facts;
}

/// Variables win over ~/.nccl.conf (or NCCL_CONF_FILE), which wins over /etc/nccl.conf.
void add_configuration_files(const cluster::SysTree& tree, Environment& environment) {
    std::vector<std::string> texts;
    if (tree.is_live()) {
        const char* named = std::getenv("NCCL_CONF_FILE");
        const char* home = std::getenv("HOME");
        const std::string path = named != nullptr  ? named
                                 : home != nullptr ? std::string(home) + "/.nccl.conf"
                                                   : "";
        if (path.size() > 1) texts.push_back(tree.read(path.substr(1)).value_or(""));
    }
    texts.push_back(tree.read("etc/nccl.conf").value_or(""));
    for (const std::string& text : texts) {
        for (auto& [name, value] : parse_environment(text)) {
            const bool is_set = std::any_of(environment.begin(), environment.end(),
                                            [&](const auto& entry) { return entry.first == name; });
            if (!is_set) environment.emplace_back(name, value);
        }
    }
}

std::string as_text(const Environment& environment) {
    std::string text;
    for (const auto& [name, value] : environment) {
        if (value.find('\n') == std::string::npos) text += name + "=" + value + "\n";
    }
    return text;
}

}  // namespace

std::optional<std::vector<record::Finding>> run_env(const EnvOptions& options) {
    const auto tree = cluster::SysTree::open(options.sys_root);
    const EnvironmentFacts facts = read_facts(tree);
    if (!options.input.empty()) {
        return audit_environment(parse_environment(io::read_all(options.input, kMaxInputBytes)),
                                 facts);
    }
    const auto fabric = open_fabric();
    Environment mine = own_environment();
    add_configuration_files(tree, mine);
    const std::vector<RankInfo> ranks = gather_ranks(*fabric);
    std::vector<Environment> by_rank;
    for (const std::string& text : fabric->gather(as_text(mine))) {
        by_rank.push_back(parse_environment(text));
    }
    if (fabric->rank() != 0) return std::nullopt;
    std::vector<std::string> names;
    for (const RankInfo& rank : ranks) names.push_back(format("{} rank {}", rank.host, rank.rank));
    std::vector<record::Finding> findings = compare_environments(by_rank, names);
    for (record::Finding& finding : audit_environment(mine, facts)) {
        if (findings.empty() || finding.status != record::Status::kOk) {
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

}  // namespace longhaul::probe

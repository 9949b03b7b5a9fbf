// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/env_audit.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "lib/base/format.h"
#include "lib/config/nearest_word.h"
#include "lib/probe/env_variables.h"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks for it

namespace longhaul::probe {

namespace {

using record::Finding;
using record::Status;

bool starts_with(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const size_t at = text.find(separator);
        const std::string_view part = text.substr(0, at);
        if (!part.empty()) parts.emplace_back(part);
        text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    }
    return parts;
}

std::string subject_of(const std::string& name, const std::string& value) {
    return format("{}={}", name, value);
}

void check_spelling(const std::string& name, const std::string& value,
                    std::vector<Finding>& findings) {
    if (!starts_with(name, "NCCL_")) return;
    const auto known = known_nccl_variables();
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    if (starts_with(name, "NCCL_OFI_") || starts_with(name, "NCCL_SHARP_")) return;
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string nearest = config::nearest_word(name, names);
    if (nearest.empty()) {
        findings.push_back({Status::kNote, "env.unknown", subject_of(name, value),
                            "no NCCL variable of that name is known to nccl-probe",
                            "NCCL ignores names it does not know: check the spelling"});
    } else {
        findings.push_back({Status::kWarn, "env.misspelt", subject_of(name, value),
                            "NCCL ignores a name it does not know; did you mean " + nearest + "?",
                            "rename it to " + nearest});
    }
}

bool applies(const ValueRule& rule, const std::string& value) {
    if (rule.values == "*") return !value.empty();
    const std::vector<std::string> values = split(rule.values, '|');
    return std::find(values.begin(), values.end(), value) != values.end();
}

void check_value(const std::string& name, const std::string& value,
                 std::vector<Finding>& findings) {
    for (const ValueRule& rule : value_rules()) {
        if (rule.name != name || !applies(rule, value)) continue;
        findings.push_back({rule.status, std::string(rule.code), subject_of(name, value),
                            std::string(rule.why), std::string(rule.remedy)});
    }
}

/// One list of NCCL's interface grammar: "^" excludes, "=" is exact, else each word is a prefix.
struct NameList {
    bool is_excluding = false;
    bool is_exact = false;
    std::vector<std::string> words;
};

NameList parse_name_list(std::string_view text) {
    NameList list;
    if (starts_with(text, "^")) {
        list.is_excluding = true;
        text.remove_prefix(1);
    }
    if (starts_with(text, "=")) {
        list.is_exact = true;
        text.remove_prefix(1);
    }
    for (std::string& word : split(text, ',')) list.words.push_back(word.substr(0, word.find(':')));
    return list;
}

std::vector<std::string> matches(const NameList& list, const std::string& word,
                                 const std::vector<std::string>& devices) {
    std::vector<std::string> found;
    for (const std::string& device : devices) {
        if (list.is_exact ? device == word : starts_with(device, word)) found.push_back(device);
    }
    return found;
}

/// NCCL_SOCKET_IFNAME and NCCL_IB_HCA: names that match nothing, or more than was meant.
void check_devices(const std::string& name, const std::string& value,
                   const std::vector<std::string>& devices, std::vector<Finding>& findings) {
    const NameList list = parse_name_list(value);
    if (list.is_excluding) return;
    size_t num_matches = 0;
    for (const std::string& word : list.words) {
        const std::vector<std::string> found = matches(list, word, devices);
        num_matches += found.size();
        const bool has_exact = std::find(found.begin(), found.end(), word) != found.end();
        if (has_exact && found.size() > 1) {
            findings.push_back({Status::kWarn, "env.prefix_match", subject_of(name, value),
                                format("\"{}\" is a prefix and also takes {}", word, found.back()),
                                format("put = in front: {}={}", name, "=" + value)});
        }
    }
    if (num_matches == 0) {
        std::string have;
        for (const std::string& device : devices) have += (have.empty() ? "" : ", ") + device;
        findings.push_back(
            {Status::kFail, "env.no_such_device", subject_of(name, value),
             format("names no device of this host (it has {})", have.empty() ? "none" : have),
             "list the names of all nodes (a,b), or unset it"});
    }
}

void check_interface_kind(const std::string& name, const std::string& value,
                          std::vector<Finding>& findings) {
    const NameList list = parse_name_list(value);
    if (list.is_excluding) return;
    for (const std::string& word : list.words) {
        const bool is_virtual = starts_with(word, "docker") || starts_with(word, "veth") ||
                                starts_with(word, "virbr") || starts_with(word, "br-");
        if (!is_virtual && word != "lo") continue;
        findings.push_back({Status::kWarn, "env.virtual_interface", subject_of(name, value),
                            format("{} reaches no other node", word),
                            "name the real interface, or exclude with ^docker,lo"});
    }
}

void check_number(const std::string& name, const std::string& value, int low, int high,
                  std::vector<Finding>& findings) {
    int number = -1;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc() && end == value.data() + value.size();
    if (is_number && number >= low && number <= high) return;
    findings.push_back({Status::kWarn, "env.out_of_range", subject_of(name, value),
                        format("useful values are {} to {}", low, high), "unset it"});
}

void check_words(const std::string& name, const std::string& value,
                 const std::vector<std::string>& words, std::vector<Finding>& findings) {
    std::string list = value.substr(0, value.find(':'));  // "func:algo" forms: not judged
    if (value.find(':') != std::string::npos) return;
    if (!list.empty() && list.front() == '^') list.erase(0, 1);
    for (std::string word : split(list, ',')) {
        std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) {
            return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
        });
        if (std::find(words.begin(), words.end(), word) != words.end()) continue;
        const std::string nearest = config::nearest_word(word, words);
        findings.push_back({Status::kFail, "env.bad_word", subject_of(name, value),
                            format("\"{}\" is no value of it{}", word,
                                   nearest.empty() ? "" : "; did you mean " + nearest + "?"),
                            "NCCL refuses or ignores it: fix the spelling"});
    }
}

void check_file(const std::string& name, const std::string& value, const EnvironmentFacts& facts,
                std::vector<Finding>& findings) {
    if (facts.file_exists == nullptr || facts.file_exists(value)) return;
    findings.push_back({Status::kWarn, "env.no_such_file", subject_of(name, value),
                        "the file does not exist here", "install it on all nodes, or unset it"});
}

void check_variable(const std::string& name, const std::string& value,
                    const EnvironmentFacts& facts, std::vector<Finding>& findings) {
    static const std::vector<std::string> kAlgorithms = {
        "tree", "ring", "collnetdirect", "collnetchain", "collnet", "nvls", "nvlstree", "pat"};
    static const std::vector<std::string> kProtocols = {"ll", "ll128", "simple"};
    check_spelling(name, value, findings);
    check_value(name, value, findings);
    if (name == "NCCL_SOCKET_IFNAME") {
        check_interface_kind(name, value, findings);
        if (facts.have_sys) check_devices(name, value, facts.interfaces, findings);
    }
    if (name == "NCCL_IB_HCA" && facts.have_sys) {
        check_devices(name, value, facts.hcas, findings);
    }
    if (name == "NCCL_ALGO") check_words(name, value, kAlgorithms, findings);
    if (name == "NCCL_PROTO") check_words(name, value, kProtocols, findings);
    if (name == "NCCL_IB_TIMEOUT") check_number(name, value, 14, 23, findings);
    if (name == "NCCL_IB_RETRY_CNT") check_number(name, value, 1, 7, findings);
    if (name == "NCCL_TOPO_FILE" || name == "NCCL_GRAPH_FILE" || name == "NCCL_CONF_FILE") {
        check_file(name, value, facts, findings);
    }
}

bool may_differ(std::string_view name) {
    static const std::set<std::string_view> kPerRank = {
        "NCCL_SOCKET_IFNAME",  "NCCL_IB_HCA",          "NCCL_DEBUG",
        "NCCL_DEBUG_FILE",     "NCCL_HOSTID",          "NCCL_TOPO_FILE",
        "NCCL_TOPO_DUMP_FILE", "NCCL_GRAPH_DUMP_FILE", "NCCL_PROXY_CPUSET"};
    return kPerRank.count(name) > 0 || !starts_with(name, "NCCL_");
}

}  // namespace

bool is_relevant_variable(std::string_view name) {
    for (const std::string_view prefix : {"NCCL_", "UCX_", "OMPI_MCA_", "TORCH_NCCL_", "FI_"}) {
        if (starts_with(name, prefix)) return true;
    }
    return name == "CUDA_VISIBLE_DEVICES" || name == "CUDA_LAUNCH_BLOCKING";
}

std::vector<Finding> audit_environment(const Environment& environment,
                                       const EnvironmentFacts& facts) {
    std::vector<Finding> findings;
    size_t num_judged = 0;
    for (const auto& [name, value] : environment) {
        if (!is_relevant_variable(name)) continue;
        ++num_judged;
        check_variable(name, value, facts, findings);
    }
    if (findings.empty()) {
        findings.push_back({Status::kOk, "env.clean", "environment",
                            format("{} variables of NCCL, UCX, Open MPI and CUDA, none of them a "
                                   "known pitfall",
                                   num_judged),
                            ""});
    }
    return findings;
}

Environment parse_environment(std::string_view text) {
    Environment environment;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
        if (starts_with(line, "export ")) line.remove_prefix(7);
        const size_t equal = line.find('=');
        if (line.empty() || line.front() == '#' || equal == std::string_view::npos || equal == 0) {
            continue;
        }
        environment.emplace_back(line.substr(0, equal), line.substr(equal + 1));
    }
    return environment;
}

Environment own_environment() {
    Environment mine;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        for (auto& [name, value] : parse_environment(*entry)) {
            if (is_relevant_variable(name)) mine.emplace_back(std::move(name), std::move(value));
        }
    }
    std::sort(mine.begin(), mine.end());
    return mine;
}

std::vector<Finding> compare_environments(const std::vector<Environment>& by_rank,
                                          const std::vector<std::string>& names) {
    std::map<std::string, std::map<std::string, std::vector<size_t>>> values;  // name, value, ranks
    std::set<std::string> all_names;
    for (const Environment& environment : by_rank) {
        for (const auto& [name, value] : environment) {
            if (!may_differ(name)) all_names.insert(name);
        }
    }
    for (size_t rank = 0; rank < by_rank.size(); ++rank) {
        const std::map<std::string, std::string> mine(by_rank[rank].begin(), by_rank[rank].end());
        for (const std::string& name : all_names) {
            const auto found = mine.find(name);
            values[name][found == mine.end() ? "(unset)" : found->second].push_back(rank);
        }
    }
    std::vector<Finding> findings;
    for (const auto& [name, by_value] : values) {
        if (by_value.size() < 2) continue;
        std::string evidence;
        for (const auto& [value, ranks] : by_value) {
            evidence += format("{}{} on {} ranks ({}{})", evidence.empty() ? "" : "; ", value,
                               ranks.size(), names[ranks.front()], ranks.size() > 1 ? ", ..." : "");
        }
        findings.push_back({Status::kFail, "env.differs", name, evidence,
                            "NCCL assumes it equal on all ranks: a difference ends in a hang or in "
                            "wrong sizes"});
    }
    return findings;
}

}  // namespace longhaul::probe

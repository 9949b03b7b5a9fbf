// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/slurmapi/site.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

#include "lib/base/error.h"
#include "lib/cluster/hostlist.h"
#include "lib/cluster/scontrol.h"
#include "lib/io/json.h"
#include "lib/slurmapi/session.h"
#include "lib/slurmapi/slurm_versions.h"

namespace longhaul::slurmapi {
namespace {

template <auto Function>
struct Deleter {
    template <class T>
    void operator()(T* pointer) const {
        Function(pointer);
    }
};
using NodesPtr = std::unique_ptr<node_info_msg_t, Deleter<slurm_free_node_info_msg>>;
using ConfPtr = std::unique_ptr<slurm_conf_t, Deleter<slurm_free_ctl_conf>>;
using PartitionsPtr = std::unique_ptr<partition_info_msg_t, Deleter<slurm_free_partition_info_msg>>;

std::string node_state(uint32_t state) {
    constexpr const char* kNames[] = {"UNKNOWN", "DOWN",  "IDLE",  "ALLOCATED",
                                      "ERROR",   "MIXED", "FUTURE"};
    const uint32_t base = state & NODE_STATE_BASE;
    return base < std::size(kNames) ? kNames[base] : format("STATE_{}", base);
}

io::Json node_flags(uint32_t state) {
    io::Json names = io::Json::array();
    if (state & NODE_STATE_DRAIN) names.push_back("DRAIN");
    if (state & NODE_STATE_FAIL) names.push_back("FAIL");
    if (state & NODE_STATE_NO_RESPOND) names.push_back("NOT_RESPONDING");
    if (state & NODE_STATE_COMPLETING) names.push_back("COMPLETING");
    if (state & NODE_STATE_MAINT) names.push_back("MAINTENANCE");
    return names;
}

/// slurm_print_key_pairs() is the public way to all keys: the list's own type is opaque.
io::Json conf_keys(slurm_conf_t& conf) {
    void* pairs = slurm_ctl_conf_2_key_pairs(&conf);
    char* text = nullptr;
    size_t size = 0;
    FILE* out = open_memstream(&text, &size);
    if (!out) throw IoError("cannot make a memory stream");
    char title[] = "";
    slurm_print_key_pairs(out, pairs, title);
    fclose(out);
    const std::unique_ptr<char, Deleter<free>> owner(text);
    io::Json keys = io::Json::object();
    for (const auto& [key, value] : cluster::parse_config_lines({text, size})) keys[key] = value;
    return keys;
}

std::string text_of(const char* text) {
    return text ? text : "";
}

std::string preempt_mode_name(uint16_t mode) {
    const uint16_t base = static_cast<uint16_t>(mode & ~PREEMPT_MODE_GANG);
    if (base == PREEMPT_MODE_REQUEUE) return "REQUEUE";
    if (base == PREEMPT_MODE_CANCEL) return "CANCEL";
    if (base == PREEMPT_MODE_SUSPEND) return "SUSPEND";
    if (base == PREEMPT_MODE_OFF) return "OFF";
    return "CLUSTER";  // not set here: the cluster's PreemptMode
}

io::Json partitions() {
    partition_info_msg_t* message = nullptr;
    check(slurm_load_partitions(0, &message, SHOW_ALL), "reading the partitions");
    const PartitionsPtr owner(message);
    io::Json list = io::Json::array();
    for (uint32_t i = 0; i < message->record_count; ++i) {
        const partition_info_t& partition = message->partition_array[i];
        io::Json json;
        json["name"] = text_of(partition.name);
        json["preempt_mode"] = preempt_mode_name(partition.preempt_mode);
        json["grace_time_s"] = partition.grace_time;
        json["max_time_s"] = partition.max_time == INFINITE
                                 ? io::Json(nullptr)
                                 : io::Json(uint64_t{partition.max_time} * 60);
        list.push_back(std::move(json));
    }
    return list;
}

}  // namespace

io::Json load_nodes_json(const std::string& hosts) {
    const auto wanted_list = cluster::expand_hostlist(hosts);
    std::set<std::string> wanted(wanted_list.begin(), wanted_list.end());
    node_info_msg_t* message = nullptr;
    check(slurm_load_node(0, &message, SHOW_ALL), "reading the nodes");
    const NodesPtr owner(message);
    io::Json list = io::Json::array();
    for (uint32_t i = 0; i < message->record_count; ++i) {
        const node_info_t& node = message->node_array[i];
        const std::string name = text_of(node.name);
        if (name.empty() || (!hosts.empty() && wanted.erase(name) == 0)) continue;
        io::Json json;
        json["name"] = name;
        json["state"] = node_state(node.node_state);
        json["flags"] = node_flags(node.node_state);
        json["reason"] = text_of(node.reason);
        list.push_back(std::move(json));
    }
    if (!wanted.empty()) throw SlurmError(*wanted.begin(), ESLURM_INVALID_NODE_NAME);
    io::Json json;
    json["schema"] = 1;
    json["nodes"] = std::move(list);
    return json;
}

io::Json load_conf_json() {
    slurm_conf_t* conf = nullptr;
    check(slurm_load_ctl_conf(0, &conf), "reading the configuration");
    const ConfPtr owner(conf);
    io::Json json;
    json["schema"] = 1;
    json["conf"] = conf_keys(*conf);
    json["partitions"] = partitions();
    return json;
}

}  // namespace longhaul::slurmapi

// SPDX-License-Identifier: BSD-3-Clause
// Host lists: no crash on any text, and compress(expand(text)) names the same hosts.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "lib/base/error.h"
#include "lib/cluster/hostlist.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const auto hosts = cluster::expand_hostlist(text);
        if (hosts.size() > 2000) return 0;
        const auto again = cluster::expand_hostlist(cluster::compress_hostlist(hosts));
        const std::set<std::string> unique(hosts.begin(), hosts.end());
        if (again.size() != unique.size() ||
            std::set<std::string>(again.begin(), again.end()) != unique) {
            abort();
        }
    } catch (const ClusterError&) {
        return 0;
    }
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <set>

#include "lib/base/error.h"
#include "lib/io/json.h"
#include "lib/probe/hang.h"

namespace longhaul::probe {

namespace {

constexpr int kMaxRanks = 1'000'000;
constexpr uint64_t kMaxDumpBytes = 64 << 20;

bool is_dump_name(const std::string& name) {
    return name.rfind("rank-", 0) == 0 && name.size() > 10 &&
           name.compare(name.size() - 5, 5, ".json") == 0;
}

RingCall call_from_json(const io::Json& json, const std::string& place) {
    RingCall call;
    call.sequence = io::require<uint64_t>(json, "seq", place);
    call.axis = io::require<std::string>(json, "axis", place);
    call.group = io::require<std::vector<int>>(json, "group", place);
    call.op = io::require<std::string>(json, "op", place);
    call.what = io::require<std::string>(json, "what", place);
    call.step = io::require<int64_t>(json, "step", place);
    call.block = io::require<int64_t>(json, "block", place);
    call.size_bytes = io::require<uint64_t>(json, "bytes", place);
    call.peer = io::require<int>(json, "peer", place);
    call.state = io::require<std::string>(json, "state", place);
    call.posted_s = io::require<double>(json, "posted_s", place);
    return call;
}

std::vector<std::string> files_of(const std::string& path) {
    namespace fs = std::filesystem;
    if (!fs::is_directory(path)) return {path};
    const fs::path folder =
        fs::is_directory(fs::path(path) / "ring") ? fs::path(path) / "ring" : fs::path(path);
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (is_dump_name(entry.path().filename().string())) files.push_back(entry.path().string());
    }
    if (files.empty()) {
        throw DataError(format("{}: no rank-*.json: the run wrote no ring dumps", folder.string()));
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

RingDump ring_dump_from_json(const io::Json& json, const std::string& source) {
    RingDump dump;
    dump.rank = io::require<int>(json, "rank", source);
    dump.world_size = io::require<int>(json, "world_size", source);
    if (dump.world_size < 1 || dump.world_size > kMaxRanks || dump.rank < 0 ||
        dump.rank >= dump.world_size) {
        throw DataError(format("{}: rank {} of {} can not be", source, dump.rank, dump.world_size));
    }
    dump.host = io::require<std::string>(json, "host", source);
    dump.written_s = io::require<double>(json, "written_s", source);
    const io::Json entries = io::require<io::Json>(json, "entries", source);
    if (!entries.is_array()) throw DataError(format("{}: \"entries\" is no array", source));
    for (size_t i = 0; i < entries.size(); ++i) {
        dump.calls.push_back(call_from_json(entries[i], format("{}: entries[{}]", source, i)));
    }
    return dump;
}

std::vector<RingDump> read_ring_dumps(const std::vector<std::string>& paths) {
    std::vector<RingDump> dumps;
    std::set<int> seen;
    for (const std::string& path : paths) {
        for (const std::string& file : files_of(path)) {
            dumps.push_back(ring_dump_from_json(io::read_json_file(file, kMaxDumpBytes), file));
            const RingDump& dump = dumps.back();
            if (dump.world_size != dumps.front().world_size) {
                throw DataError(format("{}: a world of {} ranks, others say {}", file,
                                       dump.world_size, dumps.front().world_size));
            }
            if (!seen.insert(dump.rank).second) {
                throw DataError(format("{}: a second dump of rank {}", file, dump.rank));
            }
        }
    }
    return dumps;
}

}  // namespace longhaul::probe

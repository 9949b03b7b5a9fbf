// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/applied_json.h"

#include <array>

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

io::Json applied_json(const std::vector<record::FileEntry>& entries,
                      std::span<const Source> sources) {
    io::Json files = io::Json::array(), counts = io::Json::array();
    for (const record::FileEntry& entry : entries) {
        files.push_back({{"path", entry.path},
                         {"bytes", entry.bytes},
                         {"records", entry.records},
                         {"xxh3_128", entry.xxh3_128.hex()}});
    }
    for (const Source& source : sources) {
        counts.push_back({source.num_exact, source.num_near, source.kept_bytes});
    }
    return {{"entries", files}, {"counts", counts}};
}

void read_applied_json(const io::Json& json, const std::string& source,
                       std::vector<record::FileEntry>& entries, std::span<Source> sources) {
    for (const io::Json& entry : io::require<io::Json>(json, "entries", source)) {
        const auto hash = Hash128::from_hex(io::require<std::string>(entry, "xxh3_128", source));
        entries.push_back({io::require<std::string>(entry, "path", source),
                           io::require<uint64_t>(entry, "bytes", source),
                           io::require<uint64_t>(entry, "records", source),
                           hash.value_or(Hash128{})});
    }
    const auto counts = io::require<std::vector<std::array<uint64_t, 3>>>(json, "counts", source);
    if (counts.size() != sources.size()) {
        throw DataError(format("{}: it counts other inputs", source));
    }
    for (size_t i = 0; i < sources.size(); ++i) {
        sources[i].num_exact = counts[i][0];
        sources[i].num_near = counts[i][1];
        sources[i].kept_bytes = counts[i][2];
    }
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Metrics of a run for machines: metrics.jsonl (one object a step), a Prometheus text file, and
// reading the JSON lines back.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lib/io/json_fwd.h"

namespace longhaul::record {

/// A number for the Prometheus text file: name without prefix, help, value.
struct Gauge {
    std::string name, help;
    double value = 0;
};

/// "longhaul_NAME{run="..."} VALUE" with HELP and TYPE lines.
std::string prometheus_text(const std::vector<Gauge>& gauges, const std::string& run);
/// Replaces `path` in one step, as the node exporter's textfile collector wants it.
void write_prometheus(const std::filesystem::path& path, const std::vector<Gauge>& gauges,
                      const std::string& run);

/// Calls `visit` for each complete line, in order; a torn last line is left out.
/// @throws DataError "FILE:LINE: ..." for a line that is no JSON object.
void read_json_lines(const std::filesystem::path& path,
                     const std::function<void(const io::Json&)>& visit);

}  // namespace longhaul::record

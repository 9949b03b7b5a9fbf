// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reports: the JSON files that --report asks for. They hold what manifests do not: times and rates.

#include <filesystem>
#include <string_view>

namespace longhaul::record {

/// Whether the file may become a report of `tool`: it is empty, or such a report (not a manifest).
bool is_report(const std::filesystem::path& path, std::string_view tool);

/// For --report FILE. @throws UsageError: FILE is there and is something else, which would be lost
void check_report_path(const std::filesystem::path& path, std::string_view tool);

}  // namespace longhaul::record

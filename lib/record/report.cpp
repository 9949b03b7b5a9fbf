// SPDX-License-Identifier: BSD-3-Clause
#include "lib/record/report.h"

#include <fcntl.h>

#include <string>
#include <vector>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/record/manifest.h"

namespace longhaul::record {

namespace fs = std::filesystem;

namespace {

/// Manifests begin in the same way.
bool is_manifest(const fs::path& path) {
    try {
        read_manifest(path);
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

bool is_report(const fs::path& path, std::string_view tool) {
    const std::string begin = format("{{\n  \"schema\": 1,\n  \"tool\": \"{}", tool);
    std::string there(begin.size(), '\0');
    const io::UniqueFd fd = io::open_file(path, O_RDONLY);
    there.resize(io::read_full(fd.get(), std::as_writable_bytes(std::span(there)), path.string()));
    return there.empty() || (there == begin && !is_manifest(path));
}

void check_report_path(const fs::path& path, std::string_view tool) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored) || is_report(path, tool)) return;
    throw UsageError(format("--report: {} exists and is no report of {}; use another name",
                            path.string(), tool));
}

}  // namespace longhaul::record

// SPDX-License-Identifier: BSD-3-Clause
// check_run_directory() of site_check.h.
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>

#include "lib/base/units.h"
#include "lib/guard/site_check.h"
#include "lib/io/file.h"

namespace longhaul::guard {
namespace {

using record::Finding;
using record::Status;
namespace fs = std::filesystem;

constexpr uint64_t kLittleSpace = uint64_t{10} << 30;

/// The folder itself, or the nearest above it that exists.
fs::path existing_part(fs::path path) {
    std::error_code ignored;
    path = fs::absolute(path);
    while (!fs::exists(path, ignored) && path.has_relative_path()) path = path.parent_path();
    return path;
}

/// The name of a file system that other hosts do not see; "" for all others.
std::string local_file_system(const fs::path& path) {
    struct statfs info;
    if (statfs(path.c_str(), &info) != 0) return "";
    constexpr std::array<std::pair<unsigned long, const char*>, 4> kLocal{
        {{TMPFS_MAGIC, "tmpfs"},
         {EXT4_SUPER_MAGIC, "ext4"},
         {BTRFS_SUPER_MAGIC, "btrfs"},
         {XFS_SUPER_MAGIC, "xfs"}}};
    for (const auto& [magic, name] : kLocal) {
        if (static_cast<unsigned long>(info.f_type) == magic) return name;
    }
    return "";
}

}  // namespace

std::vector<Finding> check_run_directory(const std::filesystem::path& run) {
    const fs::path there = existing_part(run);
    const std::string subject = run.string();
    std::vector<Finding> findings;
    if (!fs::is_directory(there) || access(there.c_str(), W_OK | X_OK) != 0) {
        findings.push_back({Status::kFail, "run.writable", subject,
                            there.string() + " is no folder that may be written",
                            "choose another --run"});
        return findings;
    }
    findings.push_back({Status::kOk, "run.writable", subject, "may be written", ""});
    const std::string local = local_file_system(there);
    if (!local.empty()) {
        findings.push_back({Status::kWarn, "run.shared", subject,
                            local + " is usually seen by one host only",
                            "a requeued job on other hosts would start from step 0: use a "
                            "file system that all hosts share"});
    } else {
        findings.push_back({Status::kOk, "run.shared", subject, "on a shared file system", ""});
    }
    const uint64_t free_bytes = io::free_space_bytes(there);
    const bool is_little = free_bytes < kLittleSpace;
    findings.push_back({is_little ? Status::kWarn : Status::kOk, "run.space", subject,
                        human_bytes(free_bytes) + " are free",
                        is_little ? "a checkpoint takes 12 bytes a parameter; ckpt-reshard gc "
                                    "removes old ones"
                                  : ""});
    return findings;
}

}  // namespace longhaul::guard

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads a live node into a Snapshot. Everything is read in forked children, group by group, each
// with its own deadline: a driver that hangs, or crashes its caller, costs one group, which is then
// known by name; the tool itself always answers.

#include <string>
#include <vector>

#include "lib/health/snapshot.h"

namespace longhaul::health {

struct CollectOptions {
    double group_deadline_s = 5;  // for one group
    double deadline_s = 30;       // for all of them
    std::string kernel_log;       // a file, "-" (stdin), or empty: /dev/kmsg
    std::string sys_root = "/";
    std::vector<std::string> disks{"/", "/tmp", "/dev/shm"};
};

/// @throws IoError, DataError when the kernel log file can not be read
Snapshot collect(const CollectOptions& options);

}  // namespace longhaul::health

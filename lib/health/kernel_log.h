// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The kernel's messages: from /dev/kmsg, or from a file that dmesg, journalctl -k or a copy of
// /dev/kmsg wrote. Only lines that a check understands are kept.

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/health/snapshot.h"
#include "lib/io/stream.h"

namespace longhaul::health {

/// Takes the front of one line apart: "6,1234,98765,-;text" of /dev/kmsg, "[   12.345678] text" of
/// dmesg, or "Nov 29 12:00:00 host kernel: text" (which has neither sequence nor boot time).
LogLine parse_kernel_line(std::string_view line);

/// True for the messages that checks look at.
bool is_relevant(std::string_view text);

/// Reads what the kernel holds now, without waiting. Never throws: what can not be read is said in
/// `why`.
KernelLog read_kmsg(const std::string& device = "/dev/kmsg");

/// Reads a file or "-". @throws IoError, DataError (damaged compression)
KernelLog read_kernel_log(io::InputStream& input);

}  // namespace longhaul::health

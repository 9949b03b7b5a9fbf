// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The prefix of a line that NCCL or PyTorch wrote, taken apart. Understands NCCL 2.4 to 2.30
// (with and without timestamps, with a function name after the file) behind the prefixes of srun
// --label, mpirun --tag-output and torchrun.

#include <cstdint>
#include <string_view>

namespace longhaul::probe {

enum class LogLevel { kNone, kInfo, kWarn };  // kNone: no line of NCCL's

/// Views into the line that was parsed.
struct LogLine {
    LogLevel level = LogLevel::kNone;
    std::string_view host;      // empty when the line names none
    int64_t pid = -1;           // -1: not named
    int rank = -1;              // of a "[rank3]:", "[Rank 3]" or "3: " prefix
    std::string_view location;  // "misc/socket.cc:483" of a WARN
    std::string_view message;   // behind "NCCL INFO " or "NCCL WARN "; else the whole line
};

LogLine parse_log_line(std::string_view line);

/// The decimal number that follows `label` in `text`. @return -1 when there is none.
int64_t number_after(std::string_view text, std::string_view label);

/// The run of characters up to a blank that follows `label`; empty when there is none.
std::string_view word_after(std::string_view text, std::string_view label);

}  // namespace longhaul::probe

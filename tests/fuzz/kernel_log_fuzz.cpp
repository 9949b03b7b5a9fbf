// SPDX-License-Identifier: BSD-3-Clause
// Kernel log lines and XIDs of any bytes.
#include <string_view>

#include "lib/health/kernel_log.h"
#include "lib/health/xid.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul::health;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const LogLine line = parse_kernel_line(text.substr(at, end - at));
        at = end + 1;
        if (line.sequence < -1 && line.boot_us < -1) __builtin_trap();
        if (const auto event = parse_xid(line.text)) {
            (void)status_of(*event);
            if (event->number < 0) __builtin_trap();
        }
        (void)parse_sxid(line.text);
        (void)parse_lost_gpu(line.text);
    }
    return 0;
}

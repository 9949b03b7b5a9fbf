// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a code means: XID numbers and the codes of our own findings.

#include <span>
#include <string>
#include <string_view>

namespace longhaul::health {

struct CodeInfo {
    std::string_view code;
    std::string_view meaning;
    std::string_view what_to_do;
};
/// The codes that gpu-health can report, apart from xid.N and sxid.N.
std::span<const CodeInfo> code_table();

/// Text for people about "79", "xid.79", "XID 79" or "gpu.ecc.uncorrected".
/// @throws UsageError for a code that is none, with the nearest one
std::string explain(const std::string& code);

}  // namespace longhaul::health

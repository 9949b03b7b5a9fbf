// SPDX-License-Identifier: BSD-3-Clause
// gpu-health --input, nccl-probe pairs --input, nccl-probe hang on any JSON: an error or an answer.
#include <string_view>

#include "lib/base/error.h"
#include "lib/health/run.h"
#include "lib/io/json.h"
#include "lib/probe/hang.h"
#include "lib/probe/isolation.h"

namespace {

template <class Body>
void allow_errors(Body&& body) {
    try {
        body();
    } catch (const longhaul::Error&) {
        // Bad input that was named: what it should be.
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;
    io::Json json;
    allow_errors([&] {
        json = io::parse_json({reinterpret_cast<const char*>(data), size}, "fuzz");
    });
    allow_errors([&] {
        const health::Snapshot now = health::snapshot_from_json(json, "fuzz");
        const health::State before;
        const health::Policy policy;
        const health::Report report =
            health::run_checks({now, before, policy, health::Context::kProlog, {0, 1}});
        if (report.findings.empty()) __builtin_trap();
        health::to_text(report, true);
    });
    allow_errors([&] {
        const probe::PairMatrix matrix = probe::pair_matrix_from_json(json, "fuzz");
        if (matrix.members.size() > 64) return;
        if (probe::isolate(matrix, {}).empty()) __builtin_trap();
        probe::to_text(matrix);
    });
    allow_errors([&] { probe::find_hang({probe::ring_dump_from_json(json, "fuzz")}); });
    return 0;
}

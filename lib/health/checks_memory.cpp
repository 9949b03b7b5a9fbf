// SPDX-License-Identifier: BSD-3-Clause
// GPU memory: ECC counters, remapped rows, retired pages.
#include "lib/base/format.h"
#include "lib/health/check.h"
#include "lib/health/gpu_keys.h"

namespace longhaul::health {

namespace {

using record::Status;

class Ecc : public Check {
 public:
    std::string_view key() const override { return "gpu.ecc"; }
    std::string_view description() const override {
        return "no uncorrected memory error since the driver was loaded, few corrected ones";
    }
    std::string filter(const World& world) const override { return needs_gpus(world); }

    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        size_t num_read = 0;
        for (const Gpu& gpu : world.now.gpus) {
            num_read += gpu.number(key::kEccVolatileUncorrected) ? 1 : 0;
            add_uncorrected(gpu, findings);
            add_corrected(world, gpu, findings);
            add_mode(gpu, findings);
        }
        if (findings.size() > before || !is_topic_read(world, "ecc")) return;
        if (num_read == 0) {
            findings.push_back({Status::kNote, "gpu.ecc.unsupported", all_gpus(world),
                                "no ECC counters (ECC off, or a GPU without it)",
                                "switch ECC on: nvidia-smi -e 1"});
        } else {
            findings.push_back(
                {Status::kOk, "gpu.ecc", all_gpus(world), "no uncorrected error", ""});
        }
    }

 private:
    static void add_uncorrected(const Gpu& gpu, Findings& findings) {
        const auto since_load = gpu.number(key::kEccVolatileUncorrected);
        const auto ever = gpu.number(key::kEccAggregateUncorrected);
        if (since_load && *since_load > 0) {
            findings.push_back({Status::kFail, "gpu.ecc.uncorrected", gpu.subject(),
                                format("{} uncorrected errors since the driver was loaded, {} ever",
                                       *since_load, ever.value_or(-1)),
                                "drain the node and reset the GPU; replace it if they return"});
        } else if (ever && *ever > 0) {
            findings.push_back({Status::kNote, "gpu.ecc.history", gpu.subject(),
                                format("{} uncorrected errors in its life, none since the driver "
                                       "was loaded",
                                       *ever),
                                "replace the GPU if they return"});
        }
    }

    static void add_corrected(const World& world, const Gpu& gpu, Findings& findings) {
        const auto rise = rise_of(world, gpu, key::kEccVolatileCorrected);
        if (!rise) return;
        const double per_hour = static_cast<double>(rise->count) / rise->hours;
        if (per_hour <= world.policy.corrected_per_hour) return;
        findings.push_back({Status::kWarn, "gpu.ecc.corrected", gpu.subject(),
                            format("{} corrected errors since the last run, {:.0f} an hour (limit "
                                   "{:.0f})",
                                   rise->count, per_hour, world.policy.corrected_per_hour),
                            "watch for uncorrected errors; plan a replacement"});
    }

    static void add_mode(const Gpu& gpu, Findings& findings) {
        const auto mode = gpu.number(key::kEccMode);
        const auto pending = gpu.number(key::kEccModePending);
        if (mode && pending && *mode != *pending) {
            findings.push_back({Status::kWarn, "gpu.ecc.mode_pending", gpu.subject(),
                                format("ECC is {} and will be {} after a reset",
                                       *mode ? "on" : "off", *pending ? "on" : "off"),
                                "reset the GPU or reboot"});
        } else if (mode && *mode == 0) {
            findings.push_back({Status::kWarn, "gpu.ecc.off", gpu.subject(),
                                "ECC is off: memory errors stay unseen",
                                "nvidia-smi -e 1 and reset"});
        }
    }
};

class RowRemap : public Check {
 public:
    std::string_view key() const override { return "gpu.remap"; }
    std::string_view description() const override {
        return "no memory row waits for a reset to be replaced, and spare rows are left";
    }
    std::string filter(const World& world) const override { return needs_gpus(world); }

    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        size_t num_read = 0;
        for (const Gpu& gpu : world.now.gpus) {
            num_read += gpu.number(key::kRemapPending) || gpu.number(key::kRetiredPending) ? 1 : 0;
            judge(gpu, findings);
        }
        if (findings.size() > before || !is_topic_read(world, "remap")) return;
        if (num_read == 0) {
            findings.push_back({Status::kNote, "gpu.remap.unsupported", all_gpus(world),
                                "neither remapped rows nor retired pages are told", ""});
        } else {
            findings.push_back(
                {Status::kOk, "gpu.remap", all_gpus(world), "nothing pending or failed", ""});
        }
    }

 private:
    static void judge(const Gpu& gpu, Findings& findings) {
        const int64_t rows = gpu.number(key::kRemapUncorrectable).value_or(0);
        if (gpu.number(key::kRemapFailure).value_or(0) != 0) {
            findings.push_back({Status::kFail, "gpu.remap.failure", gpu.subject(),
                                format("a row could not be remapped ({} rows remapped)", rows),
                                "drain the node and replace the GPU"});
        }
        if (gpu.number(key::kRemapPending).value_or(0) != 0) {
            findings.push_back(
                {Status::kFail, "gpu.remap.pending", gpu.subject(),
                 format("a bad row is replaced at the next reset ({} rows remapped)", rows),
                 "drain the node and reset the GPU"});
        }
        if (gpu.number(key::kRetiredPending).value_or(0) != 0) {
            findings.push_back({Status::kFail, "gpu.remap.page_pending", gpu.subject(),
                                "a bad page is retired at the next reset",
                                "drain the node and reset the GPU"});
        }
        const int64_t exhausted = gpu.number(key::kRemapBanksNone).value_or(0);
        if (exhausted > 0) {
            findings.push_back({Status::kWarn, "gpu.remap.exhausted", gpu.subject(),
                                format("{} memory banks have no spare rows left", exhausted),
                                "plan a replacement of the GPU"});
        }
    }
};

}  // namespace

void add_memory_checks(Checks& checks) {
    checks.push_back(std::make_unique<Ecc>());
    checks.push_back(std::make_unique<RowRemap>());
}

}  // namespace longhaul::health

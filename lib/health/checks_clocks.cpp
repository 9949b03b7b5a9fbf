// SPDX-License-Identifier: BSD-3-Clause
// Heat and clocks: hardware slowdown, power brake, temperature.
#include "lib/base/format.h"
#include "lib/gpu/nvml_abi.h"
#include "lib/health/check.h"
#include "lib/health/gpu_keys.h"

namespace longhaul::health {

namespace {

namespace reason = gpu::nvml::clocks_event;
using record::Status;

class Throttle : public Check {
 public:
    std::string_view key() const override { return "gpu.throttle"; }
    std::string_view description() const override {
        return "the hardware does not slow a GPU down for heat or power";
    }
    std::string filter(const World& world) const override { return needs_gpus(world); }

    // The mask is tested bit by bit: idle, application clocks and the software power cap are
    // normal.
    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        size_t num_read = 0;
        for (const Gpu& gpu : world.now.gpus) {
            const auto mask = gpu.number(key::kClocksEvent);
            if (!mask) continue;
            ++num_read;
            judge(gpu, static_cast<uint64_t>(*mask), findings);
        }
        if (findings.size() > before || !is_topic_read(world, "clocks")) return;
        findings.push_back(num_read == 0
                               ? record::Finding{Status::kNote, "gpu.throttle.unsupported",
                                                 all_gpus(world), "the driver does not tell", ""}
                               : record::Finding{Status::kOk, "gpu.throttle", all_gpus(world),
                                                 "no hardware slowdown", ""});
    }

 private:
    static void judge(const Gpu& gpu, uint64_t mask, Findings& findings) {
        const std::string evidence = format("clocks event reasons 0x{:x}, {} C", mask,
                                            gpu.number(key::kTemperature).value_or(-1));
        if ((mask & reason::kHwThermal) != 0) {
            findings.push_back({Status::kFail, "gpu.throttle.thermal", gpu.subject(),
                                "slowed down by the hardware for heat: " + evidence,
                                "drain the node; check fans, airflow or cold plate"});
        } else if ((mask & reason::kHwPowerBrake) != 0) {
            findings.push_back({Status::kFail, "gpu.throttle.power_brake", gpu.subject(),
                                "slowed down by the node's power brake: " + evidence,
                                "drain the node; check power supplies and cabling"});
        } else if ((mask & reason::kHwSlowdown) != 0) {
            findings.push_back({Status::kFail, "gpu.throttle.hardware", gpu.subject(),
                                "slowed down by the hardware: " + evidence,
                                "drain the node; check power and cooling"});
        } else if ((mask & reason::kSwThermal) != 0) {
            findings.push_back({Status::kWarn, "gpu.throttle.soft_thermal", gpu.subject(),
                                "slowed down by the driver for heat: " + evidence,
                                "check fans, airflow or cold plate"});
        }
    }
};

class Temperature : public Check {
 public:
    std::string_view key() const override { return "gpu.temperature"; }
    std::string_view description() const override {
        return "every GPU stays below its slowdown temperature";
    }
    std::string filter(const World& world) const override { return needs_gpus(world); }

    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        int64_t highest = -1;
        for (const Gpu& gpu : world.now.gpus) {
            const auto celsius = gpu.number(key::kTemperature);
            const auto limit = gpu.number(key::kSlowdownTemperature);
            if (!celsius) continue;
            highest = std::max(highest, *celsius);
            if (!limit || *limit <= 0 || *celsius + world.policy.temperature_margin_c < *limit)
                continue;
            const bool is_over = *celsius >= *limit;
            findings.push_back({is_over ? Status::kFail : Status::kWarn,
                                is_over ? "gpu.temperature.over" : "gpu.temperature.near",
                                gpu.subject(), format("{} C, slows down at {} C", *celsius, *limit),
                                "check fans, airflow or cold plate"});
        }
        if (findings.size() > before || !is_topic_read(world, "clocks")) return;
        findings.push_back(highest < 0
                               ? record::Finding{Status::kNote, "gpu.temperature.unsupported",
                                                 all_gpus(world), "the driver does not tell", ""}
                               : record::Finding{Status::kOk, "gpu.temperature", all_gpus(world),
                                                 format("at most {} C", highest), ""});
    }
};

}  // namespace

void add_clock_checks(Checks& checks) {
    checks.push_back(std::make_unique<Throttle>());
    checks.push_back(std::make_unique<Temperature>());
}

}  // namespace longhaul::health

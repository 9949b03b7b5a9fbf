// SPDX-License-Identifier: BSD-3-Clause
#include "lib/comm/world.h"

#include <cstdlib>
#include <numeric>
#include <optional>

#include "lib/base/error.h"
#include "lib/comm/transport.h"

namespace longhaul::comm {

namespace {

std::optional<int> number_in(const char* variable) {
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return std::nullopt;
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (*end != '\0' || value < 0 || value > 1 << 24) return std::nullopt;
    return static_cast<int>(value);
}

class SoloTransport : public Transport {
 public:
    using Transport::Transport;
    Request post_send(int, std::span<const std::byte>, MessageKey) override { return 0; }
    Request post_recv(int, std::span<std::byte>, MessageKey) override { return 0; }
    bool wait(Request, double) override { return true; }
};

class RecordTransport : public SoloTransport {
 public:
    using SoloTransport::SoloTransport;
    bool is_recording() const override { return true; }
};

}  // namespace

World::World(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {
    std::vector<int> all(static_cast<size_t>(transport_->size()));
    std::iota(all.begin(), all.end(), 0);
    comm_.reset(new Comm(*transport_, "world", std::move(all), 0));
}

World::~World() = default;

CallRing& World::ring() {
    return transport_->ring();
}

void World::set_timeout(double seconds) {
    transport_->set_timeout(seconds);
}

LaunchInfo detect_launcher() {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
        if (const auto size = number_in(variable)) {
            return {Launcher::kMpi, *size, format("{}={}", variable, *size)};
        }
    }
    const auto tasks = number_in("SLURM_STEP_NUM_TASKS");
    if (std::getenv("PMIX_RANK") != nullptr) {
        return {Launcher::kMpi, tasks.value_or(1), "PMIX_RANK"};
    }
    // A batch script itself is a step of one task; srun without PMI leaves every task alone.
    if (tasks.value_or(1) > 1 && number_in("SLURM_PROCID").has_value()) {
        throw UsageError(
            format("srun started {} tasks without PMI, so they cannot find each other; "
                   "use srun --mpi=pmix (srun --mpi=list shows what this cluster has)",
                   *tasks));
    }
    return {};
}

std::unique_ptr<World> solo_world() {
    return std::make_unique<World>(std::make_unique<SoloTransport>(0, 1));
}

std::unique_ptr<World> record_world(int world_size, int rank) {
    return std::make_unique<World>(std::make_unique<RecordTransport>(rank, world_size));
}

}  // namespace longhaul::comm

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/fabric.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "lib/base/error.h"
#include "lib/comm/mpi_env.h"
#include "lib/comm/raw_mpi.h"
#include "lib/comm/world.h"

namespace longhaul::probe {

namespace {

class MpiFabric : public Fabric {
 public:
    const char* name() const override { return "mpi"; }
    int rank() const override { return mpi_.rank(); }
    int size() const override { return mpi_.size(); }
    void barrier() override { mpi_.barrier(); }

    void run(Collective collective, const float* in, float* out, size_t count) override {
        switch (collective) {
            case Collective::kAllReduce:
                return mpi_.all_reduce_sum(in, out, count);
            case Collective::kAllGather:
                return mpi_.all_gather(in, out, count);
            case Collective::kReduceScatter:
                return mpi_.reduce_scatter_sum(in, out, count);
            case Collective::kAllToAll:
                return mpi_.all_to_all(in, out, count);
            case Collective::kBroadcast:
                return broadcast(in, out, count);
            case Collective::kSendRecv:
                return mpi_.send_receive(in, out, count, (rank() + 1) % size(),
                                         (rank() + size() - 1) % size());
        }
    }
    void max(std::span<double> values) override { mpi_.max(values); }
    std::vector<std::string> gather(const std::string& text) override { return mpi_.gather(text); }
    bool send(std::span<const std::byte> bytes, int to, double deadline_s) override {
        return mpi_.send(bytes, to, 1, deadline_s);
    }
    bool receive(std::span<std::byte> bytes, int from, double deadline_s) override {
        return mpi_.receive(bytes, from, 1, deadline_s);
    }
    [[noreturn]] void abort(ExitCode code) override { mpi_.abort(code); }

 private:
    /// MPI's broadcast is always in place: out of place, the root's copy is part of the work.
    void broadcast(const float* in, float* out, size_t count) {
        if (in != nullptr && rank() == 0) std::memcpy(out, in, count * sizeof(float));
        mpi_.broadcast(out, count, 0);
    }

    comm::MpiEnv environment_;
    comm::RawMpi mpi_;
};

class SoloFabric : public Fabric {
 public:
    const char* name() const override { return "none"; }
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void barrier() override {}
    void run(Collective, const float* in, float* out, size_t count) override {
        if (in != nullptr) std::memcpy(out, in, count * sizeof(float));
    }
    void max(std::span<double>) override {}
    std::vector<std::string> gather(const std::string& text) override { return {text}; }
    bool send(std::span<const std::byte>, int, double) override { return false; }
    bool receive(std::span<std::byte>, int, double) override { return false; }
    [[noreturn]] void abort(ExitCode code) override { std::exit(to_int(code)); }
};

}  // namespace

std::unique_ptr<Fabric> open_fabric() {
    if (comm::detect_launcher().launcher == comm::Launcher::kNone) {
        return std::make_unique<SoloFabric>();
    }
    return std::make_unique<MpiFabric>();
}

std::string host_name() {
    if (const char* slurm_name = std::getenv("SLURMD_NODENAME")) return slurm_name;
    char name[256] = {};
    if (gethostname(name, sizeof name - 1) != 0) return "unknown";
    return std::string(name, std::find(name, name + std::strlen(name), '.'));
}

std::vector<RankInfo> gather_ranks(Fabric& fabric) {
    std::vector<RankInfo> ranks;
    for (const std::string& text : fabric.gather(format("{} {}", getpid(), host_name()))) {
        const size_t blank = text.find(' ');
        ranks.push_back({static_cast<int>(ranks.size()), text.substr(blank + 1),
                         std::strtoll(text.c_str(), nullptr, 10)});
    }
    return ranks;
}

}  // namespace longhaul::probe

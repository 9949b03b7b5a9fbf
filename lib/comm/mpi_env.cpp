// SPDX-License-Identifier: BSD-3-Clause
// The MPI transport. Only point-to-point calls are used: the collectives are our own, so that their
// results equal those of the thread transport bit for bit.
#include "lib/comm/mpi_env.h"

#include <mpi.h>
#include <sched.h>

#include <chrono>
#include <exception>
#include <map>
#include <thread>

#include "lib/base/check.h"
#include "lib/base/fatal_hook.h"
#include "lib/comm/transport.h"
#include "lib/log/log.h"

namespace longhaul::comm {

namespace {

void check_mpi(int result, const char* call) {
    if (result == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(result, text, &length);
    throw CommError(format("{} failed: {}", call, std::string(text, static_cast<size_t>(length))));
}

/// Messages of one pair are matched in order, so a tag that repeats after 4096 calls is harmless;
/// it is there to find ranks that are not in the same call.
int tag_of(const MessageKey& key) {
    constexpr uint32_t kSpecial = 1000, kPieces = 1024;
    const uint32_t piece = key.piece >= kFirstSpecialPiece
                               ? kSpecial + key.piece - kFirstSpecialPiece
                               : key.piece % kSpecial;
    static_assert(kSpecial + kPointToPointPiece - kFirstSpecialPiece < kPieces);
    return static_cast<int>((key.context % 64) << 22 | (key.sequence % 4096) * kPieces | piece);
}

class MpiTransport : public Transport {
 public:
    MpiTransport(MPI_Comm comm, int rank, int size) : Transport(rank, size), comm_(comm) {}
    ~MpiTransport() override {
        if (std::uncaught_exceptions() == 0 && open_.empty()) MPI_Comm_free(&comm_);
    }

    Request post_send(int to, std::span<const std::byte> bytes, MessageKey key) override {
        Open open{MPI_REQUEST_NULL, bytes.size(), false, to};
        check_mpi(MPI_Isend(bytes.data(), count_of(bytes.size()), MPI_BYTE, to, tag_of(key), comm_,
                            &open.request),
                  "MPI_Isend");
        return remember(open);
    }

    Request post_recv(int from, std::span<std::byte> bytes, MessageKey key) override {
        Open open{MPI_REQUEST_NULL, bytes.size(), true, from};
        check_mpi(MPI_Irecv(bytes.data(), count_of(bytes.size()), MPI_BYTE, from, tag_of(key),
                            comm_, &open.request),
                  "MPI_Irecv");
        return remember(open);
    }

    bool wait(Request request, double timeout_s) override {
        const auto entry = open_.find(request);
        LH_CHECK(entry != open_.end(), "wait for an unknown request {}", request);
        Open& open = entry->second;
        MPI_Status status;
        if (!poll(open.request, status, timeout_s)) return false;  // stays open: MPI still owns it
        check_size(open, status);
        open_.erase(entry);
        return true;
    }

 private:
    struct Open {
        MPI_Request request;
        size_t size_bytes;
        bool is_receive;
        int peer;
    };

    static int count_of(size_t size_bytes) {
        LH_CHECK(size_bytes <= 0x7FFFFFFFu, "a message of {} bytes does not fit MPI", size_bytes);
        return static_cast<int>(size_bytes);
    }

    Request remember(Open open) {
        open_.emplace(++last_request_, open);
        return last_request_;
    }

    void check_size(const Open& open, const MPI_Status& status) const {
        if (!open.is_receive) return;
        int received = 0;
        MPI_Get_count(&status, MPI_BYTE, &received);
        if (static_cast<size_t>(received) == open.size_bytes) return;
        throw CommError(
            format("rank {} sent {} bytes where rank {} expects {}: the ranks are not in "
                   "the same call",
                   open.peer, received, rank(), open.size_bytes));
    }

    /// MPI_Test with growing pauses: spinning would take the CPU from ranks that share it.
    static bool poll(MPI_Request& request, MPI_Status& status, double timeout_s) {
        using Clock = std::chrono::steady_clock;
        constexpr int kSpins = 200;
        constexpr auto kLongestPause = std::chrono::microseconds(500);
        const auto start = Clock::now();
        auto pause = std::chrono::microseconds(1);
        for (int turn = 0;; ++turn) {
            int done = 0;
            check_mpi(MPI_Test(&request, &done, &status), "MPI_Test");
            if (done != 0) return true;
            if (turn < kSpins) {
                sched_yield();
                continue;
            }
            if (timeout_s > 0 && Clock::now() - start > std::chrono::duration<double>(timeout_s)) {
                return false;
            }
            std::this_thread::sleep_for(pause);
            pause = std::min(2 * pause, kLongestPause);
        }
    }

    MPI_Comm comm_;
    std::map<Request, Open> open_;
    Request last_request_ = 0;
};

/// Opens the connection of every pair of ranks, the lower rank first. Left to the first collective,
/// both ends of a pair connect at once, which Open MPI 4.1's TCP transport does not always survive.
void introduce_pairs(int rank, int size) {
    constexpr int kTag = 1;
    char greeting = 0;
    const auto send = [&](int to) {
        check_mpi(MPI_Send(&greeting, 1, MPI_BYTE, to, kTag, MPI_COMM_WORLD), "MPI_Send");
    };
    const auto receive = [&](int from) {
        check_mpi(MPI_Recv(&greeting, 1, MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  "MPI_Recv");
    };
    // Pairs in lexicographic order: each rank waits only for pairs that come before its own.
    for (int peer = 0; peer < size; ++peer) {
        if (rank < peer) {
            send(peer);
            receive(peer);
        } else if (rank > peer) {
            receive(peer);
            send(peer);
        }
    }
}

}  // namespace

MpiEnv::MpiEnv() {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        throw CommError("MPI_Init_thread failed: start the program with mpirun or srun --mpi=pmix");
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
    log::set_rank(rank_, size_);
    set_fatal_hook([](ExitCode code) { MPI_Abort(MPI_COMM_WORLD, to_int(code)); });
    introduce_pairs(rank_, size_);
}

MpiEnv::~MpiEnv() {
    // While an error unwinds the others may be anywhere: run_main's fatal hook ends them.
    if (std::uncaught_exceptions() > 0) return;
    set_fatal_hook({});
    MPI_Finalize();
}

std::unique_ptr<World> MpiEnv::world() {
    MPI_Comm duplicate = MPI_COMM_NULL;
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &duplicate), "MPI_Comm_dup");
    return std::make_unique<World>(std::make_unique<MpiTransport>(duplicate, rank_, size_));
}

bool have_mpi() {
    return true;
}

}  // namespace longhaul::comm

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/comm/raw_mpi.h"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdlib>

#include "lib/base/error.h"

namespace longhaul::comm {

namespace {

using Clock = std::chrono::steady_clock;

// While waiting: test hard at first (what is measured is short), then let others run, then sleep.
constexpr int kBusyTests = 2000;
constexpr double kSleepAfter_s = 0.05;
constexpr useconds_t kSleep_us = 200;

void check(int result, const char* call) {
    if (result == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(result, text, &length);
    throw CommError(format("{}: {}", call, std::string(text, static_cast<size_t>(length))));
}

int as_count(size_t count) {
    if (count > INT_MAX)
        throw CommError(format("{} elements are too many for one MPI call", count));
    return static_cast<int>(count);
}

const void* or_in_place(const float* in) {
    return in == nullptr ? MPI_IN_PLACE : in;
}

/// @return false when the deadline passed first.
bool wait_until(MPI_Request& request, double deadline_s) {
    const Clock::time_point start = Clock::now();
    for (int64_t tests = 0;; ++tests) {
        int is_done = 0;
        check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
        if (is_done != 0) return true;
        if (tests < kBusyTests) continue;
        const double elapsed_s = std::chrono::duration<double>(Clock::now() - start).count();
        if (elapsed_s > deadline_s) return false;
        if (elapsed_s > kSleepAfter_s) {
            usleep(kSleep_us);
        } else {
            sched_yield();
        }
    }
}

}  // namespace

struct RawMpi::Impl {
    MPI_Comm comm = MPI_COMM_NULL;
};

RawMpi::RawMpi() : impl_(std::make_unique<Impl>()) {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &impl_->comm), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(impl_->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(impl_->comm, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(impl_->comm, &size_), "MPI_Comm_size");
}

RawMpi::~RawMpi() {
    // Freeing is collective; while unwinding other ranks may not come.
    if (std::uncaught_exceptions() == 0) MPI_Comm_free(&impl_->comm);
}

std::string RawMpi::processor_name() {
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    check(MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
    return {name, static_cast<size_t>(length)};
}

void RawMpi::barrier() {
    check(MPI_Barrier(impl_->comm), "MPI_Barrier");
}

void RawMpi::all_reduce_sum(const float* in, float* out, size_t count) {
    check(MPI_Allreduce(or_in_place(in), out, as_count(count), MPI_FLOAT, MPI_SUM, impl_->comm),
          "MPI_Allreduce");
}

void RawMpi::all_gather(const float* in, float* out, size_t count_per_rank) {
    const int count = as_count(count_per_rank);
    check(MPI_Allgather(or_in_place(in), count, MPI_FLOAT, out, count, MPI_FLOAT, impl_->comm),
          "MPI_Allgather");
}

void RawMpi::reduce_scatter_sum(const float* in, float* out, size_t count_per_rank) {
    check(MPI_Reduce_scatter_block(or_in_place(in), out, as_count(count_per_rank), MPI_FLOAT,
                                   MPI_SUM, impl_->comm),
          "MPI_Reduce_scatter_block");
}

void RawMpi::all_to_all(const float* in, float* out, size_t count_per_rank) {
    const int count = as_count(count_per_rank);
    check(MPI_Alltoall(or_in_place(in), count, MPI_FLOAT, out, count, MPI_FLOAT, impl_->comm),
          "MPI_Alltoall");
}

void RawMpi::broadcast(float* data, size_t count, int root) {
    check(MPI_Bcast(data, as_count(count), MPI_FLOAT, root, impl_->comm), "MPI_Bcast");
}

void RawMpi::send_receive(const float* in, float* out, size_t count, int to, int from) {
    const int n = as_count(count);
    if (in == nullptr) {
        check(
            MPI_Sendrecv_replace(out, n, MPI_FLOAT, to, 0, from, 0, impl_->comm, MPI_STATUS_IGNORE),
            "MPI_Sendrecv_replace");
        return;
    }
    check(MPI_Sendrecv(in, n, MPI_FLOAT, to, 0, out, n, MPI_FLOAT, from, 0, impl_->comm,
                       MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
}

void RawMpi::max(std::span<double> values) {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), as_count(values.size()), MPI_DOUBLE, MPI_MAX,
                        impl_->comm),
          "MPI_Allreduce");
}

std::vector<std::string> RawMpi::gather(const std::string& text) {
    const int length = as_count(text.size());
    std::vector<int> lengths(static_cast<size_t>(size_)), offsets(static_cast<size_t>(size_));
    check(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, impl_->comm),
          "MPI_Gather");
    size_t total = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
        offsets[i] = as_count(total);
        total += static_cast<size_t>(lengths[i]);
    }
    std::string all(rank_ == 0 ? total : 0, '\0');
    check(MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                      MPI_CHAR, 0, impl_->comm),
          "MPI_Gatherv");
    std::vector<std::string> texts;
    for (size_t i = 0; rank_ == 0 && i < lengths.size(); ++i) {
        texts.push_back(
            all.substr(static_cast<size_t>(offsets[i]), static_cast<size_t>(lengths[i])));
    }
    return texts;
}

bool RawMpi::send(std::span<const std::byte> bytes, int to, int tag, double deadline_s) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(bytes.data(), as_count(bytes.size()), MPI_BYTE, to, tag, impl_->comm, &request),
          "MPI_Isend");
    return wait_until(request, deadline_s);
}

bool RawMpi::receive(std::span<std::byte> bytes, int from, int tag, double deadline_s) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(
        MPI_Irecv(bytes.data(), as_count(bytes.size()), MPI_BYTE, from, tag, impl_->comm, &request),
        "MPI_Irecv");
    if (wait_until(request, deadline_s)) return true;
    check(MPI_Cancel(&request), "MPI_Cancel");
    check(MPI_Request_free(&request), "MPI_Request_free");
    return false;
}

void RawMpi::abort(ExitCode code) {
    MPI_Abort(impl_->comm, to_int(code));
    std::abort();
}

}  // namespace longhaul::comm

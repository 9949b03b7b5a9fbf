// SPDX-License-Identifier: BSD-3-Clause
#include "lib/comm/comm.h"

#include <algorithm>
#include <cstring>

#include "lib/base/check.h"
#include "lib/comm/pending_call.h"

namespace longhaul::comm {

namespace {

Buffer bytes_buffer(std::string& bytes) {
    return {bytes.data(), static_cast<int64_t>(bytes.size()), tensor::DType::kU8};
}

bool is_point_to_point(CallKind kind) {
    return kind == CallKind::kSend || kind == CallKind::kRecv;
}

std::unique_ptr<PendingCall> make_call(CallKind kind, Buffer in, Buffer out, Op op, int peer,
                                       Tag tag) {
    auto call = std::make_unique<PendingCall>();
    call->kind = kind;
    call->in = in;
    call->out = out;
    call->op = op;
    call->peer = peer;
    call->tag = tag;
    return call;
}

}  // namespace

Comm::Comm(Transport& transport, std::string axis, std::vector<int> members, uint32_t context)
    : transport_(transport),
      axis_(std::move(axis)),
      members_(std::move(members)),
      context_(context) {
    const auto self = std::find(members_.begin(), members_.end(), transport.rank());
    LH_CHECK(self != members_.end(), "rank {} is no member of its group \"{}\"", transport.rank(),
             axis_);
    rank_ = static_cast<int>(self - members_.begin());
    num_sent_.resize(members_.size());
    num_received_.resize(members_.size());
}

Comm::~Comm() = default;

bool Comm::is_recording() const {
    return transport_.is_recording();
}

std::unique_ptr<Comm> Comm::subgroup(const std::string& axis, const std::vector<int>& members) {
    return std::unique_ptr<Comm>(new Comm(transport_, axis, members, transport_.next_context()));
}

int64_t Comm::scratch_bytes(int size) {
    return static_cast<int64_t>(size - 1) * CallRunner::kPieceBytes;
}

std::span<std::byte> Comm::scratch() {
    const auto needed = static_cast<size_t>(scratch_bytes(size()));
    if (scratch_.data != nullptr && scratch_.size_bytes() >= needed) {
        return {static_cast<std::byte*>(scratch_.data), needed};
    }
    if (!is_recording()) own_scratch_.resize(needed);
    return own_scratch_;
}

uint64_t Comm::next_sequence(const PendingCall& call) {
    switch (call.kind) {
        case CallKind::kSend:
            return ++num_sent_[static_cast<size_t>(call.peer)];
        case CallKind::kRecv:
            return ++num_received_[static_cast<size_t>(call.peer)];
        default:
            return ++num_collectives_;
    }
}

Handle Comm::start(std::unique_ptr<PendingCall> call) {
    call->order = ++num_started_;
    call->sequence = next_sequence(*call);
    CallRecord record;
    record.sequence = call->sequence;
    record.axis = axis_;
    record.op = name_of(call->kind);
    record.tag = call->tag;
    record.size_bytes = std::max(call->in.size_bytes(), call->out.size_bytes());
    record.peer = call->peer < 0 ? -1 : world_rank(call->peer);
    record.group = members_;
    call->ring_number = transport_.ring().post(std::move(record));
    CallRunner(transport_, members_, rank_, context_, *call, transport_.timeout_s()).post();
    const Handle handle(call->order);
    pending_.push_back(std::move(call));
    return handle;
}

void Comm::finish(PendingCall& call) {
    CallRunner(transport_, members_, rank_, context_, call, transport_.timeout_s())
        .finish(scratch());
    transport_.ring().set_done(call.ring_number);
}

void Comm::wait(Handle handle) {
    LH_CHECK(handle.order_ != 0 && handle.order_ <= num_started_,
             "wait for a call that was never started on \"{}\"", axis_);
    const auto wanted = std::find_if(pending_.begin(), pending_.end(), [&](const auto& call) {
        return call->order == handle.order_;
    });
    if (wanted == pending_.end()) return;  // a later collective finished it
    if (is_point_to_point((*wanted)->kind)) {
        finish(**wanted);
        pending_.erase(wanted);
        return;
    }
    // Collectives have several phases: all ranks must go through them in one order.
    for (auto call = pending_.begin(); call != pending_.end() && (*call)->order <= handle.order_;) {
        if (is_point_to_point((*call)->kind)) {
            ++call;
            continue;
        }
        finish(**call);
        call = pending_.erase(call);
    }
}

Handle Comm::start_all_reduce(Buffer data, Op op, Tag tag) {
    return start(make_call(CallKind::kAllReduce, data, data, op, -1, tag));
}

Handle Comm::start_reduce_scatter(Buffer in, Buffer out, Op op, Tag tag) {
    LH_CHECK(in.count == out.count * size() && in.dtype == out.dtype,
             "reduce_scatter of {} elements into {} on {} ranks", in.count, out.count, size());
    return start(make_call(CallKind::kReduceScatter, in, out, op, -1, tag));
}

Handle Comm::start_all_gather(Buffer in, Buffer out, Tag tag) {
    LH_CHECK(out.count == in.count * size() && in.dtype == out.dtype,
             "all_gather of {} elements into {} on {} ranks", in.count, out.count, size());
    return start(make_call(CallKind::kAllGather, in, out, Op::kSum, -1, tag));
}

Handle Comm::start_broadcast(Buffer data, int root, Tag tag) {
    return start(make_call(CallKind::kBroadcast, data, data, Op::kSum, root, tag));
}

Handle Comm::start_all_to_all_v(Buffer in, std::span<const int64_t> send_counts, Buffer out,
                                std::span<const int64_t> recv_counts, Tag tag) {
    const auto ranks = static_cast<size_t>(size());
    LH_CHECK(send_counts.size() == ranks && recv_counts.size() == ranks,
             "all_to_all_v with {} and {} counts on {} ranks", send_counts.size(),
             recv_counts.size(), ranks);
    LH_CHECK(send_counts[static_cast<size_t>(rank_)] == recv_counts[static_cast<size_t>(rank_)],
             "all_to_all_v sends itself {} elements but takes {}",
             send_counts[static_cast<size_t>(rank_)], recv_counts[static_cast<size_t>(rank_)]);
    auto call = make_call(CallKind::kAllToAllV, in, out, Op::kSum, -1, tag);
    call->send_counts.assign(send_counts.begin(), send_counts.end());
    call->recv_counts.assign(recv_counts.begin(), recv_counts.end());
    return start(std::move(call));
}

Handle Comm::start_send(Buffer data, int to, Tag tag) {
    return start(make_call(CallKind::kSend, data, data, Op::kSum, to, tag));
}

Handle Comm::start_recv(Buffer data, int from, Tag tag) {
    return start(make_call(CallKind::kRecv, data, data, Op::kSum, from, tag));
}

void Comm::all_reduce(std::span<double> values, Op op, Tag tag) {
    all_reduce({values.data(), static_cast<int64_t>(values.size()), tensor::DType::kF64}, op, tag);
}

std::vector<std::string> Comm::gather_bytes(const std::string& bytes, int root, Tag tag) {
    std::vector<int64_t> sizes(static_cast<size_t>(size()), 0);
    sizes[static_cast<size_t>(rank_)] = static_cast<int64_t>(bytes.size());
    all_reduce({sizes.data(), size(), tensor::DType::kI64}, Op::kSum, tag);
    std::vector<std::string> all;
    if (rank_ != root) {
        std::string copy = bytes;
        send(bytes_buffer(copy), root, tag);
        return all;
    }
    for (int from = 0; from < size(); ++from) {
        std::string received(static_cast<size_t>(sizes[static_cast<size_t>(from)]), '\0');
        if (from == rank_) {
            received = bytes;
        } else {
            recv(bytes_buffer(received), from, tag);
        }
        all.push_back(std::move(received));
    }
    return all;
}

std::string Comm::broadcast_bytes(const std::string& bytes, int root, Tag tag) {
    int64_t num = static_cast<int64_t>(bytes.size());
    broadcast({&num, 1, tensor::DType::kI64}, root, tag);
    std::string text = rank_ == root ? bytes : std::string(static_cast<size_t>(num), '\0');
    broadcast(bytes_buffer(text), root, tag);
    return text;
}

void Comm::barrier(Tag tag, double timeout_s) {
    const double usual = transport_.timeout_s();
    if (timeout_s > 0) transport_.set_timeout(timeout_s);
    double token = 0;
    try {
        all_reduce(std::span(&token, 1), Op::kSum, tag);
    } catch (...) {
        transport_.set_timeout(usual);
        throw;
    }
    transport_.set_timeout(usual);
}

void agree(Comm& comm, const std::string& problem, ExitCode code) {
    const Tag tag{-1, -1, "agree"};
    double worst = problem.empty() ? 0 : to_int(code);
    comm.all_reduce(std::span(&worst, 1), Op::kMax, tag);
    if (worst == 0) return;
    const auto problems = comm.gather_bytes(problem, 0, tag);
    std::string first;
    for (size_t rank = 0; rank < problems.size() && first.empty(); ++rank) {
        if (problems[rank].empty()) continue;
        first = comm.size() == 1 ? problems[rank] : format("rank {}: {}", rank, problems[rank]);
    }
    first = comm.broadcast_bytes(first, 0, tag);
    throw AgreedError(first, static_cast<ExitCode>(static_cast<int>(worst)));
}

void agree_on(Comm& comm, const std::function<void()>& body) {
    std::string problem;
    ExitCode code = ExitCode::kFailed;
    try {
        body();
    } catch (const Error& error) {
        problem = error.describe();
        code = error.exit_code();
    } catch (const std::exception& error) {
        problem = error.what();
    }
    agree(comm, problem, code);
}

}  // namespace longhaul::comm

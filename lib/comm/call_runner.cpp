// SPDX-License-Identifier: BSD-3-Clause
// The collectives. All are direct exchanges: each pair of ranks passes at most one stream of
// messages a phase, and every reduction takes its operands in rank order.
#include <algorithm>
#include <cstring>

#include "lib/base/check.h"
#include "lib/comm/pending_call.h"
#include "lib/comm/reduce.h"
#include "lib/tensor/box.h"

namespace longhaul::comm {

namespace {

std::span<std::byte> bytes_of(const Buffer& data) {
    return {static_cast<std::byte*>(data.data), data.size_bytes()};
}

void copy(const Buffer& from, const Buffer& to) {
    if (from.data != to.data && from.count > 0) {
        std::memmove(to.data, from.data, from.size_bytes());
    }
}

}  // namespace

const char* name_of(CallKind kind) {
    switch (kind) {
        case CallKind::kAllReduce:
            return "all_reduce";
        case CallKind::kReduceScatter:
            return "reduce_scatter";
        case CallKind::kAllGather:
            return "all_gather";
        case CallKind::kBroadcast:
            return "broadcast";
        case CallKind::kAllToAllV:
            return "all_to_all_v";
        case CallKind::kSend:
            return "send";
        case CallKind::kRecv:
            return "recv";
    }
    return "unknown";
}

bool CallRunner::is_direct() const {
    return call_.kind == CallKind::kAllReduce &&
           static_cast<int64_t>(call_.in.size_bytes()) <= kDirectBytes;
}

Buffer CallRunner::part_of(const Buffer& whole, int index) const {
    const tensor::Range range = tensor::split_evenly(whole.count, size(), index);
    return whole.part(range.first, range.count);
}

void CallRunner::post_send(int to, const Buffer& data, uint32_t piece) {
    if (data.count == 0) return;
    call_.sends.push_back(transport_.post_send(members_[static_cast<size_t>(to)], bytes_of(data),
                                               {context_, call_.sequence, piece}));
}

void CallRunner::receive(int from, const Buffer& data, uint32_t piece) {
    if (data.count == 0) return;
    const int peer = members_[static_cast<size_t>(from)];
    wait(transport_.post_recv(peer, bytes_of(data), {context_, call_.sequence, piece}), peer);
}

void CallRunner::wait(Request request, int peer) {
    transport_.ring().set_started(call_.ring_number, peer);
    if (transport_.wait(request, timeout_s_)) return;
    const std::string whom = peer < 0 ? "a rank that is sent to" : format("rank {}", peer);
    for (const CallRecord& record : transport_.ring().snapshot()) {
        if (record.number != call_.ring_number) continue;
        throw TimeoutError(
            format("no answer from {} within {} s in {}", whom, timeout_s_, describe(record)));
    }
    throw TimeoutError(format("no answer from {} within {} s", whom, timeout_s_));
}

void CallRunner::wait_sends() {
    const int peer = call_.kind == CallKind::kSend ? members_[static_cast<size_t>(call_.peer)] : -1;
    for (const Request request : call_.sends) wait(request, peer);
    call_.sends.clear();
}

/// Sends every other member its part, in pieces that fit its scratch.
void CallRunner::post_parts() {
    const int64_t step = kPieceBytes / static_cast<int64_t>(tensor::size_of(call_.in.dtype));
    for (int hop = 1; hop < size(); ++hop) {
        const int to = (rank_ + hop) % size();
        const Buffer part = part_of(call_.in, to);
        uint32_t piece = 0;
        for (int64_t first = 0; first < part.count; first += step) {
            post_send(to, part.part(first, std::min(step, part.count - first)), piece++);
        }
    }
}

void CallRunner::post() {
    switch (call_.kind) {
        case CallKind::kAllReduce:
            if (!is_direct()) return post_parts();
            for (int hop = 1; hop < size(); ++hop) post_send((rank_ + hop) % size(), call_.in, 0);
            return;
        case CallKind::kReduceScatter:
            return post_parts();
        case CallKind::kAllGather:
            for (int hop = 1; hop < size(); ++hop) post_send((rank_ + hop) % size(), call_.in, 0);
            return;
        case CallKind::kBroadcast:
            if (rank_ != call_.peer) return;
            for (int hop = 1; hop < size(); ++hop) post_send((rank_ + hop) % size(), call_.in, 0);
            return;
        case CallKind::kAllToAllV: {
            int64_t first = 0;
            for (int to = 0; to < size(); ++to) {
                const int64_t count = call_.send_counts[static_cast<size_t>(to)];
                if (to != rank_) post_send(to, call_.in.part(first, count), 0);
                first += count;
            }
            return;
        }
        case CallKind::kSend:
            return post_send(call_.peer, call_.in, kPointToPointPiece);
        case CallKind::kRecv:
            return;
    }
}

/// Receives the other members' versions of the part `own` piece by piece and reduces them into
/// `out`. The scratch holds one piece of every other member.
void CallRunner::reduce_own_part(const Buffer& own, const Buffer& out,
                                 std::span<std::byte> scratch) {
    const int64_t step = kPieceBytes / static_cast<int64_t>(tensor::size_of(own.dtype));
    std::vector<const void*> sources(static_cast<size_t>(size()));
    uint32_t piece = 0;
    for (int64_t first = 0; first < own.count; first += step, ++piece) {
        const int64_t num = std::min(step, own.count - first);
        for (int from = 0, slot = 0; from < size(); ++from) {
            Buffer data = own.part(first, num);
            if (from != rank_) {
                data.data = scratch.data() + static_cast<int64_t>(slot++) * kPieceBytes;
                receive(from, data, piece);
            }
            sources[static_cast<size_t>(from)] = data.data;
        }
        if (transport_.is_recording()) continue;
        reduce_in_order(call_.op, own.dtype, sources, out.part(first, num).data, num);
    }
}

void CallRunner::gather_parts(const Buffer& whole) {
    for (int hop = 1; hop < size(); ++hop) {
        post_send((rank_ + hop) % size(), part_of(whole, rank_), kGatherPiece);
    }
    for (int hop = 1; hop < size(); ++hop) {
        const int from = (rank_ + size() - hop) % size();
        receive(from, part_of(whole, from), kGatherPiece);
    }
    wait_sends();
}

void CallRunner::finish_all_reduce(std::span<std::byte> scratch) {
    if (is_direct()) {
        // The own values are needed until all have read them: reduce beside, then copy.
        std::byte result[kDirectBytes];
        const Buffer out{result, call_.in.count, call_.in.dtype};
        reduce_own_part(call_.in, transport_.is_recording() ? call_.in : out, scratch);
        wait_sends();
        if (!transport_.is_recording()) copy(out, call_.in);
        return;
    }
    const Buffer own = part_of(call_.in, rank_);
    reduce_own_part(own, own, scratch);
    wait_sends();  // the parts sent are overwritten next
    gather_parts(call_.in);
}

void CallRunner::exchange() {
    int64_t first = 0, own_first = 0;
    for (int to = 0; to < rank_; ++to) own_first += call_.send_counts[static_cast<size_t>(to)];
    for (int from = 0; from < size(); ++from) {
        const int64_t count = call_.recv_counts[static_cast<size_t>(from)];
        const Buffer data = call_.out.part(first, count);
        if (from != rank_) {
            receive(from, data, 0);
        } else if (!transport_.is_recording()) {
            copy(call_.in.part(own_first, count), data);
        }
        first += count;
    }
    wait_sends();
}

void CallRunner::finish(std::span<std::byte> scratch) {
    switch (call_.kind) {
        case CallKind::kAllReduce:
            return finish_all_reduce(scratch);
        case CallKind::kReduceScatter:
            reduce_own_part(part_of(call_.in, rank_), call_.out, scratch);
            return wait_sends();
        case CallKind::kAllGather: {
            const Buffer own = part_of(call_.out, rank_);
            if (!transport_.is_recording()) copy(call_.in, own);
            for (int hop = 1; hop < size(); ++hop) {
                const int from = (rank_ + size() - hop) % size();
                receive(from, part_of(call_.out, from), 0);
            }
            return wait_sends();
        }
        case CallKind::kBroadcast:
            if (rank_ != call_.peer) receive(call_.peer, call_.in, 0);
            return wait_sends();
        case CallKind::kAllToAllV:
            return exchange();
        case CallKind::kSend:
            return wait_sends();
        case CallKind::kRecv:
            return receive(call_.peer, call_.in, kPointToPointPiece);
    }
}

}  // namespace longhaul::comm

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/comm/call_ring.h"

#include <unistd.h>

#include <chrono>

#include "lib/base/format.h"
#include "lib/io/json.h"

namespace longhaul::comm {

namespace {

double now_s() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

const char* name_of(CallState state) {
    switch (state) {
        case CallState::kPosted:
            return "posted";
        case CallState::kStarted:
            return "started";
        case CallState::kDone:
            return "done";
    }
    return "unknown";
}

io::Json to_json(const CallRecord& call) {
    io::Json entry;
    entry["seq"] = call.sequence;
    entry["axis"] = call.axis;
    entry["group"] = call.group;
    entry["op"] = call.op;
    entry["what"] = call.tag.what;
    entry["step"] = call.tag.step;
    entry["block"] = call.tag.block;
    entry["bytes"] = call.size_bytes;
    entry["peer"] = call.peer;
    entry["state"] = name_of(call.state);
    entry["posted_s"] = call.posted_s;
    entry["done_s"] = call.done_s;
    return entry;
}

}  // namespace

std::string describe(const CallRecord& call) {
    std::string text = format("{} over {} (", call.op, call.axis);
    if (call.tag.step >= 0) text += format("step {}, ", call.tag.step);
    if (call.tag.block >= 0) text += format("block {}, ", call.tag.block);
    if (*call.tag.what != '\0') text += format("{}, ", call.tag.what);
    return text + format("call {} of the group, {} bytes)", call.sequence, call.size_bytes);
}

CallRecord* CallRing::find(uint64_t number) {
    CallRecord& call = calls_[number % kCapacity];
    return call.number == number ? &call : nullptr;
}

uint64_t CallRing::post(CallRecord call) {
    const std::lock_guard lock(mutex_);
    call.number = next_++;
    call.posted_s = now_s();
    bytes_ += call.size_bytes;
    const size_t slot = call.number % kCapacity;
    if (slot < calls_.size()) {
        calls_[slot] = std::move(call);
    } else {
        calls_.push_back(std::move(call));
    }
    return next_ - 1;
}

void CallRing::set_started(uint64_t number, int waiting_for) {
    const std::lock_guard lock(mutex_);
    if (CallRecord* call = find(number)) {
        call->state = CallState::kStarted;
        call->peer = waiting_for;
    }
}

void CallRing::set_done(uint64_t number) {
    const std::lock_guard lock(mutex_);
    ++num_done_;
    if (CallRecord* call = find(number)) {
        call->state = CallState::kDone;
        call->done_s = now_s();
    }
}

std::vector<CallRecord> CallRing::snapshot() const {
    const std::lock_guard lock(mutex_);
    std::vector<CallRecord> calls;
    const size_t start = calls_.size() < kCapacity ? 0 : next_ % kCapacity;
    for (size_t i = 0; i < calls_.size(); ++i) calls.push_back(calls_[(start + i) % calls_.size()]);
    return calls;
}

uint64_t CallRing::num_done() const {
    const std::lock_guard lock(mutex_);
    return num_done_;
}

uint64_t CallRing::bytes_posted() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

std::string CallRing::to_json() const {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    io::Json dump;
    dump["schema"] = 1;
    dump["rank"] = rank_;
    dump["world_size"] = world_size_;
    dump["host"] = host;
    dump["pid"] = getpid();
    dump["written_s"] = now_s();
    dump["entries"] = io::Json::array();
    for (const CallRecord& call : snapshot()) dump["entries"].push_back(comm::to_json(call));
    return io::to_line(dump);
}

}  // namespace longhaul::comm

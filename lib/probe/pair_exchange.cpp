// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/pair_exchange.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "lib/probe/statistics.h"

namespace longhaul::probe {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmup = 2;

struct TimedOut {};

/// The conversation of one end; every step throws TimedOut once the plan's time is over.
class Talk {
 public:
    Talk(Fabric& fabric, int peer, const ExchangePlan& plan)
        : fabric_(fabric),
          peer_(peer),
          plan_(plan),
          start_(Clock::now()),
          buffer_((plan.message_bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) + 1),
          word_(std::as_writable_bytes(std::span(buffer_)).last(sizeof(uint64_t))) {}

    void send_word(uint64_t word) {
        buffer_.back() = word;
        if (!fabric_.send(word_, peer_, left_s())) throw TimedOut{};
    }
    uint64_t receive_word() {
        if (!fabric_.receive(word_, peer_, left_s())) throw TimedOut{};
        return buffer_.back();
    }
    /// After a time-out: a late message may still use the buffer.
    void abandon() { fabric_.abandon(std::move(buffer_)); }
    void send_message() {
        if (!fabric_.send(message(), peer_, left_s())) throw TimedOut{};
    }
    void receive_message() {
        if (!fabric_.receive(message(), peer_, left_s())) throw TimedOut{};
    }

    /// Data that differs at each place, so that shifted, stale or repeated pieces are seen.
    void fill(uint64_t seed) {
        for (size_t i = 0; i + 1 < buffer_.size(); ++i) buffer_[i] = word_at(seed, i);
    }
    bool is_as_filled(uint64_t seed) const {
        const size_t whole = plan_.message_bytes / sizeof(uint64_t);
        for (size_t i = 0; i < whole; ++i) {
            if (buffer_[i] != word_at(seed, i)) return false;
        }
        const uint64_t last = word_at(seed, whole);
        return plan_.message_bytes % sizeof(uint64_t) == 0 ||
               std::memcmp(&buffer_[whole], &last, plan_.message_bytes % sizeof(uint64_t)) == 0;
    }
    int rank() const { return fabric_.rank(); }

 private:
    static uint64_t word_at(uint64_t seed, size_t index) {
        return (seed + index) * 0x9E3779B97F4A7C15ull ^ index;
    }
    std::span<std::byte> message() {
        return std::as_writable_bytes(std::span(buffer_)).first(plan_.message_bytes);
    }
    double left_s() const {
        return plan_.deadline_s - std::chrono::duration<double>(Clock::now() - start_).count();
    }

    Fabric& fabric_;
    int peer_;
    const ExchangePlan& plan_;
    Clock::time_point start_;
    std::vector<uint64_t> buffer_;  // the message, and one word behind it
    std::span<std::byte> word_;     // that word
};

template <class Body>
double microseconds(Body&& body) {
    const Clock::time_point start = Clock::now();
    body();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double relative_spread(const std::vector<double>& times) {
    const double middle = median(times);
    return middle > 0 ? scaled_mad(times) / middle : 0;
}

/// GB/s of a message whose time includes one short answer, or question, of `latency_us`.
double rate(uint64_t bytes, double time_us, double latency_us) {
    const double net_us = time_us > 2 * latency_us ? time_us - latency_us : time_us;
    return net_us > 0 ? static_cast<double>(bytes) / net_us / 1e3 : 0;
}

void initiate(Talk& talk, int peer, const ExchangePlan& plan, ExchangeResult& result) {
    std::vector<double> latencies, there, back;
    for (int i = -kWarmup; i < plan.latency_iterations; ++i) {
        const double round_trip_us = microseconds([&] {
            talk.send_word(0);
            talk.receive_word();
        });
        if (i >= 0) latencies.push_back(round_trip_us / 2);
    }
    result.latency_us = median(latencies);
    talk.fill(static_cast<uint64_t>(talk.rank()));
    for (int i = -kWarmup; i < plan.iterations; ++i) {
        uint64_t is_wrong = 0;
        const double time_us = microseconds([&] {
            talk.send_message();
            is_wrong = talk.receive_word();
        });
        if (is_wrong != 0) result.is_wrong_data = 1;
        // The last message is verified before the answer: its time does not count.
        if (i >= 0 && (i + 1 < plan.iterations || plan.iterations == 1)) there.push_back(time_us);
    }
    for (int i = -kWarmup; i < plan.iterations; ++i) {
        const double time_us = microseconds([&] {
            talk.send_word(0);
            talk.receive_message();
        });
        if (i >= 0) back.push_back(time_us);
    }
    if (!talk.is_as_filled(static_cast<uint64_t>(peer))) result.is_wrong_data = 1;
    result.there_gb_per_s = rate(plan.message_bytes, median(there), result.latency_us);
    result.back_gb_per_s = rate(plan.message_bytes, median(back), result.latency_us);
    result.noise = std::max(relative_spread(there), relative_spread(back));
    result.is_complete = 1;
}

void respond(Talk& talk, int peer, const ExchangePlan& plan, ExchangeResult& result) {
    for (int i = -kWarmup; i < plan.latency_iterations; ++i) {
        talk.receive_word();
        talk.send_word(0);
    }
    for (int i = -kWarmup; i < plan.iterations; ++i) {
        talk.receive_message();
        const bool is_last = i + 1 == plan.iterations;
        const bool is_wrong = is_last && !talk.is_as_filled(static_cast<uint64_t>(peer));
        if (is_wrong) result.is_wrong_data = 1;
        talk.send_word(is_wrong ? 1 : 0);
    }
    talk.fill(static_cast<uint64_t>(talk.rank()));
    for (int i = -kWarmup; i < plan.iterations; ++i) {
        talk.receive_word();
        talk.send_message();
    }
    result.is_complete = 1;
}

}  // namespace

ExchangeResult exchange_as_initiator(Fabric& fabric, int peer, const ExchangePlan& plan) {
    ExchangeResult result;
    Talk talk(fabric, peer, plan);
    try {
        initiate(talk, peer, plan, result);
    } catch (const TimedOut&) {
        talk.abandon();
        result = {};
    }
    return result;
}

ExchangeResult exchange_as_responder(Fabric& fabric, int peer, const ExchangePlan& plan) {
    ExchangeResult result;
    Talk talk(fabric, peer, plan);
    try {
        respond(talk, peer, plan, result);
    } catch (const TimedOut&) {
        talk.abandon();
        result = {};
    }
    return result;
}

}  // namespace longhaul::probe

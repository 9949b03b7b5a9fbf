// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One pair's conversation: ping-pong for the latency, then messages in either direction, the last
// of each with data that the receiver verifies.

#include <cstdint>
#include <vector>

#include "lib/probe/fabric.h"

namespace longhaul::probe {

struct ExchangePlan {
    uint64_t message_bytes = 0;
    int32_t iterations = 0;
    int32_t latency_iterations = 0;
    double deadline_s = 0;  // for the whole exchange
};

/// What the initiator measured. Plain data: it travels as bytes.
struct ExchangeResult {
    double there_gb_per_s = 0;  // initiator to responder
    double back_gb_per_s = 0;
    double latency_us = 0;
    double noise = 0;
    int32_t is_complete = 0;  // 0: the peer did not answer in time
    int32_t is_wrong_data = 0;
};

/// Both ends call it with the same plan and each other's rank.
ExchangeResult exchange_as_initiator(Fabric& fabric, int peer, const ExchangePlan& plan);
/// @return is_complete and is_wrong_data only.
ExchangeResult exchange_as_responder(Fabric& fabric, int peer, const ExchangePlan& plan);

}  // namespace longhaul::probe

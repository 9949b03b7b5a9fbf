// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/hash.h"

#include <xxhash.h>

#include "lib/base/check.h"
#include "lib/base/format.h"

namespace longhaul {

namespace {

Hash128 from_xxh(XXH128_hash_t hash) {
    return {hash.high64, hash.low64};
}

std::optional<uint64_t> parse_hex64(std::string_view text) {
    uint64_t value = 0;
    for (const char c : text) {
        int digit = 0;
        if (c >= '0' && c <= '9') {
            digit = c - '0';
        } else if (c >= 'a' && c <= 'f') {
            digit = c - 'a' + 10;
        } else if (c >= 'A' && c <= 'F') {
            digit = c - 'A' + 10;
        } else {
            return std::nullopt;
        }
        value = value << 4 | static_cast<uint64_t>(digit);
    }
    return value;
}

}  // namespace

std::string Hash128::hex() const {
    return format("{:016x}{:016x}", high, low);
}

std::optional<Hash128> Hash128::from_hex(std::string_view text) {
    if (text.size() != 32) return std::nullopt;
    const auto high = parse_hex64(text.substr(0, 16));
    const auto low = parse_hex64(text.substr(16));
    if (!high || !low) return std::nullopt;
    return Hash128{*high, *low};
}

Hash128 xxh3_128(std::span<const std::byte> bytes) {
    return from_xxh(XXH3_128bits(bytes.data(), bytes.size()));
}

Hash128 xxh3_128(std::string_view bytes) {
    return from_xxh(XXH3_128bits(bytes.data(), bytes.size()));
}

uint64_t xxh3_64(std::string_view bytes, uint64_t seed) {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

uint64_t xxh64(std::string_view bytes) {
    return XXH64(bytes.data(), bytes.size(), 0);
}

struct Hasher128::State {
    XXH3_state_t* xxh = XXH3_createState();
    State() {
        if (xxh == nullptr) throw Error("out of memory for a hash state");
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { XXH3_freeState(xxh); }
};

Hasher128::Hasher128() : state_(std::make_unique<State>()) {
    reset();
}
Hasher128::Hasher128(Hasher128&&) noexcept = default;
Hasher128& Hasher128::operator=(Hasher128&&) noexcept = default;
Hasher128::~Hasher128() = default;

void Hasher128::reset() {
    XXH3_128bits_reset(state_->xxh);
}

void Hasher128::update(std::span<const std::byte> bytes) {
    XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

void Hasher128::update(std::string_view bytes) {
    XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

Hash128 Hasher128::digest() const {
    return from_xxh(XXH3_128bits_digest(state_->xxh));
}

}  // namespace longhaul

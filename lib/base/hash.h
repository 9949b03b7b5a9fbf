// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// XXH3 hashes: the only content hash of Longhaul's formats, written as lower-case hex in canonical
// (big-endian) order, as `xxhsum -H2` prints it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace longhaul {

/// A 128-bit XXH3 hash. Ordered by (high, low), which is the order of its hex text.
struct Hash128 {
    uint64_t high = 0;
    uint64_t low = 0;

    auto operator<=>(const Hash128&) const = default;

    /// 32 lower-case hex digits.
    std::string hex() const;
    /// @return nothing unless `text` is exactly 32 hex digits.
    static std::optional<Hash128> from_hex(std::string_view text);
};

Hash128 xxh3_128(std::span<const std::byte> bytes);
Hash128 xxh3_128(std::string_view bytes);
uint64_t xxh3_64(std::string_view bytes, uint64_t seed = 0);
/// The older XXH64, seed 0: only where another program's values must be met (datatrove).
uint64_t xxh64(std::string_view bytes);

/// Streaming XXH3-128: update() any number of times, digest() at any point.
class Hasher128 {
 public:
    Hasher128();
    Hasher128(Hasher128&&) noexcept;
    Hasher128& operator=(Hasher128&&) noexcept;
    ~Hasher128();

    void update(std::span<const std::byte> bytes);
    void update(std::string_view bytes);
    Hash128 digest() const;
    void reset();

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace longhaul

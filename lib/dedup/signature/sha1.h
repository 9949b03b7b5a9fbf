// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// SHA-1 of many short messages at once: one in each lane of a vector. The base hash of datasketch
// and its descendants. Libraries hash one message after the other, which would be nearly all the
// time of those presets. Not for security.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace longhaul::dedup {

/// Bytes behind every message that must be readable (their values do not matter).
inline constexpr size_t kSha1Padding = 16;

/// The first eight bytes of each digest as a little-endian number. The low half is datasketch's
/// sha1_hash32, the whole its sha1_hash64.
/// @source FIPS 180-4, section 6.1
/// @param messages with kSha1Padding readable bytes behind each
/// @param[out] hashes as many
void sha1_prefixes(std::span<const std::string_view> messages, uint64_t* hashes);

}  // namespace longhaul::dedup

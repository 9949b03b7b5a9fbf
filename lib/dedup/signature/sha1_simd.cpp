// SPDX-License-Identifier: BSD-3-Clause
// SHA-1, a message in every lane, compiled once for every SIMD target.
#include <bit>
#include <cstring>

#include "lib/dedup/signature/sha1.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/dedup/signature/sha1_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace longhaul::dedup {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kMaxLanes = 16;
constexpr size_t kBlock = 64;
constexpr int kWords = 16;

using D = hn::CappedTag<uint32_t, kMaxLanes>;
using V = hn::Vec<D>;

/// The words of one block of every message, big-endian, word after word.
struct Block {
    alignas(64) uint32_t words[kWords][kMaxLanes];
};

size_t blocks_of(size_t length) {
    return (length + 8) / kBlock + 1;
}

/// 64 bytes of a message from `begin` on, with the end mark and zeros behind the message.
void copy_padded(const char* begin, size_t left, char* bytes) {
    const hn::CappedTag<uint8_t, 16> d8;
    for (size_t i = 0; i < kBlock; i += hn::Lanes(d8)) {
        const auto text =
            hn::LoadU(d8, reinterpret_cast<const uint8_t*>(left > i ? begin + i : begin));
        const auto place = hn::Iota(d8, static_cast<uint8_t>(i));
        const auto end = hn::Set(d8, static_cast<uint8_t>(left));
        const auto mark = hn::IfThenElseZero(hn::Eq(place, end), hn::Set(d8, uint8_t{0x80}));
        hn::StoreU(hn::Or(hn::IfThenElseZero(hn::Lt(place, end), text), mark), d8,
                   reinterpret_cast<uint8_t*>(bytes) + i);
    }
}

/// Puts block `index` of a message into its lane.
void load_lane(std::string_view message, size_t index, size_t lane, Block& block) {
    const size_t begin = index * kBlock;
    char padded[kBlock];
    const char* bytes = message.data() + begin;
    if (begin + kBlock > message.size()) {
        if (begin <= message.size()) {
            copy_padded(bytes, message.size() - begin, padded);
        } else {
            std::memset(padded, 0, kBlock);  // the end mark was in the block before
        }
        bytes = padded;
    }
    // A first block is zero before: a short message is a few words.
    const size_t left = message.size() - begin;
    const size_t words = index == 0 && left < kBlock ? left / 4 + 1 : kWords;
    for (size_t i = 0; i < words; ++i) {
        uint32_t word = 0;
        std::memcpy(&word, bytes + 4 * i, sizeof word);
        block.words[i][lane] = __builtin_bswap32(word);
    }
    if (index + 1 != blocks_of(message.size())) return;
    const uint64_t bits = uint64_t{message.size()} * 8;
    block.words[14][lane] = static_cast<uint32_t>(bits >> 32);
    block.words[15][lane] = static_cast<uint32_t>(bits);
}

struct State {
    V a, b, c, d, e;
};

/// The bits of `yes` where `mask` has ones, else of `no`.
HWY_INLINE V select(V mask, V yes, V no) {
#if HWY_TARGET <= HWY_AVX3
    return hn::IfVecThenElse(mask, yes, no);  // one instruction; elsewhere it selects whole bytes
#else
    return hn::Xor(no, hn::And(mask, hn::Xor(yes, no)));
#endif
}

/// Rounds kFirst to kFirst + 19: one function and one constant.
template <int kFirst, class Function>
HWY_INLINE void rounds(State& s, V (&w)[kWords], uint32_t constant, Function function) {
    const D d;
    const V k = hn::Set(d, constant);
    for (int t = kFirst; t < kFirst + 20; ++t) {
        const int i = t % kWords;
        if (t >= kWords) {
            const V mixed = hn::Xor(hn::Xor(w[(i + 13) % kWords], w[(i + 8) % kWords]),
                                    hn::Xor(w[(i + 2) % kWords], w[i]));
            w[i] = hn::RotateRight<31>(mixed);
        }
        const V sum = hn::Add(hn::Add(hn::RotateRight<27>(s.a), function(s.b, s.c, s.d)),
                              hn::Add(hn::Add(s.e, k), w[i]));
        s.e = s.d;
        s.d = s.c;
        s.c = hn::RotateRight<2>(s.b);
        s.b = s.a;
        s.a = sum;
    }
}

State compress(const State& before, const Block& block) {
    const D d;
    V w[kWords];
    for (int i = 0; i < kWords; ++i) w[i] = hn::Load(d, block.words[i]);
    State s = before;
    const auto parity = [](V b, V c, V e) { return hn::Xor(hn::Xor(b, c), e); };
    rounds<0>(s, w, 0x5A827999u, [](V b, V c, V e) { return select(b, c, e); });
    rounds<20>(s, w, 0x6ED9EBA1u, parity);
    rounds<40>(s, w, 0x8F1BBCDCu, [](V b, V c, V e) { return select(hn::Xor(b, c), e, b); });
    rounds<60>(s, w, 0xCA62C1D6u, parity);
    return {hn::Add(s.a, before.a), hn::Add(s.b, before.b), hn::Add(s.c, before.c),
            hn::Add(s.d, before.d), hn::Add(s.e, before.e)};
}

/// Up to as many messages as there are lanes.
void hash_lanes(std::span<const std::string_view> messages, uint64_t* hashes) {
    const D d;
    alignas(64) uint32_t counts[kMaxLanes] = {};
    uint32_t most = 0;
    for (size_t lane = 0; lane < messages.size(); ++lane) {
        counts[lane] = static_cast<uint32_t>(blocks_of(messages[lane].size()));
        most = counts[lane] > most ? counts[lane] : most;
    }
    State state{hn::Set(d, 0x67452301u), hn::Set(d, 0xEFCDAB89u), hn::Set(d, 0x98BADCFEu),
                hn::Set(d, 0x10325476u), hn::Set(d, 0xC3D2E1F0u)};
    Block block{};
    for (uint32_t index = 0; index < most; ++index) {
        for (size_t lane = 0; lane < messages.size(); ++lane) {
            if (index < counts[lane]) load_lane(messages[lane], index, lane, block);
        }
        const State next = compress(state, block);
        // Lanes whose message has ended keep their state.
        const auto is_open = hn::Gt(hn::Load(d, counts), hn::Set(d, index));
        state = {hn::IfThenElse(is_open, next.a, state.a), hn::IfThenElse(is_open, next.b, state.b),
                 hn::IfThenElse(is_open, next.c, state.c), hn::IfThenElse(is_open, next.d, state.d),
                 hn::IfThenElse(is_open, next.e, state.e)};
    }
    alignas(64) uint32_t first[kMaxLanes] = {}, second[kMaxLanes] = {};
    hn::Store(state.a, d, first);
    hn::Store(state.b, d, second);
    for (size_t lane = 0; lane < messages.size(); ++lane) {
        hashes[lane] =
            uint64_t{__builtin_bswap32(second[lane])} << 32 | __builtin_bswap32(first[lane]);
    }
}

void first_bytes(std::span<const std::string_view> messages, uint64_t* hashes) {
    const size_t lanes = hn::Lanes(D());
    for (size_t i = 0; i < messages.size(); i += lanes) {
        const size_t count = messages.size() - i < lanes ? messages.size() - i : lanes;
        hash_lanes(messages.subspan(i, count), hashes + i);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::dedup
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::dedup {

HWY_EXPORT(first_bytes);

void sha1_prefixes(std::span<const std::string_view> messages, uint64_t* hashes) {
    HWY_DYNAMIC_DISPATCH(first_bytes)(messages, hashes);
}

}  // namespace longhaul::dedup
#endif  // HWY_ONCE

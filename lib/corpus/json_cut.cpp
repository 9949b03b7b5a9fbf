// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/json_cut.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace longhaul::corpus {

namespace {

enum class Surrogate : uint8_t { kNone, kLoneHigh, kLoneLow };

/// One escape: its bytes as stored and decoded.
struct Escape {
    size_t stored_bytes = 2;
    size_t decoded_bytes = 1;
    Surrogate surrogate = Surrogate::kNone;
};

uint32_t unit_at(const char* hex) {
    uint32_t unit = 0;
    std::from_chars(hex, hex + 4, unit, 16);
    return unit;
}

/// @param p at the backslash of a valid escape
Escape read_escape(const char* p, const char* end) {
    if (p[1] != 'u') return {};
    const uint32_t unit = unit_at(p + 2);
    if (unit < 0x80) return {6, 1};
    if (unit < 0x800) return {6, 2};
    if (unit < 0xD800 || unit > 0xDFFF) return {6, 3};
    if (unit >= 0xDC00) return {6, 3, Surrogate::kLoneLow};  // U+FFFD
    if (end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
        const uint32_t second = unit_at(p + 8);
        if (second >= 0xDC00 && second <= 0xDFFF) return {12, 4};
    }
    return {6, 3, Surrogate::kLoneHigh};
}

/// Walks through a stored string by offsets of the decoded text.
class Cutter {
 public:
    Cutter(std::string_view stored, std::string& out)
        : at_(stored.data()), end_(at_ + stored.size()), out_(out) {}

    void copy_until(uint64_t decoded) {
        while (decoded_ < decoded && at_ < end_) {
            if (*at_ == '\\') {
                copy_escape();
            } else {
                const size_t plain = plain_bytes(decoded);
                out_.append(at_, plain);
                step(plain, plain);
                last_ = Surrogate::kNone;
            }
        }
    }
    void skip_until(uint64_t decoded) {
        while (decoded_ < decoded && at_ < end_) {
            if (*at_ == '\\') {
                const Escape escape = read_escape(at_, end_);
                step(escape.stored_bytes, escape.decoded_bytes);
            } else {
                const size_t plain = plain_bytes(decoded);
                step(plain, plain);
            }
        }
    }
    void copy_rest() { copy_until(~uint64_t{0}); }

 private:
    void copy_escape() {
        const Escape escape = read_escape(at_, end_);
        // Two such can only meet where a cut was between them.
        const bool would_join =
            last_ == Surrogate::kLoneHigh && escape.surrogate == Surrogate::kLoneLow;
        if (would_join) {
            out_ += "\\ufffd";
        } else {
            out_.append(at_, escape.stored_bytes);
        }
        step(escape.stored_bytes, escape.decoded_bytes);
        last_ = would_join ? Surrogate::kNone : escape.surrogate;
    }

    /// Bytes before the next escape, at most up to `decoded`.
    size_t plain_bytes(uint64_t decoded) const {
        const auto wanted = static_cast<size_t>(
            std::min<uint64_t>(decoded - decoded_, static_cast<uint64_t>(end_ - at_)));
        const void* const found = std::memchr(at_, '\\', wanted);
        if (found == nullptr) return wanted;
        return static_cast<size_t>(static_cast<const char*>(found) - at_);
    }
    void step(size_t stored_bytes, size_t decoded_bytes) {
        at_ += stored_bytes;
        decoded_ += decoded_bytes;
    }

    const char* at_;
    const char* end_;
    std::string& out_;
    uint64_t decoded_ = 0;               // offset of at_ in the decoded text
    Surrogate last_ = Surrogate::kNone;  // what was copied last
};

}  // namespace

void append_cut_json_string(std::string_view stored, std::span<const TextSpan> cuts,
                            std::string& out) {
    Cutter cutter(stored, out);
    for (const TextSpan& cut : cuts) {
        cutter.copy_until(cut.begin);
        cutter.skip_until(cut.end);
    }
    cutter.copy_rest();
}

}  // namespace longhaul::corpus

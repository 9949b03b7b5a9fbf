// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstring>

#include "lib/base/error.h"
#include "lib/io/packed_input.h"
#include "lib/io/stored_bytes.h"
#include "lib/io/stream.h"

namespace longhaul::io {

namespace {

class PlainInput final : public InputStream {
 public:
    explicit PlainInput(StoredBytes stored) : stored_(std::move(stored)) {}
    size_t read(std::span<std::byte> buffer) override { return stored_.read_through(buffer); }
    const std::string& name() const override { return stored_.name(); }
    uint64_t stored_bytes() const override { return stored_.consumed(); }
    Hash128 stored_hash() const override { return stored_.hash(); }

 private:
    StoredBytes stored_;
};

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

bool is_zstd(std::span<const std::byte> bytes) {
    using namespace std::string_view_literals;
    if (starts_with(bytes, "\x28\xb5\x2f\xfd"sv)) return true;
    // A skippable frame: 0x184D2A5? little-endian.
    return bytes.size() >= 4 && (bytes[0] & std::byte{0xf0}) == std::byte{0x50} &&
           starts_with(bytes.subspan(1), "\x2a\x4d\x18"sv);
}

}  // namespace

std::unique_ptr<InputStream> open_input(const std::string& path, const ReadAhead& ahead) {
    StoredBytes stored(path);
    using namespace std::string_view_literals;
    if (starts_with(stored.available(), "\x1f\x8b"sv)) {
        return std::make_unique<PackedInput>(std::move(stored), Compression::kGzip, ahead);
    }
    if (is_zstd(stored.available())) {
        return std::make_unique<PackedInput>(std::move(stored), Compression::kZstd, ahead);
    }
    if (stored.available().empty() && compression_by_name(path) != Compression::kNone) {
        throw DataError(path +
                        ": 0 bytes, but even an empty text has some when compressed; "
                        "copy the file again");
    }
    return std::make_unique<PlainInput>(std::move(stored));
}

std::string read_all(const std::string& path, uint64_t max_bytes) {
    const auto input = open_input(path);
    std::string text;
    std::array<char, 64 << 10> piece;
    while (const size_t n = input->read(std::as_writable_bytes(std::span(piece)))) {
        if (text.size() + n > max_bytes) {
            throw DataError(input->name(), text.size(), format("more than {} bytes", max_bytes));
        }
        text.append(piece.data(), n);
    }
    return text;
}

}  // namespace longhaul::io

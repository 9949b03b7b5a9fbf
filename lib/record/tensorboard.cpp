// SPDX-License-Identifier: BSD-3-Clause
#include "lib/record/tensorboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstring>

#include "lib/base/format.h"
#include "lib/io/atomic_file.h"

namespace longhaul::record {

namespace {

constexpr std::array<uint32_t, 256> make_table() {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0x82F63B78u : 0);
        table[i] = value;
    }
    return table;
}
constexpr auto kTable = make_table();

/// Stored checksums are rotated, so that a checksum of data that holds checksums stays useful.
uint32_t masked_crc(std::string_view bytes) {
    const uint32_t crc = crc32c(bytes);
    return std::rotr(crc, 15) + 0xA282EAD8u;
}

template <class T>
void put_fixed(std::string& out, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);  // little-endian hosts only
    out.append(bytes, sizeof value);
}

void put_varint(std::string& out, uint64_t value) {
    while (value >= 0x80) {
        out += static_cast<char>(value | 0x80);
        value >>= 7;
    }
    out += static_cast<char>(value);
}

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void put_key(std::string& out, uint32_t field, WireType type) {
    put_varint(out, field << 3 | type);
}

void put_bytes(std::string& out, uint32_t field, std::string_view bytes) {
    put_key(out, field, kBytes);
    put_varint(out, bytes.size());
    out += bytes;
}

double now_s() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
    uint32_t crc = ~0u;
    for (const char byte : bytes) {
        crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFF] ^ crc >> 8;
    }
    return ~crc;
}

TensorboardWriter::TensorboardWriter(const std::filesystem::path& directory) {
    io::create_directories(directory);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    path_ = directory /
            format("events.out.tfevents.{}.{}.{}", static_cast<int64_t>(now_s()), host, getpid());
    fd_ = io::open_file(path_, O_WRONLY | O_CREAT | O_APPEND);
    std::string event;  // Event.wall_time = 1, Event.file_version = 3
    put_key(event, 1, kFixed64);
    put_fixed(event, now_s());
    put_bytes(event, 3, "brain.Event:2");
    write_record(event);
}

void TensorboardWriter::add(int64_t step, double wall_time_s,
                            const std::vector<std::pair<std::string, double>>& scalars) {
    std::string summary;  // Summary.value = 1 { tag = 1, simple_value = 2 }
    for (const auto& [tag, value] : scalars) {
        std::string entry;
        put_bytes(entry, 1, tag);
        put_key(entry, 2, kFixed32);
        put_fixed(entry, static_cast<float>(value));
        put_bytes(summary, 1, entry);
    }
    std::string event;  // Event.wall_time = 1, step = 2, summary = 5
    put_key(event, 1, kFixed64);
    put_fixed(event, wall_time_s);
    put_key(event, 2, kVarint);
    put_varint(event, static_cast<uint64_t>(step));
    put_bytes(event, 5, summary);
    write_record(event);
}

/// Framing: length, its checksum, payload, its checksum.
void TensorboardWriter::write_record(const std::string& event) {
    std::string length;
    put_fixed(length, static_cast<uint64_t>(event.size()));
    std::string record = length;
    put_fixed(record, masked_crc(length));
    record += event;
    put_fixed(record, masked_crc(event));
    io::write_full(fd_.get(), record, path_.string());
}

}  // namespace longhaul::record

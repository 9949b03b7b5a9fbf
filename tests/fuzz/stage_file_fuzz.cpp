// SPDX-License-Identifier: BSD-3-Clause
// Stage files of dedup-minhash: framing, directory and records. The hash over header and directory
// is set right first, else hardly any mutation would get past it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "lib/base/error.h"
#include "lib/dedup/records.h"
#include "lib/dedup/stages/stage_file.h"

using namespace longhaul;

namespace {

constexpr size_t kHeaderBytes = 96, kFooterBytes = 48;

uint64_t number_at(const std::string& file, size_t offset) {
    uint64_t value = 0;
    std::memcpy(&value, file.data() + offset, sizeof value);
    return value;
}

/// What the file says that it is.
dedup::StageIdentity identity_of(const std::string& file) {
    dedup::StageIdentity identity{dedup::Stage::kGroup, 0, "native", {}, {}};
    if (file.size() < kHeaderBytes) return identity;
    identity.unit = number_at(file, 16);
    identity.parameters_hash = {number_at(file, 40), number_at(file, 48)};
    identity.plan_hash = {number_at(file, 56), number_at(file, 64)};
    return identity;
}

void set_hash(std::string& file) {
    if (file.size() < kHeaderBytes + kFooterBytes) return;
    const size_t footer = file.size() - kFooterBytes;
    const uint64_t offset = number_at(file, footer), bytes = number_at(file, footer + 8);
    if (offset > footer || bytes > footer - offset) return;
    Hasher128 hasher;
    hasher.update(std::string_view(file).substr(0, kHeaderBytes));
    hasher.update(std::string_view(file).substr(offset, bytes));
    const Hash128 hash = hasher.digest();
    std::memcpy(file.data() + footer + 24, &hash.high, sizeof hash.high);
    std::memcpy(file.data() + footer + 32, &hash.low, sizeof hash.low);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const int fd = ::memfd_create("stage_file", MFD_CLOEXEC);
    const std::string path = format("/proc/self/fd/{}", fd);
    std::string file(reinterpret_cast<const char*>(data), size);
    set_hash(file);
    if (::ftruncate(fd, 0) != 0) return 0;
    io::pwrite_full(fd, std::as_bytes(std::span(file)), 0, path);
    try {
        const dedup::StageReader reader(path, identity_of(file));
        for (size_t i = 0; i < reader.num_sections(); ++i) {
            try {
                reader.for_each_block(i, [](std::span<const std::byte>) {});
            } catch (const DataError&) {
            }
            dedup::RecordReader<dedup::Membership> records(reader, i, 64);
            for (dedup::Membership record; records.next(record);) {
            }
        }
    } catch (const DataError&) {
    }
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Megatron sets: an .idx with a .bin of 4096 bytes. All that can be read is read; only DataError
// may come out.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lib/base/error.h"
#include "lib/shards/dataset.h"
#include "lib/shards/shard_file.h"
#include "lib/shards/shard_set.h"

using namespace longhaul;

namespace {

/// A folder that goes with the process.
struct Place {
    Place() : folder(std::filesystem::temp_directory_path() / format("lh-idx-{}", ::getpid())) {
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "x.bin", std::ios::binary) << std::string(4096, '\1');
    }
    ~Place() {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }
    std::filesystem::path folder;
};

void read_all(const std::filesystem::path& prefix) {
    shards::OpenOptions options;
    options.may_lack_vocab_size = true;
    const shards::ShardSet set = shards::open_shard_set(prefix, options);
    const auto shard = shards::open_shard(set.folder, set.details, 0);
    shard->check_container();
    std::vector<uint32_t> ids(shard->num_tokens());
    shard->read_tokens(0, std::span<uint32_t>(ids));
    std::vector<uint64_t> offsets(shard->num_documents() + 1);
    shard->read_offsets(0, offsets);
    for (uint64_t token = 0; token < shard->num_tokens(); token += 97) shard->find_document(token);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const Place place;
    std::ofstream(place.folder / "x.idx", std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    try {
        read_all(place.folder / "x");
    } catch (const DataError&) {
    }
    return 0;
}

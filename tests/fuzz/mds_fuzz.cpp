// SPDX-License-Identifier: BSD-3-Clause
// MDS folders: the input is index.json, a line "----", and a shard file under the name that the
// index gives it most likely. Its size in the index is set right first. Only DataError may come
// out.
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
    Place() : folder(std::filesystem::temp_directory_path() / format("lh-mds-{}", ::getpid())) {
        std::filesystem::create_directories(folder);
    }
    ~Place() {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }
    std::filesystem::path folder;
};

void write(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// "bytes": N becomes the true size, or hardly any mutation of the shard would be looked at.
std::string with_size(std::string index, size_t bytes) {
    constexpr std::string_view kKey = "\"bytes\": ";
    const size_t at = index.find(kKey);
    if (at == std::string::npos) return index;
    const size_t begin = at + kKey.size();
    const size_t end = index.find_first_not_of("0123456789", begin);
    if (end == std::string::npos) return index;
    return index.replace(begin, end - begin, std::to_string(bytes));
}

void read_all(const std::filesystem::path& folder) {
    shards::OpenOptions options;
    options.may_lack_vocab_size = true;
    const shards::ShardSet set = shards::open_shard_set(folder, options);
    for (size_t i = 0; i < set.details.shards.size(); ++i) {
        const auto shard = shards::open_shard(set.folder, set.details, i);
        shard->check_container();
        std::vector<uint64_t> offsets(shard->num_documents() + 1);
        shard->read_offsets(0, offsets);
        for (uint64_t token = 0; token < shard->num_tokens(); token += 31) {
            std::vector<uint32_t> ids(std::min<uint64_t>(40, shard->num_tokens() - token));
            shard->read_tokens(token, std::span<uint32_t>(ids));
            shard->find_document(token);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const Place place;
    constexpr std::string_view kMark = "\n----\n";
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const size_t mark = input.find(kMark);
    const std::string_view shard =
        mark == std::string_view::npos ? "" : input.substr(mark + kMark.size());
    write(place.folder / "shard.00000.mds", shard);
    write(place.folder / "index.json", with_size(std::string(input.substr(0, mark)), shard.size()));
    try {
        read_all(place.folder);
    } catch (const DataError&) {
    } catch (const IoError&) {  // another name of the shard: no such file
    }
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/shard_cache.h"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "lib/base/error.h"
#include "lib/shards/dataset.h"
#include "tests/unit/shards/shard_folder.h"

using namespace longhaul;
using namespace longhaul::shards;
namespace fs = std::filesystem;

namespace {

class Folders {
 public:
    Folders() {
        fs::remove_all(root_);
        fs::create_directories(source);
    }
    ~Folders() {
        fs::permissions(root_, fs::perms::owner_all);
        fs::remove_all(root_);
    }
    CachedFile write(const std::string& name, size_t bytes) const {
        const std::string content(bytes, name.back());
        std::ofstream(source / name, std::ios::binary) << content;
        return {name, xxh3_128(content), bytes};
    }
    bool has(const CachedFile& file) const {
        return fs::exists(cache / file.hash.hex() / file.name);
    }
    /// Makes a copy look as if it was used that many seconds ago.
    void age(const CachedFile& file, int seconds) const {
        const auto path = cache / file.hash.hex() / file.name;
        fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
    }

 private:
    fs::path root_ = fs::temp_directory_path() / format("lh-cache-{}", ::getpid());

 public:
    const fs::path source = root_ / "source", cache = root_ / "cache";
};

}  // namespace

TEST_CASE("shard cache: a copy is made once and serves when the source is gone") {
    const Folders folders;
    const CachedFile file = folders.write("a.h5", 10'000'000);
    {
        ShardCache cache(folders.cache, 0);
        CHECK(cache.folder_of(folders.source, file) == folders.cache / file.hash.hex());
    }
    fs::remove(folders.source / "a.h5");
    ShardCache cache(folders.cache, 0);
    CHECK(cache.folder_of(folders.source, file) == folders.cache / file.hash.hex());
    CHECK(fs::file_size(folders.cache / file.hash.hex() / "a.h5") == file.bytes);
}

TEST_CASE("shard cache: a data set reads from it") {
    const Folders folders;
    const test::ShardFolder set("cached", {{1, 2, 3}, {4, 5}, {6, 7, 8, 9}});
    std::vector<uint32_t> direct(9), cached(9);
    Dataset(set.path).read(0, direct);
    ShardCache cache(folders.cache, 0);
    OpenOptions options;
    options.cache = &cache;
    const Dataset data(set.path, options);
    fs::rename(set.path, set.path.string() + ".away");
    data.read(0, cached);
    CHECK(cached == direct);
    fs::rename(set.path.string() + ".away", set.path);
}

TEST_CASE("shard cache: the copies unused for longest give way, those in use stay") {
    const Folders folders;
    std::vector<CachedFile> files;
    for (const char* name : {"a", "b", "c", "d"}) files.push_back(folders.write(name, 1000));
    ShardCache user(folders.cache, 3500);
    user.folder_of(folders.source, files[0]);  // in use
    {
        ShardCache earlier(folders.cache, 3500);
        earlier.fill(folders.source, {files[1], files[2]});
    }
    folders.age(files[0], 30);
    folders.age(files[1], 10);
    folders.age(files[2], 20);
    ShardCache cache(folders.cache, 3500);
    CHECK(cache.folder_of(folders.source, files[3]) != folders.source);
    CHECK(folders.has(files[0]));
    CHECK(folders.has(files[1]));
    CHECK_FALSE(folders.has(files[2]));
    CHECK(folders.has(files[3]));
}

TEST_CASE("shard cache: what does not fit is read where it is; the rest is still cached") {
    const Folders folders;
    const CachedFile big = folders.write("big", 5000), small = folders.write("small", 100);
    ShardCache cache(folders.cache, 1000);
    CHECK(cache.folder_of(folders.source, big) == folders.source);
    CHECK(cache.folder_of(folders.source, small) != folders.source);
}

TEST_CASE("shard cache: temporaries of killed processes go") {
    const Folders folders;
    const CachedFile a = folders.write("a", 100);
    const fs::path wreck = folders.cache / std::string(32, '0') / ".x.h5.tmp-1-0";
    fs::create_directories(wreck.parent_path());
    std::ofstream(wreck) << "half";
    ShardCache cache(folders.cache, 0);
    cache.folder_of(folders.source, a);
    CHECK_FALSE(fs::exists(wreck));
}

TEST_CASE("shard cache: a broken disk means the source") {
    const Folders folders;
    const CachedFile file = folders.write("a", 100);
    std::ofstream(folders.cache) << "a file where the folder should be";
    ShardCache cache(folders.cache, 0);
    CHECK(cache.folder_of(folders.source, file) == folders.source);
}

TEST_CASE("shard cache: content that is not the manifest's is an error, and is not kept") {
    const Folders folders;
    CachedFile file = folders.write("a", 100);
    file.hash.low ^= 1;
    ShardCache cache(folders.cache, 0);
    CHECK_THROWS_AS(cache.folder_of(folders.source, file), DataError);
    CHECK_FALSE(folders.has(file));
}

TEST_CASE("shard cache: many processes of a node share the copying") {
    const Folders folders;
    std::vector<CachedFile> files;
    for (int i = 0; i < 12; ++i) files.push_back(folders.write(format("s{}", i), 100'000));
    std::vector<std::thread> threads;
    std::atomic<int> cached{0};
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&] {
            ShardCache cache(folders.cache, 0);  // as separate as in another process
            cache.fill(folders.source, files);
            for (const CachedFile& file : files) {
                cached += cache.folder_of(folders.source, file) != folders.source;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(cached == 6 * 12);
}

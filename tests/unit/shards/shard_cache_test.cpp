// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/shard_cache.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
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
    /// A shard of one file that a manifest describes.
    CachedShard write(const std::string& name, size_t bytes) const {
        const std::string content(bytes, name.back());
        std::ofstream(source / name, std::ios::binary) << content;
        return {{{name, bytes, {{bytes, xxh3_128(content)}}}}};
    }
    fs::path copy_of(const CachedShard& shard) const {
        const CachedFile& file = shard.files.front();
        return cache / content_of(file).hex() / file.name;
    }
    bool has(const CachedShard& shard) const { return fs::exists(copy_of(shard)); }
    /// Makes a copy look as if it was used that many seconds ago.
    void age(const CachedShard& shard, int seconds) const {
        fs::last_write_time(copy_of(shard),
                            fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
    }
    /// Names of the files in the folders of the cache, in order.
    std::vector<std::string> copies() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::recursive_directory_iterator(cache)) {
            if (entry.is_regular_file() && entry.path().parent_path() != cache) {
                names.push_back(entry.path().filename().string());
            }
        }
        std::sort(names.begin(), names.end());
        return names;
    }

 private:
    fs::path root_ = fs::temp_directory_path() / format("lh-cache-{}", ::getpid());

 public:
    const fs::path source = root_ / "source", cache = root_ / "cache";
};

OpenOptions with_cache(ShardCache* cache) {
    OpenOptions options;
    options.vocab_size = 70000;
    options.cache = cache;
    return options;
}

std::vector<uint32_t> tokens_of(const fs::path& path, ShardCache* cache) {
    const Dataset set(path, with_cache(cache));
    std::vector<uint32_t> tokens(set.info().num_tokens);
    set.read(0, tokens);
    return tokens;
}

}  // namespace

TEST_CASE("shard cache: a copy is made once and serves when the source is gone") {
    const Folders folders;
    const CachedShard file = folders.write("a.h5", 10'000'000);
    {
        ShardCache cache(folders.cache, 0);
        CHECK(cache.folder_of(folders.source, file) == folders.copy_of(file).parent_path());
    }
    fs::remove(folders.source / "a.h5");
    ShardCache cache(folders.cache, 0);
    CHECK(cache.folder_of(folders.source, file) == folders.copy_of(file).parent_path());
    CHECK(fs::file_size(folders.copy_of(file)) == file.files.front().bytes);
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
    std::vector<CachedShard> files;
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
    const CachedShard big = folders.write("big", 5000), small = folders.write("small", 100);
    ShardCache cache(folders.cache, 1000);
    CHECK(cache.folder_of(folders.source, big) == folders.source);
    CHECK(cache.folder_of(folders.source, small) != folders.source);
}

TEST_CASE("shard cache: temporaries of killed processes go") {
    const Folders folders;
    const CachedShard a = folders.write("a", 100);
    const fs::path wreck = folders.cache / std::string(32, '0') / ".x.h5.tmp-1-0";
    fs::create_directories(wreck.parent_path());
    std::ofstream(wreck) << "half";
    ShardCache cache(folders.cache, 0);
    cache.folder_of(folders.source, a);
    CHECK_FALSE(fs::exists(wreck));
}

TEST_CASE("shard cache: a broken disk means the source") {
    const Folders folders;
    const CachedShard file = folders.write("a", 100);
    std::ofstream(folders.cache) << "a file where the folder should be";
    ShardCache cache(folders.cache, 0);
    CHECK(cache.folder_of(folders.source, file) == folders.source);
}

TEST_CASE("shard cache: content that is not the manifest's is an error, and is not kept") {
    const Folders folders;
    CachedShard file = folders.write("a", 100);
    file.files.front().parts.front().hash.low ^= 1;
    ShardCache cache(folders.cache, 0);
    CHECK_THROWS_AS(cache.folder_of(folders.source, file), DataError);
    CHECK_FALSE(folders.has(file));
}

TEST_CASE("shard cache: many processes of a node share the copying") {
    const Folders folders;
    std::vector<CachedShard> files;
    for (int i = 0; i < 12; ++i) files.push_back(folders.write(format("s{}", i), 100'000));
    std::vector<std::thread> threads;
    std::atomic<int> cached{0};
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&] {
            ShardCache cache(folders.cache, 0);  // as separate as in another process
            cache.fill(folders.source, files);
            for (const CachedShard& file : files) {
                cached += cache.folder_of(folders.source, file) != folders.source;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(cached == 6 * 12);
}

TEST_CASE("shard cache: files of Megatron and MDS, with and without a manifest of parts") {
    const fs::path reference = LH_TEST_DATA "/shards";
    const struct {
        const char* name;
        size_t num_files;
    } sets[] = {{"megatron_u16", 2},
                {"megatron_sentences", 2},
                {"mds_documents", 4},
                {"mds_columns", 1},
                {"mds_samples", 1}};
    for (const auto& set : sets) {
        CAPTURE(set.name);
        const Folders folders;
        const auto direct = tokens_of(reference / set.name, nullptr);
        for (int start = 0; start < 2; ++start) {
            ShardCache cache(folders.cache, 0);
            CHECK(tokens_of(reference / set.name, &cache) == direct);
            const auto copies = folders.copies();
            CHECK(copies.size() >= set.num_files);
            for (const std::string& name : copies) CHECK(name.front() != '.');
        }
    }
}

TEST_CASE("shard cache: files without a hash are read once, then known by size and time") {
    const Folders folders;
    for (const char* suffix : {".bin", ".idx"}) {
        fs::copy_file(fs::path(LH_TEST_DATA "/shards/megatron_u16").concat(suffix),
                      folders.source / (std::string("set") + suffix));
    }
    const fs::path set = folders.source / "set", bin = folders.source / "set.bin";
    const auto before = tokens_of(set, nullptr);
    {
        ShardCache cache(folders.cache, 0);
        CHECK(tokens_of(set, &cache) == before);
    }
    CHECK(folders.copies() == std::vector<std::string>{"set.bin", "set.idx"});
    const auto change = [&](char id) {
        std::fstream file(bin, std::ios::binary | std::ios::in | std::ios::out);
        file.put(id);
        file.put(0);
    };
    // Behind its back: size, time and inode are those of then, and the copy is not read again.
    const auto time = fs::last_write_time(bin);
    change(7);
    fs::last_write_time(bin, time);
    {
        ShardCache cache(folders.cache, 0);
        CHECK(tokens_of(set, &cache) == before);
    }
    // Another time: another content, another copy.
    change(9);
    fs::last_write_time(bin, time + std::chrono::seconds(1));
    ShardCache cache(folders.cache, 0);
    auto after = before;
    after[0] = 9;
    CHECK(tokens_of(set, &cache) == after);
    CHECK(folders.copies() == std::vector<std::string>{"set.bin", "set.bin", "set.idx", "set.idx"});
}

TEST_CASE(
    "shard cache: a remembered content that is not true any more is found when it is copied") {
    const Folders folders;
    std::ofstream(folders.source / "x") << "old content";
    const CachedShard shard{{{"x", 11, {}}}};
    const auto time = fs::last_write_time(folders.source / "x");
    fs::path first;
    {
        ShardCache cache(folders.cache, 0);
        first = cache.folder_of(folders.source, shard);
    }
    REQUIRE(first != folders.source);
    fs::remove_all(first);  // gave way
    std::fstream(folders.source / "x", std::ios::in | std::ios::out) << "new";
    fs::last_write_time(folders.source / "x", time);
    ShardCache cache(folders.cache, 0);
    const fs::path second = cache.folder_of(folders.source, shard);
    CHECK(second != first);
    CHECK(second.filename() == xxh3_128(std::string_view("new content")).hex());
}

TEST_CASE("shard cache: jobs that start at once make one copy of each foreign file") {
    const Folders folders;
    const fs::path set = LH_TEST_DATA "/shards/mds_documents";
    const auto expected = tokens_of(set, nullptr);
    std::vector<std::thread> jobs;
    std::atomic<int> right{0};
    for (int i = 0; i < 6; ++i) {
        jobs.emplace_back([&] {
            ShardCache cache(folders.cache, 0);  // as separate as in another process
            right += tokens_of(set, &cache) == expected;
        });
    }
    for (std::thread& job : jobs) job.join();
    CHECK(right == 6);
    CHECK(folders.copies() == std::vector<std::string>{"shard.00000.mds", "shard.00001.mds",
                                                       "shard.00002.mds", "shard.00003.mds"});
}

TEST_CASE("shard cache: a process that is killed while it copies leaves nothing that counts") {
    const Folders folders;
    const std::string content(96 << 20, 'x');
    std::ofstream(folders.source / "big", std::ios::binary) << content;
    const CachedShard shard{{{"big", content.size(), {}}}};  // without a hash: the longer way
    const auto has_temporary = [&] {
        const auto names =
            fs::exists(folders.cache) ? folders.copies() : std::vector<std::string>{};
        return !names.empty() && names.front().front() == '.';
    };
    bool was_killed_midway = false;
    for (int attempt = 0; attempt < 20 && !was_killed_midway; ++attempt) {
        fs::remove_all(folders.cache);
        const pid_t child = ::fork();
        if (child == 0) {
            ShardCache(folders.cache, 0).folder_of(folders.source, shard);
            ::_exit(0);
        }
        bool has_ended = false;
        while (!has_temporary() && !has_ended) {
            has_ended = ::waitpid(child, nullptr, WNOHANG) != 0;
            ::usleep(200);
        }
        if (has_ended) continue;
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        was_killed_midway = has_temporary();
    }
    REQUIRE(was_killed_midway);
    ShardCache cache(folders.cache, 0);
    const fs::path place = cache.folder_of(folders.source, shard);
    CHECK(place.filename() == xxh3_128(content).hex());
    CHECK(folders.copies() == std::vector<std::string>{"big"});
}

TEST_CASE("shard cache: a disk that gives no room means the source, and nothing half stays") {
    const Folders folders;
    const CachedShard small = folders.write("small", 1000);
    folders.write("big", 200'000);
    const CachedShard big{{{"big", 200'000, {}}}};
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit low{100'000, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &low);  // as a quota would
    {
        ShardCache cache(folders.cache, 0);
        CHECK(cache.folder_of(folders.source, big) == folders.source);
        CHECK(cache.folder_of(folders.source, small) != folders.source);
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, ignored);
    CHECK(folders.copies() == std::vector<std::string>{"small"});
}

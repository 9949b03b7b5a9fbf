// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/read_file.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "lib/base/error.h"
#include "lib/shards/try_mapped.h"

using namespace longhaul;
using namespace longhaul::shards;
namespace fs = std::filesystem;

namespace {

class File {
 public:
    explicit File(size_t bytes) {
        std::string content(bytes, '\0');
        for (size_t i = 0; i < bytes; ++i) content[i] = static_cast<char>(i % 251);
        std::ofstream(path, std::ios::binary) << content;
    }
    ~File() { fs::remove(path); }
    ReadFile open() const { return {io::open_file(path, O_RDONLY), path.string()}; }
    const fs::path path = fs::temp_directory_path() / format("lh-read-file-{}", ::getpid());
};

std::vector<std::byte> read(const ReadFile& file, uint64_t offset, size_t count) {
    std::vector<std::byte> out(count);
    file.read(offset, out);
    return out;
}

}  // namespace

TEST_CASE("read file: mapped or not, the same bytes") {
    const File file(100'000);
    const ReadFile direct = file.open();
    ReadFile mapped = file.open();
    mapped.map();
    CHECK(direct.mapped(0, 1) == nullptr);
    CHECK(mapped.mapped(99'000, 1000) != nullptr);
    CHECK(mapped.mapped(99'000, 1001) == nullptr);
    for (const size_t count : {size_t{0}, size_t{1}, size_t{100}, size_t{4608}, size_t{4609}}) {
        for (const uint64_t offset : {0, 1, 4000, 50'001, 95'391}) {
            CHECK(read(direct, offset, count) == read(mapped, offset, count));
        }
    }
    CHECK_THROWS_AS(read(mapped, 99'999, 2), DataError);
    ReadFile moved = std::move(mapped);
    CHECK(moved.mapped(0, 100'000) != nullptr);
    moved = file.open();
    CHECK(moved.mapped(0, 1) == nullptr);
    CHECK(read(moved, 7, 1) == read(direct, 7, 1));
}

TEST_CASE("read file: a file that is cut while it is mapped is an error, not a signal") {
    const File file(100'000);
    ReadFile mapped = file.open();
    mapped.map();
    fs::resize_file(file.path, 5000);
    CHECK(read(mapped, 0, 100) == read(file.open(), 0, 100));
    std::vector<std::thread> threads;
    std::atomic<int> errors{0};
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (uint64_t offset = 10'000; offset < 90'000; offset += 1000) {
                try {
                    read(mapped, offset, 10);
                } catch (const DataError& error) {
                    errors += error.describe().find(file.path.string()) != std::string::npos;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(errors == 4 * 80);
    CHECK(read(mapped, 4990, 10) == read(file.open(), 4990, 10));
}

TEST_CASE("read file: SIGBUS from elsewhere goes to the handler of before") {
    // In a process that has not called try_mapped() before.
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl("/proc/self/exe", "shards_test", "--no-skip", "-tc=child: a signal*", nullptr);
        ::_exit(127);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 42);
}

TEST_CASE("child: a signal of its own" * doctest::skip()) {
    const File file(8192);
    std::signal(SIGBUS, [](int) { ::_exit(42); });
    REQUIRE(try_mapped([] {}));
    ReadFile mapped = file.open();
    mapped.map();
    fs::resize_file(file.path, 0);
    static_cast<void>(*const_cast<const volatile std::byte*>(mapped.mapped(4096, 1)));
    FAIL("no signal");
}

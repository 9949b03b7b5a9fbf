// SPDX-License-Identifier: BSD-3-Clause
#include "lib/store/h5.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "lib/base/format.h"
#include "lib/io/file.h"

using namespace longhaul;
using store::DatasetSpec;
using tensor::DType;
namespace fs = std::filesystem;

namespace {

class TempDir {
 public:
    TempDir() {
        std::string name = (fs::temp_directory_path() / "h5_test.XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~TempDir() { fs::remove_all(path_); }
    fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
    fs::path path_;
};

}  // namespace

TEST_CASE("h5: payload written behind the library's back is found again at its offset") {
    const TempDir dir;
    const fs::path file = dir / "a.h5";
    const std::vector<DatasetSpec> specs = {{"/master/w.weight/0", DType::kF32, 5000},
                                            {"/m/w.weight/0", DType::kBF16, 3},
                                            {"/tokens", DType::kU16, 0},
                                            {"/h", DType::kF16, 4},
                                            {"/d", DType::kU32, 2048}};
    const auto offsets = store::create_contiguous(file, specs, {{{"tool", "test"}}, {{"n", -7}}});
    REQUIRE(offsets.size() == specs.size());
    CHECK(offsets[0] % store::kAlignment == 0);
    CHECK(offsets[4] % store::kAlignment == 0);
    CHECK(offsets[2] == 0);
    std::vector<std::byte> data(20000, std::byte{0x5A});
    {
        auto fd = io::open_file(file, O_WRONLY);
        io::pwrite_full(fd.get(), data, offsets[0], file.string());
        io::sync_and_close(std::move(fd), file.string());
    }
    const store::H5Reader reader(file);
    REQUIRE(reader.datasets().size() == 5);
    const auto& weights = reader.require("/master/w.weight/0");
    CHECK(weights.byte_offset == offsets[0]);
    CHECK(weights.bytes == 20000);
    CHECK(weights.shape == std::vector<uint64_t>{5000});
    CHECK(reader.require("/m/w.weight/0").dtype == DType::kBF16);
    CHECK(reader.require("/h").dtype == DType::kF16);
    CHECK(reader.require("/tokens").bytes == 0);
    CHECK(reader.find("/nothing") == nullptr);
    CHECK(reader.attributes().text.at("tool") == "test");
    CHECK(reader.attributes().integers.at("n") == -7);
}

TEST_CASE("h5: equal contents are equal files") {
    const TempDir dir;
    const std::vector<DatasetSpec> specs = {{"/a/b", DType::kF32, 10}};
    store::create_contiguous(dir / "x.h5", specs);
    store::create_contiguous(dir / "y.h5", specs);
    CHECK(io::read_text_file(dir / "x.h5") == io::read_text_file(dir / "y.h5"));
}

TEST_CASE("h5: a cut file, a foreign file and a doubled path are refused by name") {
    const TempDir dir;
    const fs::path file = dir / "cut.h5";
    const std::vector<DatasetSpec> specs = {{"/a/b", DType::kF32, 10000}};
    const auto offsets = store::create_contiguous(file, specs);
    fs::resize_file(file, offsets[0] + 100);
    CHECK_THROWS_WITH_AS(store::H5Reader{file}, doctest::Contains("cut.h5"), store::H5Error);
    std::ofstream(dir / "text.h5") << "not HDF5";
    CHECK_THROWS_WITH_AS(store::H5Reader{dir / "text.h5"}, doctest::Contains("text.h5"),
                         store::H5Error);
    const std::vector<DatasetSpec> twice = {{"/a", DType::kF32, 1}, {"/a", DType::kF32, 1}};
    CHECK_THROWS_WITH_AS(store::create_contiguous(dir / "twice.h5", twice),
                         doctest::Contains("dataset /a"), store::H5Error);
    CHECK_THROWS_AS(store::H5Reader{dir / "missing.h5"}, IoError);
}

TEST_CASE("h5: threads create and read files side by side") {
    const TempDir dir;
    std::atomic<int> num_right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 25; ++i) {
                const fs::path file = dir / format("{}-{}.h5", t, i);
                const auto offsets = store::create_contiguous(
                    file, {{"/a/b", DType::kF32, 100}, {"/c", DType::kU16, 7}});
                const store::H5Reader reader(file);
                num_right += reader.require("/a/b").byte_offset == offsets[0] &&
                             reader.require("/c").shape == std::vector<uint64_t>{7};
                CHECK_THROWS_AS(store::H5Reader{dir / "missing.h5"}, IoError);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(num_right == 100);
}

TEST_CASE("h5: a folder that does not exist gives the system's reason") {
    const TempDir dir;
    try {
        store::create_contiguous(dir / "no" / "x.h5", {});
        FAIL("must throw");
    } catch (const store::H5Error& error) {
        CHECK(error.error_number() == ENOENT);
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// Frames unpacked by other threads: the bytes and the errors of one thread.
#include "lib/io/stream.h"

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/base/philox.h"
#include "lib/io/atomic_file.h"
#include "lib/io/frame_extent.h"
#include "lib/io/packer.h"
#include "lib/io/task_queue.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using io::Compression;
using io::FrameExtent;

namespace {

std::string sample_text(size_t bytes, uint64_t seed) {
    std::string text;
    for (uint64_t i = 0; text.size() < bytes; ++i) {
        text += "line " + std::to_string(philox_draw({seed}, i).word[0] % 5000) + "\n";
    }
    return text;
}

std::string pack(Compression compression, std::string_view text) {
    std::vector<std::byte> packed;
    io::pack_frame(compression, std::as_bytes(std::span(text)), packed);
    return {reinterpret_cast<const char*>(packed.data()), packed.size()};
}

std::string little_endian(uint64_t value, size_t bytes) {
    std::string text;
    for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
    return text;
}

/// A gzip member with its size in its header, as bgzip writes it.
std::string pack_bgzf(std::string_view text) {
    const std::string member = pack(Compression::kGzip, text);
    constexpr size_t kHeader = 10;
    std::string packed = member.substr(0, kHeader);
    packed[3] = 4;  // an extra field follows
    packed += little_endian(6, 2) + "BC" + little_endian(2, 2);
    packed += little_endian(member.size() + 8 - 1, 2);
    return packed + member.substr(kHeader);
}

std::string skippable(std::string_view content) {
    return "\x53\x2a\x4d\x18" + little_endian(content.size(), 4) + std::string(content);
}

/// Files of several frames of uneven sizes, empty ones among them.
struct Sample {
    std::string name, stored, text;
};
std::vector<Sample> make_samples() {
    Sample zstd{"zstd", skippable("abc"), ""}, bgzf{"bgzf", "", ""}, gzip{"gzip", "", ""};
    for (uint64_t i = 0; i < 12; ++i) {
        const std::string large = sample_text(i % 3 == 2 ? 1'500'000 : i * 9000, i);
        zstd.stored += pack(Compression::kZstd, large) + (i % 4 == 0 ? skippable("x") : "");
        zstd.text += large;
        const std::string small = large.substr(0, 60000);
        bgzf.stored += pack_bgzf(small);
        gzip.stored += pack(Compression::kGzip, small);
        bgzf.text += small;
        gzip.text += small;
    }
    bgzf.stored += std::string(100, '\0');
    return {zstd, bgzf, gzip};
}

struct Outcome {
    std::string text, error;
    Hash128 hash;
    uint64_t stored_bytes = 0;
};

Outcome read(const std::string& path, const io::ReadAhead& ahead, size_t block = 100'000) {
    Outcome outcome;
    try {
        const auto input = io::open_input(path, ahead);
        std::string buffer(block, '\0');
        while (const size_t n = input->read(std::as_writable_bytes(std::span(buffer)))) {
            outcome.text.append(buffer, 0, n);
        }
        outcome.hash = input->stored_hash();
        outcome.stored_bytes = input->stored_bytes();
    } catch (const DataError& error) {
        outcome.error = error.describe();
    }
    return outcome;
}

/// Threads that do nothing but tasks.
class Helpers {
 public:
    explicit Helpers(size_t num_threads) : tasks_(num_threads) {
        for (size_t i = 0; i < num_threads; ++i) {
            threads_.emplace_back([this] {
                while (!is_over_) tasks_.run_one();
            });
        }
    }
    ~Helpers() { is_over_ = true; }
    io::TaskQueue& tasks() { return tasks_; }

 private:
    io::TaskQueue tasks_;
    std::atomic<bool> is_over_{false};
    std::vector<std::jthread> threads_;
};

}  // namespace

TEST_CASE("read ahead: the same bytes from any number of threads, in any room") {
    const test::TempDir dir;
    for (const Sample& sample : make_samples()) {
        CAPTURE(sample.name);
        io::write_file_atomically(dir / "a", sample.stored);
        for (const size_t num_threads : {size_t{0}, size_t{1}, size_t{3}}) {
            Helpers helpers(num_threads);
            for (const uint64_t room : {uint64_t{1000}, uint64_t{2} << 20, uint64_t{64} << 20}) {
                for (const size_t block : {size_t{999}, size_t{1} << 20}) {
                    const Outcome outcome = read(dir / "a", {&helpers.tasks(), room}, block);
                    CHECK(outcome.error == "");
                    CHECK((outcome.text == sample.text));
                    CHECK(outcome.hash == xxh3_128(sample.stored));
                    CHECK(outcome.stored_bytes == sample.stored.size());
                }
            }
        }
    }
}

TEST_CASE("read ahead: a file cut or damaged anywhere gives the error of one thread") {
    const test::TempDir dir;
    Helpers helpers(2);
    for (const Sample& sample : make_samples()) {
        CAPTURE(sample.name);
        for (size_t at = 20; at < sample.stored.size(); at += sample.stored.size() / 60) {
            CAPTURE(at);
            std::string flipped = sample.stored;
            flipped[at] ^= 0x10;
            for (const std::string& stored : {sample.stored.substr(0, at), flipped}) {
                io::write_file_atomically(dir / "a", stored);
                const Outcome alone = read(dir / "a", {});
                const Outcome helped = read(dir / "a", {&helpers.tasks(), uint64_t{8} << 20}, 7000);
                CHECK(helped.error == alone.error);
                // What is damaged may show at the end of a frame only, by its checksum.
                if (stored.size() == at) CHECK(sample.text.starts_with(helped.text));
                if (alone.error.empty()) CHECK((helped.text == alone.text));
            }
        }
    }
}

TEST_CASE("read ahead: a damaged frame is named with its number and its first byte") {
    const test::TempDir dir;
    const std::string one = pack(Compression::kZstd, "one\n"),
                      two = pack(Compression::kZstd, "2\n");
    std::string damaged = two;
    damaged.back() ^= 1;  // of the checksum
    io::write_file_atomically(dir / "a", one + two + damaged + one);
    Helpers helpers(1);
    const std::string path = dir / "a";
    const std::string where = format("{}: byte {}: frame 3: ", path, one.size() + two.size());
    for (const io::ReadAhead& ahead : {io::ReadAhead{}, {&helpers.tasks(), 1 << 20}}) {
        const Outcome outcome = read(path, ahead);
        CHECK(outcome.error.starts_with(where + "damaged zstd data"));
        CHECK(outcome.text == "one\n2\n");
    }
    io::write_file_atomically(dir / "a", one + two.substr(0, 8));
    CHECK(read(path, {}).error == format("{}: byte {}: frame 2, which begins at byte {}: the zstd "
                                         "frame is cut short; copy the file again",
                                         path, one.size() + 8, one.size()));
}

TEST_CASE("read ahead: memory is bounded by what is allowed, not by what a frame says") {
    const auto extent_of = [](const std::string& bytes) {
        return io::find_frame(Compression::kZstd, std::as_bytes(std::span(bytes)));
    };
    // 32 bytes of repeated blocks are a megabyte, by their headers; a size in the frame's header
    // that its blocks can not fill is not believed.
    std::string frame = "\x28\xb5\x2f\xfd";
    frame += std::string("\x00\x58", 2);
    for (int i = 0; i < 8; ++i)
        frame += little_endian((128 << 10) << 3 | 1 << 1 | (i == 7), 3) + "a";
    CHECK(extent_of(frame).status == FrameExtent::Status::kWhole);
    CHECK(extent_of(frame).content == 1 << 20);
    CHECK(extent_of(frame).stored == frame.size());
    CHECK(extent_of(frame.substr(0, 20)).status == FrameExtent::Status::kCut);
    std::string liar =
        "\x28\xb5\x2f\xfd\xe0" + little_endian(uint64_t{1} << 40, 8) + frame.substr(6);
    CHECK(extent_of(liar).status == FrameExtent::Status::kUnknown);
    CHECK(extent_of("no frame").status == FrameExtent::Status::kUnknown);
    CHECK(extent_of("").status == FrameExtent::Status::kCut);

    const test::TempDir dir;
    io::write_file_atomically(dir / "a", frame);
    Helpers helpers(1);
    CHECK(read(dir / "a", {&helpers.tasks(), 1 << 20}).text == std::string(1 << 20, 'a'));
    io::write_file_atomically(dir / "a", liar);
    CHECK(read(dir / "a", {&helpers.tasks(), 1 << 20}).error == read(dir / "a", {}).error);
}

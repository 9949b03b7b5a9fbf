// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/stream.h"

#include <atomic>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/base/philox.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/io/task_queue.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;

namespace {

std::string sample_text(size_t bytes) {
    std::string text;
    for (uint64_t i = 0; text.size() < bytes; ++i) {
        text += "line " + std::to_string(philox_draw({7}, i).word[0]) + "\n";
    }
    return text;
}

std::string read_all(const std::string& path, size_t chunk = 100000) {
    const auto input = io::open_input(path);
    std::string text, buffer(chunk, '\0');
    while (const size_t n = input->read(std::as_writable_bytes(std::span(buffer)))) {
        text.append(buffer, 0, n);
    }
    return text;
}

void write_stream(const std::string& path, std::string_view text) {
    const auto output = io::open_output(path);
    output->write(text);
    output->close();
    CHECK(output->stored_bytes() == io::file_size(path));
    CHECK(output->stored_hash() == xxh3_128(io::read_text_file(path)));
}

}  // namespace

TEST_CASE("stream: plain, gzip and zstd give back what was written, at any read size") {
    const test::TempDir dir;
    const std::string text = sample_text(700000);
    for (const char* name : {"a.txt", "a.gz", "a.zst"}) {
        const std::string path = dir / name;
        write_stream(path, text);
        for (const size_t chunk : {size_t{1000}, size_t{1} << 20}) {
            CAPTURE(name);
            CHECK(read_all(path, chunk) == text);
        }
    }
    CHECK(io::file_size(dir / "a.gz") < text.size());
}

TEST_CASE("stream: many frames, the same bytes whoever packs them") {
    const test::TempDir dir;
    const std::string text = sample_text(9'000'000);
    for (const std::string name : {"a.gz", "a.zst"}) {
        CAPTURE(name);
        write_stream(dir / name, text);
        CHECK(read_all(dir / name) == text);
        const std::string alone = io::read_text_file(dir / name);

        io::TaskQueue tasks(3);
        std::atomic<bool> is_over{false};
        std::vector<std::jthread> others;
        for (int i = 0; i < 2; ++i) {
            others.emplace_back([&] {
                while (!is_over) tasks.run_one();
            });
        }
        const auto output = io::open_output(dir / name, &tasks);
        // In uneven pieces, some longer than a frame.
        std::string_view rest = text;
        for (size_t size = 1; !rest.empty(); size = size * 7 % 5000011) {
            output->write(rest.substr(0, size));
            rest.remove_prefix(std::min(size, rest.size()));
        }
        output->close();
        is_over = true;
        others.clear();
        CHECK(io::read_text_file(dir / name) == alone);
    }
}

TEST_CASE("stream: empty files") {
    const test::TempDir dir;
    for (const char* name : {"a.txt", "a.gz", "a.zst"}) {
        write_stream(dir / name, "");
        CHECK(read_all(dir / name).empty());
    }
}

TEST_CASE("stream: all members and all frames are read, skippable frames passed over") {
    const test::TempDir dir;
    for (const char* name : {"a.gz", "a.zst"}) {
        write_stream(dir / name, "one\n");
        std::string stored = io::read_text_file(dir / name);
        if (std::string_view(name) == "a.zst") {
            stored += std::string("\x50\x2a\x4d\x18\x03\x00\x00\x00zzz", 11) + stored;
        } else {
            stored += stored;
        }
        io::write_file_atomically(dir / name, stored);
        CHECK(read_all(dir / name) == "one\none\n");
    }
}

TEST_CASE("stream: a file cut anywhere is an error, never a short read") {
    const test::TempDir dir;
    const std::string text = sample_text(20000);
    for (const char* name : {"a.gz", "a.zst"}) {
        write_stream(dir / name, text);
        const std::string stored = io::read_text_file(dir / name);
        for (size_t keep = 11; keep < stored.size(); keep += 97) {
            io::write_file_atomically(dir / "cut", stored.substr(0, keep));
            CAPTURE(name);
            CAPTURE(keep);
            CHECK_THROWS_WITH_AS(read_all(dir / "cut"), doctest::Contains("cut"), DataError);
        }
        io::write_file_atomically(dir / "cut", stored.substr(0, stored.size() - 1));
        CHECK_THROWS_AS(read_all(dir / "cut"), DataError);
    }
}

TEST_CASE("stream: rubbish behind a member and flipped bits are errors") {
    const test::TempDir dir;
    const std::string text = sample_text(20000);
    for (const char* name : {"a.gz", "a.zst"}) {
        write_stream(dir / name, text);
        const std::string stored = io::read_text_file(dir / name);
        io::write_file_atomically(dir / "bad", stored + "rubbish");
        CHECK_THROWS_AS(read_all(dir / "bad"), DataError);
        std::string flipped = stored;
        flipped[stored.size() / 2] ^= 1;
        io::write_file_atomically(dir / "bad", flipped);
        CHECK_THROWS_AS(read_all(dir / "bad"), DataError);
    }
}

TEST_CASE("stream: the stored hash covers the bytes as stored") {
    const test::TempDir dir;
    write_stream(dir / "a.gz", sample_text(300000));
    const auto input = io::open_input(dir / "a.gz");
    std::string buffer(1 << 16, '\0');
    while (input->read(std::as_writable_bytes(std::span(buffer))) > 0) continue;
    CHECK(input->stored_hash() == xxh3_128(io::read_text_file(dir / "a.gz")));
    CHECK(input->stored_bytes() == io::file_size(dir / "a.gz"));
}

TEST_CASE("stream: a missing file is named") {
    CHECK_THROWS_WITH_AS(io::open_input("/nonexistent/x"),
                         "cannot open /nonexistent/x: No such file or directory", IoError);
}

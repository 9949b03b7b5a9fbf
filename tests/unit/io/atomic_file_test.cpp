// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/atomic_file.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/io/unnamed_file.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;

TEST_CASE("atomic file: nothing is there before commit, everything after it") {
    const test::TempDir dir;
    {
        io::AtomicFile file(dir / "a");
        file.write("content");
        CHECK_FALSE(std::filesystem::exists(dir / "a"));
        file.commit();
    }
    CHECK(io::read_text_file(dir / "a") == "content");
}

TEST_CASE("atomic file: one that is given up leaves nothing and the old one as it was") {
    const test::TempDir dir;
    io::write_file_atomically(dir / "a", "old");
    {
        io::AtomicFile file(dir / "a");
        file.write("new");
    }
    CHECK(io::read_text_file(dir / "a") == "old");
    CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("unnamed file: reads what was written and leaves nothing") {
    const test::TempDir dir;
    const io::UniqueFd fd = io::open_unnamed(dir.path());
    const std::string text = "spilled";
    io::pwrite_full(fd.get(), std::as_bytes(std::span(text)), 5, "it");
    std::string got(text.size(), ' ');
    io::pread_exact(fd.get(), std::as_writable_bytes(std::span(got)), 5, "it");
    CHECK(got == text);
    CHECK(std::filesystem::is_empty(dir.path()));
    CHECK_THROWS_WITH_AS(io::open_unnamed("/nonexistent"),
                         doctest::Contains("(see TMPDIR and --tmp-dir)"), IoError);
}

TEST_CASE("atomic file: an unwritable folder is named") {
    CHECK_THROWS_WITH_AS(io::write_file_atomically("/nonexistent/a", "x"),
                         doctest::Contains("cannot create /nonexistent/a: "), IoError);
}

TEST_CASE("atomic file: a symbolic link is followed, not replaced") {
    const test::TempDir dir;
    io::write_file_atomically(dir / "real", "old");
    std::filesystem::create_symlink("real", dir / "link");
    io::write_file_atomically(dir / "link", "new");
    CHECK(std::filesystem::is_symlink(dir / "link"));
    CHECK(io::read_text_file(dir / "real") == "new");
}

TEST_CASE("atomic file: a device is written, not replaced, and a full one says so") {
    const test::TempDir dir;
    std::filesystem::create_symlink("/dev/null", dir / "null");
    io::write_file_atomically(dir / "null", "gone");
    CHECK(std::filesystem::is_character_file("/dev/null"));
    CHECK_THROWS_WITH_AS(io::write_file_atomically("/dev/full", "x"),
                         "cannot write /dev/full: No space left on device", IoError);
    CHECK(std::filesystem::is_character_file("/dev/full"));
}

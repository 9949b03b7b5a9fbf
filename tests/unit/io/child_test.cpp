// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/child.h"

#include <unistd.h>

#include <doctest/doctest.h>

#include "lib/base/error.h"

using namespace longhaul;

TEST_CASE("child: output, error output and exit code") {
    const auto result = io::run_command({"sh", "-c", "echo out; echo err >&2; exit 5"});
    CHECK(result.output == "out\n");
    CHECK(result.error_output == "err\n");
    CHECK(result.exit_code == 5);
    CHECK_FALSE(result.ok());
}

TEST_CASE("child: standard input and environment reach it") {
    io::ChildOptions options;
    options.standard_input = std::string(300000, 'z');
    options.extra_environment = {"LONGHAUL_X=7"};
    const auto result = io::run_command({"sh", "-c", "echo $LONGHAUL_X; cat"}, options);
    CHECK(result.output == "7\n" + options.standard_input);
}

TEST_CASE("child: a missing program is told apart from one that exits 127") {
    CHECK(io::run_command({"/nonexistent/program"}).not_found);
    const auto result = io::run_command({"sh", "-c", "exit 127"});
    CHECK_FALSE(result.not_found);
    CHECK(result.exit_code == 127);
}

TEST_CASE("child: past its deadline the whole group is killed") {
    io::ChildOptions options;
    options.deadline_s = 0.2;
    const auto result = io::run_command({"sh", "-c", "echo early; sleep 100 & wait"}, options);
    CHECK(result.timed_out);
    CHECK(result.output == "early\n");
}

TEST_CASE("child: a function's text, error and deadline") {
    CHECK(io::run_in_child([] { return std::string("text"); }, 5).output == "text");
    const auto failed = io::run_in_child([]() -> std::string { throw Error("broken"); }, 5);
    CHECK(failed.exit_code == 3);
    CHECK(failed.error_output == "broken");
    const auto hung = io::run_in_child(
        []() -> std::string {
            ::sleep(100);
            return "";
        },
        0.2);
    CHECK(hung.timed_out);
}

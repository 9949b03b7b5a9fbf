// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cli/run_main.h"

#include <fcntl.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/base/fatal_hook.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/child.h"

using namespace longhaul;

namespace {

struct Outcome {
    int code = -1;
    std::string error;  // what stood on stderr
};

/// run_main() of `body` in a child whose stdout is `stdout_path`.
Outcome run(const std::function<ExitCode(const cli::Args&)>& body,
            std::vector<std::string> args = {}, const char* stdout_path = "/dev/null") {
    const auto child = io::run_in_child(
        [&] {
            int ends[2];
            if (::pipe(ends) != 0) throw Error("no pipe");
            ::dup2(ends[1], STDERR_FILENO);
            ::close(ends[1]);
            ::dup2(::open(stdout_path, O_WRONLY), STDOUT_FILENO);
            std::string name = "tool";
            std::vector<char*> argv = {name.data()};
            for (std::string& arg : args) argv.push_back(arg.data());
            const int code =
                cli::run_main("tool", static_cast<int>(argv.size()), argv.data(), body);
            ::close(STDERR_FILENO);
            std::string text(4096, '\0');
            text.resize(
                static_cast<size_t>(std::max<ssize_t>(0, ::read(ends[0], text.data(), 4096))));
            return std::to_string(code) + "\n" + text;
        },
        10);
    const size_t end = child.output.find('\n');
    return {std::atoi(child.output.c_str()), child.output.substr(end + 1)};
}

}  // namespace

TEST_CASE("dispatch: a sub-command that is misspelt or stands late is named") {
    const std::vector<cli::Subcommand> list = {
        {"verify", "checks", [](const cli::Args&) { return ExitCode::kOk; }}};
    const auto dispatch = [&](const cli::Args& args) {
        return cli::dispatch("tool", "does things", args, list, [](const cli::Args& rest) {
            if (rest.empty() || rest[0] == "-q") throw UsageError("no input");
            return ExitCode::kNegative;
        });
    };
    CHECK(dispatch({"verify", "x"}) == ExitCode::kOk);
    CHECK(dispatch({"x", "verify"}) == ExitCode::kNegative);
    CHECK_THROWS_WITH_AS(dispatch({"veryfi"}),
                         "veryfi: no such file; did you mean the sub-command verify?", UsageError);
    CHECK_THROWS_WITH_AS(dispatch({"-q", "verify"}),
                         "no input; if \"verify\" is meant as the sub-command, put it first",
                         UsageError);
    CHECK_THROWS_WITH_AS(dispatch({"-q"}), "no input", UsageError);
}

TEST_CASE("run_main: codes and texts of every kind of error") {
    CHECK(run([](const cli::Args&) { return ExitCode::kRequeue; }).code == 75);
    const Outcome usage = run([](const cli::Args&) -> ExitCode { throw UsageError("no {} here"); });
    CHECK(usage.code == 2);
    CHECK(usage.error == "tool: error: no {} here\n");
    const Outcome data = run([](const cli::Args&) -> ExitCode {
        return with_context([]() -> ExitCode { throw DataError("a\nb"); }, "reading x");
    });
    CHECK(data.code == 3);
    CHECK(data.error == "tool: error: reading x: a b\n");
    CHECK(run([](const cli::Args&) -> ExitCode { throw std::bad_alloc(); }).code == 3);
    CHECK(run([](const cli::Args&) -> ExitCode { throw std::logic_error("odd"); }).code == 3);
    CHECK(run([](const cli::Args&) -> ExitCode { throw cli::HelpShown{}; }).code == 0);
}

TEST_CASE("run_main: output that could not be written is exit 3") {
    const auto print_some = [](const cli::Args&) {
        cli::print("text");
        return ExitCode::kOk;
    };
    CHECK(run(print_some).code == 0);
    const Outcome full = run(print_some, {}, "/dev/full");
    CHECK(full.code == 3);
    CHECK(full.error == "tool: error: cannot write standard output: No space left on device\n");
}

TEST_CASE("run_main: an error calls the fatal hook with its code") {
    const Outcome outcome = run([](const cli::Args&) -> ExitCode {
        set_fatal_hook([](ExitCode code) { ::dprintf(STDERR_FILENO, "hook %d\n", to_int(code)); });
        throw UsageError("x");
    });
    CHECK(outcome.error == "tool: error: x\nhook 2\n");
}

TEST_CASE("dispatch: sub-commands, the default, and words that are neither") {
    const auto subcommand = [](const cli::Args& args) {
        return args == cli::Args{"-x"} ? ExitCode::kOk : ExitCode::kFailed;
    };
    const auto strict = [&](const cli::Args& args) {
        return cli::dispatch("tool", "does", args, {{"verify", "checks", subcommand}}, nullptr);
    };
    CHECK(run(strict, {"verify", "-x"}).code == 0);
    const Outcome near = run(strict, {"verifi"});
    CHECK(near.code == 2);
    CHECK(near.error ==
          "tool: error: unknown sub-command verifi; did you mean verify? Try 'tool --help'\n");
    CHECK(run(strict).code == 2);
    const auto with_default = [&](const cli::Args& args) {
        return cli::dispatch("tool", "does", args, {{"verify", "checks", subcommand}},
                             [](const cli::Args&) { return ExitCode::kStopped; });
    };
    CHECK(run(with_default, {"./verify"}).code == 93);
    CHECK(run(with_default).code == 93);
}

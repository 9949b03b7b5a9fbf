// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/launcher.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include "lib/base/error.h"

using namespace longhaul;
using namespace longhaul::guard;

namespace {

LaunchResult run_shell(const std::string& script, SignalQueue& signals,
                       std::function<TickRequest(double)> on_tick = {}) {
    LaunchOptions options;
    options.argv = {"sh", "-c", script};
    options.environment = {"LONGHAUL_TEST=seen"};
    options.kill_grace_s = 0;
    options.on_tick = std::move(on_tick);
    return launch(options, signals);
}

}  // namespace

TEST_CASE("launcher: exit codes, signals, environment") {
    SignalQueue signals;
    CHECK(run_shell("exit 7", signals).exit_code == 7);
    CHECK(run_shell("kill -9 $$", signals).exit_code == 137);
    CHECK(run_shell("test \"$LONGHAUL_TEST\" = seen", signals).exit_code == 0);
}

TEST_CASE("launcher: a missing program is a usage error") {
    SignalQueue signals;
    LaunchOptions options;
    options.argv = {"/nonexistent/program"};
    CHECK_THROWS_WITH_AS(launch(options, signals),
                         "cannot run /nonexistent/program: No such file or directory", UsageError);
}

TEST_CASE("launcher: a signal to this process goes to the command") {
    SignalQueue signals;
    const LaunchResult result =
        run_shell("trap 'exit 9' USR1; kill -USR1 $PPID; sleep 20 >/dev/null & wait", signals);
    CHECK(result.exit_code == 9);
    CHECK(result.was_told);
}

TEST_CASE("launcher: a command without progress is ended, also a deaf one") {
    SignalQueue signals;
    const auto hang = [](double) { return TickRequest{0, true}; };
    CHECK(run_shell("sleep 20", signals, hang).is_hang);
    const LaunchResult deaf = run_shell("trap '' TERM; while :; do sleep 0.1; done", signals, hang);
    CHECK(deaf.is_hang);
    CHECK(deaf.exit_code == 137);
}

TEST_CASE("launcher: clues are read from stderr") {
    SignalQueue signals;
    const LaunchResult result =
        run_shell("echo 'srun: error: n2: task 1: Killed' >&2; exit 137", signals);
    CHECK(result.failed_hosts == std::vector<std::string>{"n2"});
    CHECK(result.first_task_code == 137);
}

TEST_CASE("launcher: a grandchild that keeps stderr open does not delay the end for long") {
    SignalQueue signals;
    const double begin_s = steady_now_s();
    CHECK(run_shell("sleep 30 >/dev/null & exit 3", signals).exit_code == 3);
    CHECK(steady_now_s() - begin_s < 10);
}

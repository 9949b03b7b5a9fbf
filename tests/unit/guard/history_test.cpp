// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/history.h"

#include <doctest/doctest.h>

#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using namespace longhaul::guard;

namespace {

FaultEvent start(uint64_t restart, std::optional<uint64_t> step) {
    FaultEvent event;
    event.event = "start";
    event.restart = restart;
    event.step = step;
    return event;
}

FaultEvent end(uint64_t restart, Cause cause, const std::string& nodes, const std::string& action) {
    FaultEvent event = start(restart, std::nullopt);
    event.event = "end";
    event.cause = cause;
    event.nodes = nodes;
    event.action = action;
    event.evidence = "a \"quoted\" line";
    return event;
}

}  // namespace

TEST_CASE("history: what is appended is read again") {
    const test::TempDir dir;
    {
        History history(dir.path());
        history.append(start(0, 10));
        history.append(end(0, Cause::kNode, "n2", "restart"));
    }
    const History history(dir.path());
    REQUIRE(history.events().size() == 2);
    CHECK(history.events()[0].step == 10);
    CHECK(history.events()[1].cause == Cause::kNode);
    CHECK(history.events()[1].evidence == "a \"quoted\" line");
    CHECK(history.next_restart(0) == 1);
    CHECK(history.next_restart(7) == 7);
}

TEST_CASE("history: torn lines and foreign events are skipped") {
    const test::TempDir dir;
    io::write_file_atomically(dir / "faults.jsonl",
                              "{\"schema\":1,\"event\":\"start\",\"restart\":4}\n"
                              "{\"schema\":1,\"event\":\"loss-spike\",\"step\":3}\n"
                              "{\"schema\":9,\"event\":\"start\",\"restart\":70}\n"
                              "{\"schema\":1,\"event\":\"start\",\"restart\":\"x\"}\n"
                              "\n\xff\xfe\n"
                              "{\"schema\":1,\"event\":\"end\",\"resta");
    const History history(dir.path());
    CHECK(history.events().size() == 1);
    CHECK(history.num_unreadable() == 4);
    CHECK(history.next_restart(0) == 5);
}

TEST_CASE("history: restarts without progress") {
    History history("");
    CHECK(history.restarts_without_progress(std::nullopt) == 0);
    history.append(start(0, std::nullopt));
    CHECK(history.restarts_without_progress(std::nullopt) == 0);  // the first start
    CHECK(history.restarts_without_progress(5) == 0);             // has committed 5
    history.append(start(1, 5));
    CHECK(history.restarts_without_progress(5) == 1);
    history.append(start(2, 5));
    history.append(start(3, 5));
    CHECK(history.restarts_without_progress(5) == 3);
    CHECK(history.restarts_without_progress(6) == 0);
    history.append(end(3, Cause::kCode, "", "hold"));
    history.append(start(4, 5));  // released by a person
    CHECK(history.restarts_without_progress(5) == 0);
    history.append(start(5, 5));
    CHECK(history.restarts_without_progress(5) == 1);
}

TEST_CASE("history: strikes count faults of hosts only, since the last hold") {
    History history("");
    history.append(end(0, Cause::kNode, "n[1-2]", "restart"));
    history.append(end(1, Cause::kGpu, "n2", "restart"));
    history.append(end(2, Cause::kCode, "n3", "restart"));
    CHECK(history.strikes() == std::map<std::string, int>{{"n1", 1}, {"n2", 2}});
    history.append(end(3, Cause::kNode, "n2", "hold"));
    CHECK(history.strikes().empty());
}

TEST_CASE("history: a folder that can not be written is no error") {
    History history("/proc/nowhere");
    history.append(start(0, 1));
    CHECK(history.events().size() == 1);
}

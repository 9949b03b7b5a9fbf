// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/kernel_log.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "lib/health/state.h"

using namespace longhaul;
using namespace longhaul::health;

TEST_CASE("kernel log: fronts of /dev/kmsg, dmesg, journalctl") {
    struct Case {
        const char* line;
        int64_t sequence, boot_us;
        const char* text;
    };
    const Case cases[] = {
        {"6,1234,98765432,-;NVRM: Xid (PCI:1): 79", 1234, 98765432, "NVRM: Xid (PCI:1): 79"},
        {"4,77,1000,-,caller=T1;hello; world", 77, 1000, "hello; world"},
        {"[   12.345678] NVRM: x", -1, 12345678, "NVRM: x"},
        {"<6>[   12.000001] y", -1, 12000001, "y"},
        {"[Sat Nov 29 12:00:00 2025] z", -1, -1, "[Sat Nov 29 12:00:00 2025] z"},
        {"Nov 29 12:00:00 n1 kernel: NVRM: x\r\n", -1, -1, "Nov 29 12:00:00 n1 kernel: NVRM: x"},
        {"", -1, -1, ""},
        {"6,", -1, -1, "6,"},
        {"[12.3456] short", -1, -1, "[12.3456] short"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.line);
        const LogLine line = parse_kernel_line(c.line);
        CHECK(line.sequence == c.sequence);
        CHECK(line.boot_us == c.boot_us);
        CHECK(line.text == c.text);
    }
}

TEST_CASE("kernel log: a device that can not be opened is said, not thrown") {
    const KernelLog log = read_kmsg("/nonexistent/kmsg");
    CHECK_FALSE(log.is_read);
    CHECK(log.why.find("/nonexistent/kmsg") != std::string::npos);
}

TEST_CASE("kernel log: relevant lines only, and where to go on") {
    const std::string path = "/tmp/kernel-log-test." + std::to_string(getpid());
    std::ofstream(path) << "6,1,10,-;usb 1-1: new device\n"
                           "3,2,20,-;NVRM: Xid (PCI:0000:01:00): 31, pid=1, name=a, x\n"
                           " SUBSYSTEM=pci\n"
                           "6,3,30,-;eth0: link up\n";
    const auto input = io::open_input(path);
    const KernelLog log = read_kernel_log(*input);
    unlink(path.c_str());
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0].sequence == 2);
    CHECK(log.last_sequence == 3);
    CHECK(log.last_boot_us == 30);
}

TEST_CASE("state: a line is new once, by sequence or boot time, and always after a reboot") {
    State state;
    CHECK(state.is_new({5, 50, "x"}, "boot1"));  // no earlier run
    state.exists = true;
    state.boot_id = "boot1";
    state.last_sequence = 5;
    state.last_boot_us = 50;
    CHECK_FALSE(state.is_new({5, 50, "x"}, "boot1"));
    CHECK(state.is_new({6, 51, "x"}, "boot1"));
    CHECK_FALSE(state.is_new({-1, 50, "x"}, "boot1"));
    CHECK(state.is_new({-1, 51, "x"}, "boot1"));
    CHECK(state.is_new({1, 1, "x"}, "boot2"));
    CHECK(state.is_new({-1, -1, "x"}, "boot1"));  // no way to know: judged again
}

TEST_CASE("state: kept over a run, damaged files are said") {
    const std::string path = "/tmp/state-test." + std::to_string(getpid()) + "/a/state.json";
    Snapshot now;
    now.boot_id = "b";
    now.unix_s = 100;
    now.kernel_log.last_sequence = 7;
    Gpu gpu;
    gpu.values["uuid"].text = "GPU-1";
    gpu.values["pcie_replays"].number = 12;
    now.gpus.push_back(gpu);
    save_state(path, next_state(now, {}));
    const State loaded = load_state(path);
    CHECK(loaded.exists);
    CHECK(loaded.last_sequence == 7);
    CHECK(loaded.gpus.at("GPU-1").at("pcie_replays") == 12);
    std::ofstream(path) << "{\"boot_id\": 3}";
    const State damaged = load_state(path);
    CHECK_FALSE(damaged.exists);
    CHECK(damaged.problem.find("boot_id") != std::string::npos);
    std::filesystem::remove_all("/tmp/state-test." + std::to_string(getpid()));
}

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/xid.h"

#include <doctest/doctest.h>

#include <set>

#include "lib/base/error.h"
#include "lib/health/explain.h"

using namespace longhaul;
using namespace longhaul::health;
using record::Status;

TEST_CASE("xid: every form that the driver writes") {
    struct Case {
        const char* line;
        int number;
        const char* address;
        bool is_mig;
        int64_t pid;
        const char* name;
        const char* detail;
        int caused_by;
    };
    const Case cases[] = {
        {"NVRM: Xid (PCI:0000:4e:00): 79, pid=7194, name=python, GPU has fallen off the bus.", 79,
         "0000:4e:00", false, 7194, "python", "GPU has fallen off the bus.", 0},
        {"[1.5] NVRM: Xid (PCI:0000:01:00 GPU-I:05): 94, pid=7194, name=python, Contained: x", 94,
         "0000:01:00", true, 7194, "python", "Contained: x", 0},
        {"NVRM: Xid (PCI:0000:01:00 GPU-I:05 GPU-CI:00): 31, pid=1, name=a b, Ch 3", 31,
         "0000:01:00", true, 1, "a b", "Ch 3", 0},
        {"NVRM: Xid (PCI:0000:01:00): 63, pid='<unknown>', name=<unknown>, Row Remapper", 63,
         "0000:01:00", false, -1, "<unknown>", "Row Remapper", 0},
        {"NVRM: Xid (PCI:0000:01:00): 45, pid=5, name=x, Ch 8 caused by previous Xid 31", 45,
         "0000:01:00", false, 5, "x", "Ch 8 caused by previous Xid 31", 31},
        {"NVRM: Xid (PCI:0000:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x1 0x2)", 149,
         "0000:01:00", false, -1, "", "NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x1 0x2)", 0},
        {"NVRM: Xid (0000:01:00): 13, Graphics Exception", 13, "0000:01:00", false, -1, "",
         "Graphics Exception", 0},
    };
    for (const Case& c : cases) {
        CAPTURE(c.line);
        const auto event = parse_xid(c.line);
        REQUIRE(event);
        CHECK(event->number == c.number);
        CHECK(event->pci_address == c.address);
        CHECK(event->is_mig == c.is_mig);
        CHECK(event->pid == c.pid);
        CHECK(event->name == c.name);
        CHECK(event->detail == c.detail);
        CHECK(event->caused_by == c.caused_by);
    }
}

TEST_CASE("xid: what is no XID") {
    for (const char* line : {"", "NVRM: Xid ", "NVRM: Xid (PCI:0000:01:00", "NVRM: Xid (PCI:1): x",
                             "NVRM: Xid (PCI:1): -4, y", "NVRM: loading", "Xid (PCI:1): 79"}) {
        CAPTURE(line);
        CHECK_FALSE(parse_xid(line));
    }
}

TEST_CASE("xid: NVSwitch errors and GPUs lost without an XID") {
    const auto fatal = parse_sxid(
        "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 28 LTSSM Fault Up");
    REQUIRE(fatal);
    CHECK(fatal->number == 20034);
    CHECK(fatal->is_fatal);
    CHECK(fatal->pci_address == "0000:05:00.0");
    const auto mild =
        parse_sxid("nvidia-nvswitch3: SXid (PCI:0000:c5:00.0): 12028, Non-fatal, Link 5");
    REQUIRE(mild);
    CHECK_FALSE(mild->is_fatal);
    CHECK_FALSE(parse_sxid("foo: SXid (PCI:0): 1, Fatal"));
    CHECK(parse_lost_gpu("NVRM: GPU 0000:18:00.0: GPU has fallen off the bus.") == "0000:18:00.0");
    CHECK(parse_lost_gpu("NVRM: The NVIDIA GPU 0000:b3:00.0") == "0000:b3:00.0");
    CHECK_FALSE(parse_lost_gpu("GPU has fallen off the bus"));
}

TEST_CASE("xid: the table is ordered, without doubles, and complete in words") {
    int last = 0;
    for (const XidInfo& info : xid_table()) {
        CHECK(info.number > last);
        last = info.number;
        CHECK_FALSE(info.title.empty());
        CHECK_FALSE(info.remedy.empty());
        CHECK(info.status != Status::kUnknown);
    }
}

TEST_CASE("xid: statuses follow the catalogue's actions and the line") {
    const auto status = [](int number, const char* detail = "") {
        XidEvent event;
        event.number = number;
        event.detail = detail;
        return status_of(event);
    };
    for (const int number :
         {46, 48, 54, 57, 61, 62, 64, 79, 95, 109, 110, 119, 120, 140, 143, 167}) {
        CAPTURE(number);
        CHECK(status(number) == Status::kFail);
    }
    for (const int number : {13, 31, 39, 69, 127}) CHECK(status(number) == Status::kNote);
    for (const int number : {43, 45, 63, 137, 171}) CHECK(status(number) == Status::kOk);
    for (const int number : {74, 92, 94, 157, 999}) CHECK(status(number) == Status::kWarn);
    CHECK(status(149, "NETIR_LINK_EVT Fatal") == Status::kFail);
    CHECK(status(149, "NETIR_LINK_EVT Nonfatal") == Status::kWarn);
    CHECK(
        status(154, "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)") ==
        Status::kFail);
    CHECK(
        status(154, "GPU recovery action changed from 0x2 (Node Reboot Required) to 0x0 (None)") ==
        Status::kOk);
}

TEST_CASE("explain: numbers, codes, near misses") {
    for (const char* code : {"79", "xid.79", "XID 79", "Xid79"}) {
        CHECK(explain(code).rfind("xid.79: GPU has fallen off the bus", 0) == 0);
    }
    CHECK(explain("9999").find("not in our table") != std::string::npos);
    CHECK(explain("gpu.remap.pending").find("reset") != std::string::npos);
    CHECK_THROWS_WITH_AS(explain("gpu.remap.pendin"),
                         doctest::Contains("did you mean gpu.remap.pending"), UsageError);
    std::set<std::string_view> codes;
    for (const CodeInfo& info : code_table()) CHECK(codes.insert(info.code).second);
}

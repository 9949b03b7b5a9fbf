// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cluster/hostlist.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"

using namespace longhaul;
using namespace longhaul::cluster;
using Hosts = std::vector<std::string>;

TEST_CASE("hostlist: expands what Slurm writes") {
    struct Row {
        const char* list;
        Hosts hosts;
    };
    const Row rows[] = {
        {"", {}},
        {"n1", {"n1"}},
        {"n1,n1", {"n1", "n1"}},
        {"gpu[01-03,7],n1", {"gpu01", "gpu02", "gpu03", "gpu7", "n1"}},
        {"n[8-11]", {"n8", "n9", "n10", "n11"}},
        {"n[098-101]", {"n098", "n099", "n100", "n101"}},
        {"r[1-2]n[1-2]", {"r1n1", "r1n2", "r2n1", "r2n2"}},
        {"n[1-2]-ib.example,login-a_b", {"n1-ib.example", "n2-ib.example", "login-a_b"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.list);
        CHECK(expand_hostlist(row.list) == row.hosts);
    }
}

TEST_CASE("hostlist: refuses what is no list, naming the column") {
    const std::pair<const char*, const char*> rows[] = {
        {"n[1-2", "column 6: ']' is missing"},
        {"n[]", "column 3: a number is missing"},
        {"n[3-1]", "column 6: range 3-1 runs backwards"},
        {"n[1-2]]", "column 7: unexpected ']'"},
        {"n1,,n2", "column 4: a host name is missing"},
        {"n1,", "column 4: a host name is missing"},
        {"n 1", "column 2: unexpected ' '"},
        {"n[1-99999999]", "more than 65536 hosts"},
        {"n[1-12345678901234567890]", "the number is too long"},
    };
    for (const auto& [list, message] : rows) {
        CAPTURE(list);
        try {
            expand_hostlist(list);
            FAIL("accepted");
        } catch (const ClusterError& error) {
            CHECK(error.describe().find(message) != std::string::npos);
        }
    }
}

TEST_CASE("hostlist: compresses to a sorted list without repetitions") {
    const std::pair<Hosts, const char*> rows[] = {
        {{}, ""},
        {{"n1"}, "n1"},
        {{"n3", "n1", "n2", "n1"}, "n[1-3]"},
        {{"n9", "n10", "n11", "n8"}, "n[8-11]"},
        {{"n1", "n2", "n03"}, "n[03,1-2]"},
        {{"gpu01", "gpu02", "gpu03", "gpu7", "n1"}, "gpu[01-03,7],n1"},
        {{"n099", "n100"}, "n[099-100]"},
        {{"login", "r1n1", "r1n2", "r2n1"}, "login,r1n[1-2],r2n1"},
    };
    for (const auto& [hosts, list] : rows) {
        CAPTURE(list);
        CHECK(compress_hostlist(hosts) == list);
    }
}

TEST_CASE("hostlist: union and difference") {
    CHECK(union_of_hostlists("", "n2") == "n2");
    CHECK(union_of_hostlists("n[1-2]", "n[2-4]") == "n[1-4]");
    CHECK(without_hosts({"n3", "n1", "n2"}, {"n1"}) == Hosts{"n3", "n2"});
}

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/env_audit.h"

#include <doctest/doctest.h>

using namespace longhaul;
using namespace longhaul::probe;

namespace {

std::string codes(const Environment& environment, const EnvironmentFacts& facts = {}) {
    std::string text;
    for (const auto& finding : audit_environment(environment, facts)) {
        text += (text.empty() ? "" : " ") + finding.code;
    }
    return text;
}

const EnvironmentFacts kHost = {{"lo", "eth1", "eth10", "ib0"}, {"mlx5_1", "mlx5_10"}, true};

}  // namespace

TEST_CASE("env audit: each known pitfall") {
    const std::pair<Environment, const char*> cases[] = {
        {{}, "env.clean"},
        {{{"HOME", "/root"}, {"NCCL_DEBUG", "INFO"}}, "env.clean"},
        {{{"NCCL_IB_DISABLE", "1"}}, "env.ib_off"},
        {{{"NCCL_IB_DISABLE", "0"}}, "env.clean"},
        {{{"NCCL_NET", "Socket"}}, "env.ib_off"},
        {{{"NCCL_P2P_DISABLE", "1"}}, "env.p2p_off"},
        {{{"NCCL_SHM_DISABLE", "1"}}, "env.shm_off"},
        {{{"NCCL_NET_GDR_LEVEL", "LOC"}}, "env.gdr_off"},
        {{{"NCCL_SOKET_IFNAME", "eth0"}}, "env.misspelt"},
        {{{"NCCL_WHATEVER_THIS_MAY_BE", "1"}}, "env.unknown"},
        {{{"NCCL_ALGO", "Rnig"}}, "env.tuned_by_hand env.bad_word"},
        {{{"NCCL_ALGO", "Ring,Tree"}}, "env.tuned_by_hand"},
        {{{"NCCL_PROTO", "^LL128"}}, "env.tuned_by_hand"},
        {{{"NCCL_IB_TIMEOUT", "5"}}, "env.out_of_range"},
        {{{"NCCL_IB_TIMEOUT", "22"}}, "env.clean"},
        {{{"NCCL_IB_TIMEOUT", "x"}}, "env.out_of_range"},
        {{{"NCCL_SOCKET_IFNAME", "docker0"}}, "env.virtual_interface"},
        {{{"NCCL_SOCKET_IFNAME", "^docker0,lo"}}, "env.clean"},
        {{{"CUDA_LAUNCH_BLOCKING", "1"}}, "env.cuda_blocking"},
        {{{"UCX_TLS", "tcp"}}, "env.ucx_tcp"},
        {{{"OMPI_MCA_btl", "tcp,self"}}, "env.ompi_tcp"},
    };
    for (const auto& [environment, expected] : cases) {
        CAPTURE(expected);
        CHECK(codes(environment) == expected);
    }
}

TEST_CASE("env audit: device names against this host") {
    CHECK(codes({{"NCCL_SOCKET_IFNAME", "eth1"}}, kHost) == "env.prefix_match");
    CHECK(codes({{"NCCL_SOCKET_IFNAME", "=eth1"}}, kHost) == "env.clean");
    CHECK(codes({{"NCCL_SOCKET_IFNAME", "eno1"}}, kHost) == "env.no_such_device");
    CHECK(codes({{"NCCL_SOCKET_IFNAME", "eno1,ib0"}}, kHost) == "env.clean");
    CHECK(codes({{"NCCL_IB_HCA", "mlx5_1:1"}}, kHost) == "env.prefix_match");
    CHECK(codes({{"NCCL_IB_HCA", "=mlx5_1"}}, kHost) == "env.clean");
    CHECK(codes({{"NCCL_IB_HCA", "mlx4"}}, kHost) == "env.no_such_device");
}

TEST_CASE("env audit: text forms") {
    const Environment parsed =
        parse_environment("# comment\nNCCL_DEBUG=INFO\r\n export A=b=c \nno equals\n=x\n");
    CHECK(parsed == Environment{{"NCCL_DEBUG", "INFO"}, {"A", "b=c"}});
}

TEST_CASE("env audit: a difference between ranks is a failure, per-node names are not") {
    const std::vector<Environment> same(3, {{"NCCL_ALGO", "Ring"}});
    CHECK(compare_environments(same, {"a", "b", "c"}).empty());
    auto different = same;
    different[1] = {};
    const auto findings = compare_environments(different, {"a", "b", "c"});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].status == record::Status::kFail);
    CHECK(findings[0].subject == "NCCL_ALGO");
    CHECK(findings[0].evidence == "(unset) on 1 ranks (b); Ring on 2 ranks (a, ...)");
    CHECK(compare_environments({{{"NCCL_SOCKET_IFNAME", "a"}}, {{"NCCL_SOCKET_IFNAME", "b"}}},
                               {"a", "b"})
              .empty());
}

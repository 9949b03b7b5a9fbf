// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/retention.h"

#include <doctest/doctest.h>

#include <set>

#include "lib/ckpt/locate.h"
#include "lib/comm/world.h"
#include "tests/unit/ckpt/support.h"

using namespace longhaul;
using namespace longhaul::ckpt;
using namespace longhaul::ckpt::test;
namespace fs = std::filesystem;

namespace {

void save_steps(const TempDir& dir, const std::vector<int64_t>& steps) {
    Parent parent;
    for (const int64_t step : steps) {
        comm::run_threads(1, [&](comm::World& world) {
            const ToyRank mine = toy_rank(1, 1, 0, 1);
            Header header = toy_header(step);
            header.parent = parent;
            if (step == 30) header.checkpoint_class = "milestone";
            const std::string name = format("step-{:08}", step);
            parent = {name, save(dir / name, header, mine.slices, world.comm()).self};
        });
    }
}

std::set<std::string> names_in(const TempDir& dir) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir.path())) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

}  // namespace

TEST_CASE("retention: keeps the last, the multiples, the milestones") {
    const TempDir dir;
    save_steps(dir, {10, 20, 30, 40, 50, 60});
    RetentionPolicy policy;
    policy.keep_last = 2;
    policy.keep_every = 20;
    const auto deleted = apply_retention(dir.path(), policy);
    CHECK(deleted.size() == 1);
    CHECK(names_in(dir) == std::set<std::string>{"step-00000020", "step-00000030", "step-00000040",
                                                 "step-00000050", "step-00000060"});
}

TEST_CASE("retention: the newest loadable one stays whatever is asked, and wrecks do not count") {
    const TempDir dir;
    save_steps(dir, {10, 20, 40});
    fs::remove(dir / "step-00000040" / kManifestName);  // newer, not loadable: for examination
    fs::remove(dir / "step-00000010" / "rank-00000.h5");
    fs::create_directories(dir / ".step-00000050.tmp-1");
    fs::create_directories(dir / ".trash-step-00000001-1");
    fs::create_directories(dir / "notes");
    RetentionPolicy policy;
    policy.keep_last = 0;
    policy.wreck_age_s = 0;
    policy.remove_damaged = false;
    apply_retention(dir.path(), policy);
    CHECK(names_in(dir) ==
          std::set<std::string>{"step-00000010", "step-00000020", "step-00000040", "notes"});
    policy.remove_damaged = true;
    apply_retention(dir.path(), policy);
    CHECK(names_in(dir) == std::set<std::string>{"step-00000020", "step-00000040", "notes"});
}

TEST_CASE("retention: nothing newer than mine is touched, nor a save that may be running") {
    const TempDir dir;
    save_steps(dir, {10, 20, 40, 50, 60});
    fs::create_directories(dir / ".step-00000070.tmp-1");
    RetentionPolicy policy;
    policy.keep_last = 1;
    policy.mine = 40;
    apply_retention(dir.path(), policy);
    CHECK(names_in(dir) == std::set<std::string>{".step-00000070.tmp-1", "step-00000040",
                                                 "step-00000050", "step-00000060"});
}

TEST_CASE("lineage: ancestors are found by the hash of their manifest") {
    const TempDir dir;
    save_steps(dir, {10, 20, 40});
    fs::rename(dir / "step-00000020", dir / "step-00000021");
    auto line = lineage(dir / "step-00000040");
    REQUIRE(line.size() == 3);
    CHECK(line[1].directory.filename() == "step-00000021");
    CHECK(line[2].manifest.header.step == 10);
    fs::remove_all(dir / "step-00000010");
    line = lineage(dir / "step-00000040");
    REQUIRE(line.size() == 3);
    CHECK_FALSE(line[2].is_found);
    CHECK(locate_checkpoint(dir.path()) == dir / "step-00000040");
}

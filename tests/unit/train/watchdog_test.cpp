// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/watchdog.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "lib/comm/world.h"
#include "lib/io/json.h"

namespace longhaul::train {
namespace {

TEST_CASE("watchdog: silence is noticed, and the rings are written") {
    std::string name = (std::filesystem::temp_directory_path() / "longhaul-XXXXXX").string();
    const record::RunDirectory run(mkdtemp(name.data()));
    auto world = comm::solo_world();
    double value = 1;
    world->comm().all_reduce(std::span(&value, 1), comm::Op::kSum, {7, -1, "loss"});
    std::atomic<bool> is_hung{false};
    std::string text;
    {
        Watchdog watchdog(run, 0.05, [&](const std::string& what) {
            text = what;
            is_hung = true;
        });
        watchdog.add(0, world->ring());
        watchdog.touch("step 8");
        const auto start = std::chrono::steady_clock::now();
        while (!is_hung && std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
            std::this_thread::yield();
        }
    }
    CHECK(text.find("step 8") != std::string::npos);
    CHECK(io::read_json_file(run.ring(0))["entries"][0]["step"] == 7);
    std::filesystem::remove_all(run.root());
}

}  // namespace
}  // namespace longhaul::train

// SPDX-License-Identifier: BSD-3-Clause
// Every call by which a save changes the disk is killed, torn or failed in turn (io_fault.cpp).
// After each the loader must give the old or the new checkpoint, bit for bit, and a retry must
// succeed.
//
// crash_test IO_FAULT_LIBRARY [STRIDE]      the test; STRIDE > 1 tries only every STRIDE-th call
// crash_test save FOLDER STEP SALT          the victim: 0 saved

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/base/error.h"
#include "lib/ckpt/load.h"
#include "lib/ckpt/save.h"
#include "lib/comm/world.h"
#include "lib/io/child.h"
#include "lib/log/log.h"
#include "tests/unit/ckpt/support.h"

using namespace longhaul;
using namespace longhaul::ckpt;
using namespace longhaul::ckpt::test;
namespace fs = std::filesystem;

namespace {

constexpr int kRanks = 2;
constexpr int kSaveFailed = 9;

/// Saves; with `retry` once more after a SaveError, as a training run does.
int victim(const fs::path& folder, int64_t step, uint64_t salt, bool retry = false) {
    int code = 0;
    comm::run_threads(kRanks, [&](comm::World& world) {
        const ToyRank mine = toy_rank(1, kRanks, world.comm().rank(), salt);
        const fs::path directory = folder / format("step-{:08}", step);
        try {
            save(directory, toy_header(step), mine.slices, world.comm());
        } catch (const SaveError&) {
            if (!retry) {
                code = kSaveFailed;
                return;
            }
            save(directory, toy_header(step), mine.slices, world.comm());
        }
    });
    return code;
}

/// Salt of the checkpoint that latest() finds, checked bit for bit. @throws when it is a mix.
uint64_t salt_of_latest(const fs::path& folder, int64_t old_step, uint64_t old_salt,
                        uint64_t new_salt) {
    uint64_t salt = 0;
    comm::run_threads(1, [&](comm::World& world) {
        const auto found = latest(folder, world.comm());
        if (!found) throw DataError("no checkpoint is left");
        std::vector<std::byte> first(8);
        const ToyTensor probe = toy_tensors()[0];
        const tensor::Slice two{tensor::Box::whole(probe.shape), 0, 2};
        found->read(probe.name, Kind::kMaster, two, tensor::DType::kF32, first);
        for (const uint64_t candidate : {old_salt, new_salt}) {
            if (slice_values(probe.name, Kind::kMaster, probe.shape, two, candidate) == first) {
                salt = candidate;
            }
        }
        if (salt == 0) throw DataError("the checkpoint is neither the old nor the new one");
        if (salt == old_salt && found->header().step != old_step) throw DataError("wrong step");
        for (const ToyTensor& tensor : toy_tensors()) {
            const auto whole = tensor::Slice::whole(tensor::Box::whole(tensor.shape));
            for (const Kind kind : {Kind::kMaster, Kind::kM, Kind::kV}) {
                auto got = slice_values(tensor.name, kind, tensor.shape, whole, 99);
                found->read(tensor.name, kind, whole, tensor::DType::kF32, got);
                if (got != slice_values(tensor.name, kind, tensor.shape, whole, salt)) {
                    throw DataError("a mix of old and new: " + tensor.name);
                }
            }
        }
    });
    return salt;
}

class Harness {
 public:
    Harness(std::string program, std::string library, long stride)
        : program_(std::move(program)), library_(std::move(library)), stride_(stride) {}

    /// Saves step `new_step` over a folder that has step 10, once for each call and mode.
    void run(const std::string& mode, int64_t new_step) {
        const long num_calls = count_calls(new_step);
        long num_old = 0;
        for (long at = 1; at <= num_calls; at += stride_) {
            const TempDir dir;
            victim(dir.path(), 10, 1);
            const auto child = save_in_child(dir.path(), new_step, mode, at);
            num_old += check(dir.path(), new_step, child, format("{} at call {}", mode, at));
        }
        std::printf("%s, step %ld over step 10: %ld calls, %ld times the old checkpoint\n",
                    mode.c_str(), static_cast<long>(new_step), num_calls, num_old);
    }

    int failures() const { return failures_; }

 private:
    long count_calls(int64_t new_step) {
        const TempDir dir;
        victim(dir.path(), 10, 1);
        save_in_child(dir.path(), new_step, "kill", 0);
        long count = 0;
        std::ifstream(count_file(dir.path())) >> count;
        if (count < 10)
            throw DataError(format("only {} calls seen: is the library loaded?", count));
        return count;
    }

    static std::string count_file(const fs::path& folder) { return folder.string() + ".count"; }

    io::ChildResult save_in_child(const fs::path& folder, int64_t step, const std::string& mode,
                                  long at) {
        io::ChildOptions options;
        options.deadline_s = 60;
        options.extra_environment = {"LD_PRELOAD=" + library_, "IO_FAULT_DIR=" + folder.string(),
                                     format("IO_FAULT_AT={}", at), "IO_FAULT_MODE=" + mode,
                                     "IO_FAULT_COUNT=" + count_file(folder)};
        auto result = io::run_command(
            {program_, "save", folder.string(), std::to_string(step), "2"}, options);
        return result;
    }

    /// @return true when the old checkpoint was found.
    bool check(const fs::path& folder, int64_t new_step, const io::ChildResult& child,
               const std::string& what) {
        fs::remove(count_file(folder));
        try {
            if (child.timed_out) throw DataError("the save hung");
            const bool was_killed = child.signal == SIGKILL;
            if (!was_killed && child.exit_code != 0) throw DataError("the retry in place failed");
            const uint64_t salt = salt_of_latest(folder, 10, 1, 2);
            if (child.exit_code == 0 && salt != 2)
                throw DataError("saved, but the old one is loaded");
            if (victim(folder, new_step, 2) != 0) throw DataError("the retry failed");
            if (salt_of_latest(folder, 10, 1, 2) != 2) throw DataError("the retry is not loaded");
            return salt == 1;
        } catch (const Error& error) {
            ++failures_;
            std::printf("FAIL %s (exit %d, signal %d): %s\n", what.c_str(), child.exit_code,
                        child.signal, error.describe().c_str());
            return false;
        }
    }

    std::string program_;
    std::string library_;
    long stride_;
    int failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    log::set_level(log::Level::kOff);
    if (argc == 5 && std::string(argv[1]) == "save") {
        return victim(argv[2], std::atol(argv[3]), static_cast<uint64_t>(std::atol(argv[4])), true);
    }
    if (argc < 2) return 2;
    Harness harness(fs::read_symlink("/proc/self/exe"), argv[1], argc > 2 ? std::atol(argv[2]) : 1);
    for (const int64_t new_step : {20, 10}) {
        for (const auto& mode : {std::string("kill"), std::string("torn"), std::to_string(ENOSPC),
                                 std::to_string(EIO)}) {
            harness.run(mode, new_step);
        }
    }
    return harness.failures() == 0 ? 0 : 1;
}

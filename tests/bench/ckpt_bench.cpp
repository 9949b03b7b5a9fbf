// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints against `cp` of the same bytes: save, load, verify, reshard; peak memory of a
// reshard; time to plan 1024 tensors in 1024 shards for 768 ranks.
//
// ckpt_bench [FOLDER [MEGABYTES]]      default: the temporary folder, 512

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "lib/base/error.h"
#include "lib/ckpt/load.h"
#include "lib/ckpt/placement.h"
#include "lib/ckpt/reshard.h"
#include "lib/ckpt/save.h"
#include "lib/ckpt/slice_index.h"
#include "lib/ckpt/verify.h"
#include "lib/comm/world.h"
#include "lib/io/child.h"

using namespace longhaul;
namespace fs = std::filesystem;

namespace {

constexpr int kRanks = 2;
constexpr int kTensors = 16;
constexpr uint64_t kReshardMemory = 256ull << 20;

/// CPU seconds of this process and its finished children: on a busy machine the fair measure.
double cpu_seconds() {
    double total = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage usage{};
        ::getrusage(who, &usage);
        for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
            total += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
        }
    }
    return total;
}

struct Cost {
    double wall_s = 0;
    double cpu_s = 0;
};

Cost cost_of(const std::function<void()>& body) {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_begin = cpu_seconds();
    body();
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
            cpu_seconds() - cpu_begin};
}

Cost shell(const std::string& command) {
    return cost_of([&] {
        const auto result = io::run_command({"sh", "-c", command}, {.deadline_s = 600});
        if (!result.ok()) throw Error(command + ": " + result.error_output);
    });
}

/// Ratios above 1: faster than the yardstick.
void report(const std::string& what, uint64_t bytes, const Cost& cost, const Cost& yardstick) {
    std::printf("%-36s %6.2f s wall %6.2f s CPU %6.2f GB/s   yardstick: x%.2f wall, x%.2f CPU\n",
                what.c_str(), cost.wall_s, cost.cpu_s,
                static_cast<double>(bytes) / 1e9 / cost.wall_s, yardstick.wall_s / cost.wall_s,
                yardstick.cpu_s / cost.cpu_s);
    std::fflush(stdout);
}

tensor::Shape shape_of(uint64_t bytes) {
    return {static_cast<int64_t>(bytes / kTensors / 4 / 1024), 1024};
}

std::string name_of_tensor(int number) {
    return format("model.layers.{}.mlp.down_proj.weight", number);
}

Cost copy_synced(const fs::path& directory, const char* what, uint64_t bytes) {
    const std::string copy = directory.string() + ".copy";
    const Cost cost =
        shell(format("cp -r --sparse=never {} {} && sync {}/*", directory.string(), copy, copy));
    report(format("{} (yardstick)", what), bytes, cost, cost);
    fs::remove_all(copy);
    return cost;
}

/// ZeRO over two ranks; the values are the low bits of their index: no two blocks are alike.
void save(const fs::path& directory, uint64_t bytes) {
    const tensor::Shape shape = shape_of(bytes);
    std::vector<uint32_t> values(static_cast<size_t>(tensor::num_elements(shape)));
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = 0x3F000000u | (static_cast<uint32_t>(i) * 2654435761u >> 9);
    }
    const Cost saving = cost_of([&] {
        comm::run_threads(kRanks, [&](comm::World& world) {
            const auto range =
                tensor::split_evenly(tensor::num_elements(shape), kRanks, world.comm().rank());
            const auto part = std::as_bytes(std::span(values))
                                  .subspan(static_cast<size_t>(range.first) * 4,
                                           static_cast<size_t>(range.count) * 4);
            std::vector<ckpt::LocalSlice> slices;
            for (int t = 0; t < kTensors; ++t) {
                slices.push_back({name_of_tensor(t),
                                  ckpt::Kind::kMaster,
                                  tensor::DType::kF32,
                                  shape,
                                  {tensor::Box::whole(shape), range.first, range.count},
                                  part});
            }
            ckpt::Header header;
            header.hf_config_json = format(R"({{"num_hidden_layers":{}}})", kTensors);
            ckpt::save(directory, header, slices, world.comm());
        });
    });
    report("save, 2 ranks, synced", bytes, saving, copy_synced(directory, "cp and sync", bytes));
}

void load(const fs::path& directory, uint64_t bytes) {
    const Cost cat = shell(format("cat {}/*.h5 >/dev/null", directory.string()));
    report("cat >/dev/null (yardstick)", bytes, cat, cat);
    const auto checkpoint = ckpt::Checkpoint::open(directory);
    const auto whole = tensor::Slice::whole(tensor::Box::whole(shape_of(bytes)));
    std::vector<std::byte> buffer(static_cast<size_t>(whole.count) * 4);
    report("load, hashed, 1 thread", bytes, cost_of([&] {
               for (int t = 0; t < kTensors; ++t) {
                   checkpoint.read(name_of_tensor(t), ckpt::Kind::kMaster, whole,
                                   tensor::DType::kF32, buffer);
               }
           }),
           cat);
    report("verify, 2 threads", bytes,
           cost_of([&] { ckpt::verify_payload(checkpoint, {.threads = 2}); }), cat);
}

void reshard(const fs::path& directory, uint64_t bytes) {
    const Cost cp = copy_synced(directory, "cp and sync", bytes);
    for (const char* layout : {"dp_shard=3,zero=1", "tp=2,pp=2,dp_shard=3,zero=1"}) {
        const std::string target = directory.string() + ".to";
        std::string rss_kib;
        const Cost cost = cost_of([&] {
            const auto child = io::run_in_child(
                [&] {
                    ckpt::ReshardOptions options;
                    options.layout = ckpt::parse_layout(layout);
                    options.threads = 2;
                    options.memory_bytes = kReshardMemory;
                    ckpt::reshard(ckpt::Checkpoint::open(directory), target, options);
                    rusage usage{};
                    ::getrusage(RUSAGE_SELF, &usage);
                    return std::to_string(usage.ru_maxrss);
                },
                600);
            if (!child.ok()) throw Error("reshard: " + child.error_output);
            rss_kib = child.output;
        });
        report(format("reshard {}", layout), bytes, cost, cp);
        std::printf("    peak memory %ld MiB with --memory %lluMiB\n",
                    std::strtol(rss_kib.c_str(), nullptr, 10) / 1024,
                    static_cast<unsigned long long>(kReshardMemory >> 20));
        fs::remove_all(target);
    }
}

/// Slices of one tensor in a tp x dp layout.
std::vector<tensor::Slice> cut(const tensor::Shape& shape, int64_t tp, int64_t dp) {
    std::vector<tensor::Slice> slices;
    for (int64_t t = 0; t < tp; ++t) {
        for (const auto& box : ckpt::tp_boxes(shape, {1, 1, 0}, tp, t)) {
            for (int64_t d = 0; d < dp; ++d) {
                const auto range = tensor::split_evenly(box.num_elements(), dp, d);
                slices.push_back({box, range.first, range.count});
            }
        }
    }
    return slices;
}

void plan(const char* what, int64_t tp_from, int64_t dp_from, int64_t tp_to, int64_t dp_to) {
    const tensor::Shape shape{4096, 4096};
    const auto sources = cut(shape, tp_from, dp_from);
    const auto targets = cut(shape, tp_to, dp_to);
    uint64_t pieces = 0;
    double check_s = 0;
    const Cost cost = cost_of([&] {
        for (int t = 0; t < 1024; ++t) {
            const ckpt::SliceIndex index(sources);
            check_s += cost_of([&] { ckpt::check_cover("t", shape, index); }).cpu_s;
            for (const auto& target : targets) {
                index.overlapping(target, [&](uint32_t) { ++pieces; });
            }
        }
    });
    std::printf(
        "plan %-26s %5.2f s wall, %5.2f s CPU for 1024 tensors, %llu pieces, "
        "of it cover check %.2f s\n",
        what, cost.wall_s, cost.cpu_s, static_cast<unsigned long long>(pieces), check_s);
}

}  // namespace

int main(int argc, char** argv) {
    const fs::path folder = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path();
    const uint64_t bytes = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 512) << 20;
    std::string name = (folder / "ckpt_bench.XXXXXX").string();
    const fs::path work = ::mkdtemp(name.data());
    try {
        plan("1024 flat -> 768 flat", 1, 1024, 1, 768);
        plan("tp 8 x 128 -> tp 6 x 128", 8, 128, 6, 128);
        const fs::path directory = work / "step-1";
        save(directory, bytes);
        load(directory, bytes);
        reshard(directory, bytes);
    } catch (const Error& error) {
        std::fprintf(stderr, "ckpt_bench: %s\n", error.describe().c_str());
    }
    fs::remove_all(work);
    return 0;
}

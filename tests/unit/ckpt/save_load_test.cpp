// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "lib/base/error.h"
#include "lib/ckpt/latest.h"
#include "lib/ckpt/load.h"
#include "lib/ckpt/save.h"
#include "lib/ckpt/verify.h"
#include "lib/comm/world.h"
#include "lib/io/file.h"
#include "lib/store/h5.h"
#include "tests/unit/ckpt/support.h"

using namespace longhaul;
using namespace longhaul::ckpt;
using namespace longhaul::ckpt::test;
namespace fs = std::filesystem;

namespace {

void save_toy(const fs::path& directory, int tp, int zero, int64_t step, uint64_t salt) {
    comm::run_threads(tp * zero, [&](comm::World& world) {
        const ToyRank mine = toy_rank(tp, zero, world.comm().rank(), salt);
        Header header = toy_header(step);
        header.layout = {.tp = tp, .dp_shard = zero, .zero = zero > 1 ? 1 : 0};
        save(directory, header, mine.slices, world.comm());
    });
}

/// Reads every tensor in the cut of another layout and compares all bytes.
void check_toy(const Checkpoint& checkpoint, int tp, int zero, uint64_t salt) {
    for (int rank = 0; rank < tp * zero; ++rank) {
        for (const ToyTensor& tensor : toy_tensors()) {
            const tensor::Slice slice = toy_slice(tensor, tp, zero, rank % tp, rank / tp);
            for (const Kind kind : {Kind::kMaster, Kind::kM, Kind::kV}) {
                const auto wanted = slice_values(tensor.name, kind, tensor.shape, slice, salt);
                std::vector<std::byte> got(wanted.size());
                checkpoint.read(tensor.name, kind, slice, tensor::DType::kF32, got);
                REQUIRE(got == wanted);
            }
        }
    }
}

std::optional<int64_t> latest_step(const fs::path& folder) {
    std::optional<int64_t> step;
    comm::run_threads(1, [&](comm::World& world) {
        if (const auto found = latest(folder, world.comm())) step = found->header().step;
    });
    return step;
}

}  // namespace

TEST_CASE("save: any layout can be read in any other, bit for bit") {
    const TempDir dir;
    const std::pair<int, int> layouts[] = {{1, 1}, {2, 1}, {1, 3}, {3, 2}, {2, 5}, {1, 7}};
    for (const auto& [tp, zero] : layouts) {
        const fs::path directory = dir / format("step-{:08}", tp * 100 + zero);
        save_toy(directory, tp, zero, tp * 100 + zero, 1);
        const Checkpoint checkpoint = Checkpoint::open(directory);
        CHECK(checkpoint.header().cursor_json == toy_header(0).cursor_json);
        CHECK(checkpoint.header().config == toy_header(0).config);
        for (const auto& [other_tp, other_zero] : layouts) {
            check_toy(checkpoint, other_tp, other_zero, 1);
        }
    }
}

TEST_CASE("save: fingerprints do not depend on the layout") {
    const TempDir dir;
    save_toy(dir / "a", 1, 1, 1, 3);
    save_toy(dir / "b", 3, 4, 1, 3);
    CHECK(read_manifest(dir / "a").tensors == read_manifest(dir / "b").tensors);
}

TEST_CASE("save: containers are HDF5 files whose offsets are those of the manifest") {
    const TempDir dir;
    save_toy(dir / "c", 2, 2, 1, 3);
    const Manifest manifest = read_manifest(dir / "c");
    REQUIRE(manifest.files.size() == 4);
    const store::H5Reader reader(dir / "c" / manifest.files[0].name);
    const auto& info = reader.require("/m/embed.weight/0");
    bool found = false;
    for (const SliceEntry& slice : manifest.slices) {
        found |= slice.file == 0 && slice.byte_offset == info.byte_offset &&
                 slice_bytes(manifest, slice) == info.bytes;
    }
    CHECK(found);
}

TEST_CASE("save: an existing checkpoint is replaced whole and no wreck stays") {
    const TempDir dir;
    save_toy(dir / "step-00000005", 2, 1, 5, 1);
    save_toy(dir / "step-00000005", 1, 2, 5, 2);
    check_toy(Checkpoint::open(dir / "step-00000005"), 1, 1, 2);
    size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(dir.path())) ++entries;
    CHECK(entries == 1);
}

TEST_CASE("save: replicas that differ, holes and overlaps are refused on every rank") {
    const TempDir dir;
    const tensor::Shape shape{4};
    const std::vector<float> a{1, 2, 3, 4};
    const std::vector<float> b{1, 2, 3, 5};
    const auto slice_of = [&](const std::vector<float>& values, int64_t first, int64_t count) {
        return LocalSlice{
            "w",
            Kind::kMaster,
            tensor::DType::kF32,
            shape,
            {tensor::Box::whole(shape), first, count},
            std::as_bytes(std::span(values))
                .subspan(static_cast<size_t>(first) * 4, static_cast<size_t>(count) * 4)};
    };
    const auto attempt = [&](const LocalSlice& first, const LocalSlice& second) {
        std::vector<std::string> messages(2);
        comm::run_threads(2, [&](comm::World& world) {
            const std::vector<LocalSlice> mine{world.comm().rank() == 0 ? first : second};
            try {
                save(dir / "step-00000001", toy_header(1), mine, world.comm());
            } catch (const SaveError& error) {
                messages[static_cast<size_t>(world.comm().rank())] = error.describe();
            }
        });
        CHECK(messages[0] == messages[1]);
        CHECK_FALSE(fs::exists(dir / "step-00000001"));
        return messages[0];
    };
    CHECK(attempt(slice_of(a, 0, 4), slice_of(b, 0, 4)).find("replicas on rank 0 and rank 1") !=
          std::string::npos);
    CHECK(attempt(slice_of(a, 0, 2), slice_of(a, 3, 1)).find("missing") != std::string::npos);
    CHECK(attempt(slice_of(a, 0, 3), slice_of(a, 2, 2)).find("overlap") != std::string::npos);
    LocalSlice short_one = slice_of(a, 0, 4);
    short_one.bytes = short_one.bytes.first(8);
    CHECK(attempt(slice_of(a, 0, 4), short_one).find("rank 1") != std::string::npos);
}

TEST_CASE("latest: damaged checkpoints are passed over for the newest valid one") {
    const TempDir dir;
    CHECK_FALSE(latest_step(dir / "nothing"));
    for (const int64_t step : {10, 20, 30, 40}) {
        save_toy(dir / format("step-{:08}", step), 2, 1, step, 1);
    }
    CHECK(latest_step(dir.path()) == 40);
    fs::remove(dir / "step-00000040" / kManifestName);  // no manifest
    CHECK(latest_step(dir.path()) == 30);
    const fs::path file = dir / "step-00000030" / "rank-00001.h5";  // truncated container
    fs::resize_file(file, fs::file_size(file) - 1);
    CHECK(latest_step(dir.path()) == 20);
    const fs::path manifest = dir / "step-00000020" / kManifestName;  // torn manifest
    fs::resize_file(manifest, fs::file_size(manifest) / 2);
    CHECK(latest_step(dir.path()) == 10);
    fs::remove(dir / "step-00000010" / "rank-00000.h5");  // missing file
    CHECK_THROWS_WITH_AS(latest_step(dir.path()),
                         doctest::Contains("none can be loaded (cannot open"), Error);
    const auto all = list_checkpoints(dir.path());
    REQUIRE(all.size() == 4);
    CHECK(all[1].reason.find("rank-00001.h5") != std::string::npos);
    CHECK(all[2].reason.find("does not end in its own hash") != std::string::npos);
}

TEST_CASE("latest: a checkpoint that is refused is passed over, one that cannot be read is not") {
    const TempDir dir;
    for (const int64_t step : {10, 20, 30}) {
        save_toy(dir / format("step-{:08}", step), 2, 1, step, 1);
    }
    std::vector<int64_t> tried;
    const auto load_from = [&](int64_t sound) {
        bool found = false;
        comm::run_threads(1, [&](comm::World& world) {
            found = load_latest(dir.path(), world.comm(), [&](const Checkpoint& checkpoint) {
                tried.push_back(checkpoint.header().step);
                return checkpoint.header().step == sound ? "" : "flipped";
            });
        });
        return found;
    };
    CHECK(load_from(10));
    CHECK(tried == std::vector<int64_t>{30, 20, 10});
    CHECK_THROWS_WITH_AS(load_from(5), doctest::Contains("3 checkpoints in"), Error);
    const fs::path manifest = dir / "step-00000030" / kManifestName;
    fs::remove(manifest);
    fs::create_symlink(kManifestName, manifest);  // ELOOP stands for EACCES, EIO, ESTALE
    CHECK_THROWS_WITH_AS(load_from(10), doctest::Contains(manifest.c_str()), Error);
}

TEST_CASE("load: a flipped bit is named with tensor, file and offset") {
    const TempDir dir;
    save_toy(dir / "step-00000001", 1, 1, 1, 1);
    const Manifest manifest = read_manifest(dir / "step-00000001");
    const SliceEntry& slice = manifest.slices[0];
    const fs::path file = dir / "step-00000001" / manifest.files[slice.file].name;
    {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekg(static_cast<std::streamoff>(slice.byte_offset) + 7);
        const int old = stream.get();
        stream.seekp(static_cast<std::streamoff>(slice.byte_offset) + 7);
        stream.put(static_cast<char>(old ^ 1));
    }
    const Checkpoint checkpoint = Checkpoint::open(dir / "step-00000001");
    const TensorEntry& tensor = manifest.tensors[slice.tensor];
    std::vector<std::byte> out(static_cast<size_t>(tensor::num_elements(tensor.shape)) * 4);
    const auto whole = tensor::Slice::whole(tensor::Box::whole(tensor.shape));
    try {
        checkpoint.read(tensor.name, tensor.kind, whole, tensor.dtype, out);
        FAIL("must throw");
    } catch (const DataError& error) {
        const std::string text = error.describe();
        CHECK(text.find(tensor.name) != std::string::npos);
        CHECK(text.find("rank-00000.h5 at byte") != std::string::npos);
    }
    CHECK_THROWS_AS(checkpoint.read("nothing", Kind::kMaster, whole, tensor.dtype, out), DataError);
}

TEST_CASE("load: a single flipped bit anywhere in the manifest is noticed") {
    const TempDir dir;
    save_toy(dir / "step-00000001", 1, 1, 1, 1);
    const std::string text = io::read_text_file(dir / "step-00000001" / kManifestName);
    for (size_t i = 0; i < text.size(); i += 3) {
        std::string bad = text;
        bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
        CHECK_THROWS_AS(parse_manifest(bad, "M"), DataError);
    }
    CHECK(parse_manifest(text, "M").header.step == 1);
}

TEST_CASE("save: a folder that can not be written is one error on all ranks") {
    if (::geteuid() == 0) return;  // root writes everywhere; tests/cli has a case with a small disk
    const TempDir dir;
    ::chmod(dir.path().c_str(), 0500);
    int failures = 0;
    comm::run_threads(1, [&](comm::World& world) {
        const ToyRank mine = toy_rank(1, 1, 0, 1);
        try {
            save(dir / "step-00000001", toy_header(1), mine.slices, world.comm());
        } catch (const SaveError& error) {
            failures += error.error_number() == EACCES;
        }
    });
    ::chmod(dir.path().c_str(), 0700);
    CHECK(failures == 1);
}

TEST_CASE("v1: checkpoints of the first version stay readable") {
    const fs::path samples = fs::path(std::getenv("LONGHAUL_TEST_DATA")) / "ckpt" / "v1";
    const Checkpoint toy = Checkpoint::open(samples / "step-00000020");
    CHECK(toy.header().step == 20);
    CHECK(toy.header().seed == 42);
    check_toy(toy, 3, 2, 1);
    const Checkpoint gpt2 = Checkpoint::open(samples / "gpt2-tp2-zero2");
    CHECK(gpt2.header().layout == Layout{.tp = 2, .dp_shard = 2, .zero = 1});
    CHECK(gpt2.manifest().tensors.size() == 28);
    for (const Checkpoint& checkpoint : {toy, gpt2}) {
        CHECK(record::exit_code(diagnose(checkpoint.directory())) == ExitCode::kOk);
        CHECK(verify_payload(checkpoint, {}).empty());
    }
}

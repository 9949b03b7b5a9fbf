// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/output_folder.h"

#include <filesystem>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/shards/format.h"

namespace longhaul::tokenize {

namespace {

namespace fs = std::filesystem;

/// A file that tok-shard writes: shards, the merged Megatron files (whose plan.json is there), the
/// index of MDS.
bool is_ours(const std::string& name) {
    const std::string ending = fs::path(name).extension().string();
    const bool is_shard =
        ending == ".h5" || ending == ".bin" || ending == ".idx" || ending == ".mds";
    if (name.starts_with("shard-") && is_shard) return true;
    return name == "index.json" || name == "tokens.bin" || name == "tokens.idx" ||
           name == kPartialBin;
}

/// Removes what an earlier run left, under --force.
void remove_output(const fs::path& folder) {
    fs::remove(folder / "manifest.json");
    fs::remove(folder / "plan.json");
    fs::remove_all(folder / ".units");
    fs::remove_all(folder / "tokenizer");
    if (!fs::exists(folder)) return;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (is_ours(name)) fs::remove(entry.path());
        if (name.starts_with(".") && name.find(".tmp-") != std::string::npos) {
            fs::remove_all(entry.path());  // of a killed run
        }
    }
}

/// Whether the file is a manifest of token shards.
bool is_our_manifest(const fs::path& path) {
    try {
        return record::read_manifest(path).kind == shards::kManifestKind;
    } catch (const Error&) {  // missing, damaged, or a file of another program
        return false;
    }
}

/// Whether all that --force removes is what tok-shard wrote. One of the two may be damaged.
bool is_our_output(const fs::path& folder) {
    return is_our_manifest(folder / "plan.json") || is_our_manifest(folder / "manifest.json");
}

record::Manifest read_plan(const fs::path& path) {
    try {
        return record::read_manifest(path);
    } catch (const Error& error) {
        throw UsageError(format("{}; {}", error.describe(),
                                is_our_manifest(path.parent_path() / "manifest.json")
                                    ? "tok-shard --force makes the shards again"
                                    : "not a plan of tok-shard: use another output"));
    }
}

void check_same(const fs::path& there, const record::Manifest& asked) {
    const record::Manifest made = read_plan(there);
    auto difference = record::first_difference(made, asked);
    for (size_t i = 0; !difference && i < asked.inputs.size(); ++i) {
        if (made.inputs[i].bytes != asked.inputs[i].bytes) {
            difference = format("input {} had {} bytes then, it has {} now", asked.inputs[i].path,
                                made.inputs[i].bytes, asked.inputs[i].bytes);
        }
    }
    if (difference) {
        throw UsageError(format("{} was made differently: {}; use another output or --force",
                                there.parent_path().string(), *difference));
    }
}

/// The name of something in the folder that no run of ours has put there, or "".
std::string foreign_entry(const fs::path& folder) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        std::string name = entry.path().filename().string();
        if (!name.starts_with(".")) return name;  // ours: .units, .*.tmp-* of another task
    }
    return "";
}

}  // namespace

bool prepare_output(const std::string& output, bool force, Task task,
                    const record::Manifest& asked) {
    const fs::path folder(output), plan = folder / "plan.json";
    if (force && task.count > 1) {
        throw UsageError(
            format("--force would remove what other tasks write; remove {} instead", output));
    }
    // Looked up before the plan: another task may be writing it at this moment.
    const std::string foreign = foreign_entry(folder);
    const bool has_place = force ? is_our_output(folder) : fs::exists(plan);
    if (!foreign.empty() && !has_place) {
        throw UsageError(
            format("{} holds \"{}\" and no plan.json of tok-shard: not an output of tok-shard; use "
                   "an empty folder",
                   output, foreign));
    }
    if (force) remove_output(folder);
    if (fs::exists(plan)) {
        check_same(plan, asked);
        return fs::exists(folder / "manifest.json");
    }
    record::write_manifest(plan, asked);
    return false;
}

}  // namespace longhaul::tokenize

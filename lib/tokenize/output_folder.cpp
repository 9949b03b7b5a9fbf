// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/output_folder.h"

#include <filesystem>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"

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

void check_same(const fs::path& there, const record::Manifest& asked) {
    const record::Manifest made = record::read_manifest(there);
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
    if (force) remove_output(folder);
    const std::string foreign = foreign_entry(folder);
    if (fs::exists(plan)) {
        check_same(plan, asked);
        return fs::exists(folder / "manifest.json");
    }
    if (!foreign.empty()) {
        throw UsageError(
            format("{} holds \"{}\" and no plan.json: not an output of tok-shard; use "
                   "an empty folder",
                   output, foreign));
    }
    record::write_manifest(plan, asked);
    return false;
}

}  // namespace longhaul::tokenize

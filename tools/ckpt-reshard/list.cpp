// SPDX-License-Identifier: BSD-3-Clause
// ls and show: what checkpoints there are, and what is in one.
#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/ckpt/locate.h"
#include "lib/ckpt/reshard_plan.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "tools/ckpt-reshard/commands.h"

namespace longhaul::ckpt_reshard {
namespace {

namespace fs = std::filesystem;
using io::Json;

Json summary_json(const fs::path& directory, const ckpt::Manifest& manifest) {
    const ckpt::Header& header = manifest.header;
    return {{"schema", 1},
            {"directory", directory.string()},
            {"step", header.step},
            {"class", header.checkpoint_class},
            {"health", header.health},
            {"layout", ckpt::layout_text(header.layout)},
            {"bytes", ckpt::total_bytes(manifest)},
            {"files", manifest.files.size()},
            {"tensors", manifest.tensors.size()},
            {"self", manifest.self.hex()}};
}

void list_one(const ckpt::Candidate& candidate, bool json) {
    if (!candidate.is_loadable()) {
        if (json) {
            cli::print(io::to_line({{"schema", 1},
                                    {"directory", candidate.directory.string()},
                                    {"step", candidate.step},
                                    {"reason", candidate.reason}}) +
                       "\n");
        } else {
            cli::print_line("{:<24} NOT LOADABLE: {}", candidate.directory.filename().string(),
                            candidate.reason);
        }
        return;
    }
    const ckpt::Manifest manifest = ckpt::read_manifest(candidate.directory);
    if (json) {
        cli::print(io::to_line(summary_json(candidate.directory, manifest)) + "\n");
        return;
    }
    const ckpt::Header& header = manifest.header;
    cli::print_line("{:<24} step {:>9}  {:>10}  {:<9}  {:<8}  {}",
                    candidate.directory.filename().string(), header.step,
                    human_bytes(ckpt::total_bytes(manifest)), header.checkpoint_class,
                    header.health, ckpt::layout_text(header.layout));
}

/// The header's text that was given as JSON, as JSON again; null when there is none.
Json member(const std::string& json) {
    return json.empty() ? Json(nullptr) : io::parse_json(json, "header");
}

void show_json(const fs::path& directory, const ckpt::Manifest& manifest) {
    Json object = summary_json(directory, manifest);
    const ckpt::Header& header = manifest.header;
    object["writer"] = header.writer;
    object["seed"] = header.seed;
    object["parent"] =
        header.parent.directory.empty()
            ? Json(nullptr)
            : Json{{"directory", header.parent.directory}, {"self", header.parent.self.hex()}};
    object["data"] = Json::array();
    for (const auto& item : header.data) {
        object["data"].push_back({{"path", item.path}, {"xxh3_128", item.hash.hex()}});
    }
    object["cursor"] = member(header.cursor_json);
    object["schedule"] = member(header.schedule_json);
    object["changes"] = member(header.changes_json);
    object["hf_config"] = member(header.hf_config_json);
    object["config"] = header.config;
    cli::print(io::to_line(object) + "\n");
}

void show_header(const fs::path& directory, const ckpt::Manifest& manifest) {
    const ckpt::Header& header = manifest.header;
    cli::print_line("directory  {}", directory.string());
    cli::print_line("step       {}", header.step);
    cli::print_line("class      {}   health {}   written by {}", header.checkpoint_class,
                    header.health, header.writer);
    cli::print_line("layout     {}", ckpt::layout_text(header.layout));
    cli::print_line("content    {} tensors, {} in {} slices, {} files", manifest.tensors.size(),
                    human_bytes(ckpt::total_bytes(manifest)), manifest.slices.size(),
                    manifest.files.size());
    cli::print_line("self       {}", manifest.self.hex());
    if (!header.parent.directory.empty()) {
        cli::print_line("parent     {} ({})", header.parent.directory, header.parent.self.hex());
    }
    for (const auto& item : header.data) {
        cli::print_line("data       {} ({})", item.path, item.hash.hex());
    }
    cli::print_line("seed       {}", header.seed);
    if (!header.cursor_json.empty()) cli::print_line("cursor     {}", header.cursor_json);
    if (!header.schedule_json.empty()) cli::print_line("schedule   {}", header.schedule_json);
    if (!header.changes_json.empty()) cli::print_line("changes    {}", header.changes_json);
}

std::string shape_text(const tensor::Shape& shape) {
    std::string text;
    for (const int64_t extent : shape) text += format("{}{}", text.empty() ? "" : "x", extent);
    return text.empty() ? "scalar" : text;
}

void show_tensors(const ckpt::Manifest& manifest) {
    for (const ckpt::TensorEntry& tensor : manifest.tensors) {
        cli::print_line("{:<6} {:<4} {:>14}  {}  {}", ckpt::name_of(tensor.kind),
                        tensor::name_of(tensor.dtype), shape_text(tensor.shape),
                        tensor.fingerprint.hex(), tensor.name);
    }
}

void show_lineage(const fs::path& directory, bool json) {
    for (const ckpt::Ancestor& ancestor : ckpt::lineage(directory)) {
        if (json) {
            Json object = ancestor.is_found
                              ? summary_json(ancestor.directory, ancestor.manifest)
                              : Json{{"schema", 1}, {"directory", ancestor.directory.string()}};
            object["found"] = ancestor.is_found;
            cli::print(io::to_line(object) + "\n");
        } else if (!ancestor.is_found) {
            const bool is_model = fs::exists(ancestor.directory / "config.json");
            cli::print_line("{}  ({})", ancestor.directory.string(),
                            is_model ? "Hugging Face model" : "not found any more");
        } else {
            const ckpt::Header& header = ancestor.manifest.header;
            const bool has_changes = !header.changes_json.empty() && header.changes_json != "[]";
            cli::print_line("{}  step {}  {}  by {}{}{}", ancestor.directory.string(), header.step,
                            ckpt::layout_text(header.layout), header.writer,
                            has_changes ? "  changes " : "",
                            has_changes ? header.changes_json : "");
        }
    }
}

}  // namespace

ExitCode run_ls(const cli::Args& args) {
    std::string path;
    bool json = false;
    cli::CommonOptions common;
    cli::Command command("ckpt-reshard ls", "list the checkpoints of a run");
    command.positional("DIR", path, "run directory or folder of step-* directories").required();
    command.flag("--json", json, "a JSON object for each checkpoint");
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);
    if (!fs::is_directory(path)) throw UsageError(format("{}: no such directory", path));
    const auto candidates =
        ckpt::list_checkpoints(ckpt::checkpoint_folder(path), ckpt::Unreadable::kReport);
    if (candidates.empty()) log::warn("{}: no checkpoints in it", path);
    bool any = false;
    for (const ckpt::Candidate& candidate : candidates) {
        any |= candidate.is_loadable();
        list_one(candidate, json);
    }
    return any ? ExitCode::kOk : ExitCode::kNegative;
}

ExitCode run_show(const cli::Args& args) {
    std::string path;
    bool json = false;
    bool tensors = false;
    bool config = false;
    bool line = false;
    cli::CommonOptions common;
    cli::Command command("ckpt-reshard show", "what is in a checkpoint, and where it comes from");
    command.positional("CKPT", path, "checkpoint, or a folder of them: its newest").required();
    command.flag("--tensors", tensors, "list the tensors with their fingerprints");
    command.flag("--run-config", config, "print only the effective run.toml");
    command.flag("--lineage", line, "this checkpoint and its ancestors, newest first");
    command.flag("--json", json, "one JSON object (with --lineage one for each ancestor)");
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);
    const fs::path directory = ckpt::locate_checkpoint(path);
    if (line) {
        show_lineage(directory, json);
        return ExitCode::kOk;
    }
    const ckpt::Manifest manifest = ckpt::read_manifest(directory);
    if (config && json) {
        cli::print(io::to_line({{"schema", 1},
                                {"directory", directory.string()},
                                {"config", manifest.header.config}}) +
                   "\n");
    } else if (config) {
        cli::print(manifest.header.config);
    } else if (json) {
        show_json(directory, manifest);
    } else {
        show_header(directory, manifest);
        if (tensors) show_tensors(manifest);
    }
    return ExitCode::kOk;
}

}  // namespace longhaul::ckpt_reshard

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/check_paths.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/stream.h"
#include "lib/record/manifest.h"
#include "lib/record/report.h"

namespace longhaul::dedup {

namespace {

namespace fs = std::filesystem;

/// A file that the run writes or reads, and what it is to the user.
struct NamedPath {
    std::string role;
    fs::path path;
    fs::path canonical;

    NamedPath(std::string role_in, const fs::path& path_in)
        : role(std::move(role_in)), path(path_in), canonical(fs::weakly_canonical(path_in)) {}
};

bool is_same_file(const NamedPath& a, const fs::path& b) {
    if (a.canonical == fs::absolute(b).lexically_normal()) return true;
    return fs::exists(a.path) && fs::exists(b) && fs::equivalent(a.path, b);
}

/// The files that are asked beside the output.
std::vector<NamedPath> extras_of(const Options& options) {
    std::vector<NamedPath> extras;
    if (!options.removal_list.empty()) extras.emplace_back("--removal-list", options.removal_list);
    if (!options.report.empty()) extras.emplace_back("--report", options.report);
    if (!options.manifest.empty()) extras.emplace_back("--manifest", options.manifest);
    return extras;
}

/// Everything that is written except the documents in a folder.
std::vector<NamedPath> written_files(const Options& options, Target target) {
    std::vector<NamedPath> written = extras_of(options);
    if (!options.removal_list.empty()) {
        written.emplace_back("the manifest of --removal-list",
                             options.removal_list + ".manifest.json");
    }
    if (target == Target::kFile) {
        written.emplace_back("--output", options.output);
        written.emplace_back("the manifest of --output", options.output + ".manifest.json");
    }
    if (target == Target::kFolder) {
        written.emplace_back("the manifest of --output",
                             fs::path(options.output) / "manifest.json");
    }
    return written;
}

void refuse_one_for_two(const NamedPath& a, const NamedPath& b) {
    if (a.canonical != b.canonical && !is_same_file(a, b.path)) return;
    throw UsageError(
        format("{} and {} would both be written to {}", a.role, b.role, a.path.string()));
}

void check_distinct(const Options& options, const Inputs& inputs, Target target) {
    const std::vector<NamedPath> written = written_files(options, target);
    for (size_t i = 0; i < written.size(); ++i) {
        for (size_t j = 0; j < i; ++j) refuse_one_for_two(written[j], written[i]);
        for (size_t k = 0; k < inputs.size(); ++k) {
            if (inputs[k].is_stream || !is_same_file(written[i], inputs[k].path)) continue;
            throw UsageError(format("{} {} is an input; give another name", written[i].role,
                                    written[i].path.string()));
        }
        for (const std::string& parent : options.parents) {
            if (!is_same_file(written[i], parent)) continue;
            throw UsageError(format("{} {} is a --parent; give another name", written[i].role,
                                    written[i].path.string()));
        }
    }
    if (target != Target::kFolder) return;
    for (const std::string& name : mirrored_names(inputs)) {
        const NamedPath file("--output", fs::path(options.output) / name);
        for (const NamedPath& other : written) refuse_one_for_two(other, file);
    }
}

/// Removal lists begin so; an empty one is nobody's loss. It may lack its manifest after a crash.
bool is_removal_list(const std::string& path) {
    constexpr std::string_view kBegin = "{\"file\":\"";
    try {
        std::array<std::byte, kBegin.size()> bytes{};
        const size_t n = io::open_input(path)->read(bytes);
        const std::string_view begin(reinterpret_cast<const char*>(bytes.data()), n);
        return begin.empty() || begin == kBegin;
    } catch (const DataError&) {  // a damaged container
        return false;
    }
}

bool is_manifest(const std::string& path) {
    try {
        return record::read_manifest(path).tool == "dedup-minhash";
    } catch (const Error&) {
        return fs::file_size(path) == 0;
    }
}

void refuse_to_replace(const std::string& role, const std::string& path) {
    throw UsageError(
        format("{}: {} exists and was not made by dedup-minhash; use another name or "
               "--force",
               role, path));
}

/// True when a killed run left its begun manifest beside the file.
bool has_begun_manifest(const fs::path& output) {
    const std::string prefix = format(".{}.manifest.json.tmp-", output.filename().string());
    std::error_code error;
    const fs::path folder = output.has_parent_path() ? output.parent_path() : ".";
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().filename().string().starts_with(prefix)) return true;
    }
    return false;
}

void check_replaced(const Options& options, Target target) {
    if (options.is_forced) return;
    if (target == Target::kFile && fs::exists(options.output) &&
        fs::file_size(options.output) > 0 && !fs::exists(options.output + ".manifest.json") &&
        !has_begun_manifest(options.output)) {
        throw UsageError(
            format("--output: {} exists and has no manifest, so it may be anything; "
                   "use another name or --force",
                   options.output));
    }
    if (fs::exists(options.removal_list) && !is_removal_list(options.removal_list)) {
        refuse_to_replace("--removal-list", options.removal_list);
    }
    if (fs::is_regular_file(options.report) &&
        !record::is_report(options.report, "dedup-minhash")) {
        refuse_to_replace("--report", options.report);
    }
    if (fs::exists(options.manifest) && !is_manifest(options.manifest)) {
        refuse_to_replace("--manifest", options.manifest);
    }
}

void refuse_unknown_compression(const std::string& role, const std::string& path) {
    const std::string extension = fs::path(path).extension().string();
    for (const char* const unknown : {".bz2", ".xz", ".lzma", ".lz4", ".br", ".zip", ".zstd"}) {
        if (extension != unknown) continue;
        throw UsageError(
            format("{}: {}: {} is not written; known: .gz and .zst", role, path, extension));
    }
}

void check_names(const Options& options, Target target) {
    for (const NamedPath& extra : extras_of(options)) {
        const std::string path = extra.path.string();
        if (path == "-") throw UsageError(format("{} - : give the name of a file", extra.role));
        if (fs::exists(extra.path) && !fs::is_regular_file(extra.path)) {
            throw UsageError(format("{}: {} is not a file", extra.role, path));
        }
    }
    if (target == Target::kFile) refuse_unknown_compression("--output", options.output);
    refuse_unknown_compression("--removal-list", options.removal_list);
    const fs::path spill = SpillArea(options.tmp_dir).folder();
    if (!fs::is_directory(spill)) {
        throw UsageError(format("{} is no folder for temporary files; see --tmp-dir and TMPDIR",
                                spill.string()));
    }
}

/// --annotate adds a member to JSON objects.
void check_annotate(const Options& options, const Inputs& inputs, Target target) {
    if (options.annotate.empty()) return;
    if (target == Target::kNone) throw UsageError("--annotate needs -o OUT");
    if (options.annotate == options.reader.text_field) {
        throw UsageError(
            format("--annotate {}: the member of that name holds the text", options.annotate));
    }
    if (options.annotate.find_first_of("\"\\") != std::string::npos ||
        std::any_of(options.annotate.begin(), options.annotate.end(),
                    [](unsigned char c) { return c < 0x20; })) {
        throw UsageError(format("--annotate \"{}\": no quotes, backslashes or control characters",
                                options.annotate));
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].layout == corpus::Layout::kJsonLines) continue;
        throw UsageError(format("--annotate: {} is text, not JSON Lines", inputs[i].name));
    }
}

}  // namespace

void check_paths(const Options& options, const Inputs& inputs, Target target) {
    check_names(options, target);
    check_annotate(options, inputs, target);
    check_distinct(options, inputs, target);
    check_replaced(options, target);
    if (target == Target::kFile || target == Target::kFolder) {
        refuse_inside_inputs("--output", options.output, options);
    }
    if (!options.removal_list.empty()) {
        refuse_inside_inputs("--removal-list", options.removal_list, options);
    }
}

void refuse_inside_inputs(const std::string& role, const std::string& path,
                          const Options& options) {
    for (const std::string& input : options.inputs) {
        if (input == "-" || !fs::is_directory(input)) continue;
        const fs::path inside =
            fs::weakly_canonical(fs::absolute(path)).lexically_relative(fs::canonical(input));
        if (inside.empty() || *inside.begin() == "..") continue;
        throw UsageError(
            format("{} {} is inside the input folder {}, where the next run would read it; give "
                   "another place",
                   role, path, input));
    }
}

namespace {

/// Tries to write into the folder, or where it would be made. Nothing is made that would have to be
/// removed again: other ranks and tasks do the same at this moment.
void probe_folder(const fs::path& folder) {
    fs::path target = fs::absolute(folder).lexically_normal() / "manifest.json";
    std::error_code ignored;
    while (!fs::exists(target.parent_path(), ignored) && target.has_relative_path()) {
        target = target.parent_path();
    }
    const io::AtomicFile probe(target);
}

}  // namespace

void probe_paths(const Options& options, Target target) {
    const fs::path inside = fs::weakly_canonical(fs::path(options.output) / "x").parent_path();
    for (const NamedPath& extra : extras_of(options)) {
        if (target == Target::kFolder && extra.canonical.parent_path() == inside) {
            io::create_directories(options.output);
        }
        with_context([&] { const io::AtomicFile probe(extra.path); }, "{} {}", extra.role,
                     extra.path.string());
    }
    if (target == Target::kFolder) {
        with_context([&] { probe_folder(options.output); }, "--output {}", options.output);
    }
    if (target == Target::kFile) {
        with_context([&] { const io::AtomicFile probe(options.output); }, "--output {}",
                     options.output);
    }
}

}  // namespace longhaul::dedup

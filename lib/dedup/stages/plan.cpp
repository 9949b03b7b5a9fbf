// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/plan.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/dedup/options_json.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kGiB = uint64_t{1} << 30;
constexpr int kFormat = 1;

/// @throws IoError
int64_t mtime_ns(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) throw IoError("cannot open " + path);
    return int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

uint64_t total_bytes(const Plan& plan) {
    uint64_t total = 0;
    for (const PlannedInput& input : plan.inputs) total += input.bytes;
    return total;
}

void cut_into_units(Plan& plan, const PlanRequest& request) {
    const uint64_t total = total_bytes(plan);
    uint64_t unit_bytes = request.unit_bytes > 0 ? request.unit_bytes : 4 * kGiB;
    if (request.num_units > 0) {
        unit_bytes = (total + request.num_units - 1) / request.num_units;
    }
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan.inputs.size(); ++i) {
        const uint64_t next = plan.inputs[i].bytes;
        // A file goes where more of it fits.
        const bool is_full = bytes > 0 && bytes + next / 2 > unit_bytes;
        const bool may_cut =
            request.num_units == 0 || plan.unit_ends.size() + 1 < request.num_units;
        if (is_full && may_cut) {
            plan.unit_ends.push_back(i);
            bytes = 0;
        }
        bytes += next;
    }
    plan.unit_ends.push_back(plan.inputs.size());
}

io::Json inputs_json(const Plan& plan) {
    io::Json inputs = io::Json::array();
    for (const PlannedInput& input : plan.inputs) {
        io::Json entry = {
            {"path", input.path}, {"bytes", input.bytes}, {"mtime_ns", input.mtime_ns}};
        if (input.is_stream) entry["stream"] = true;
        inputs.push_back(std::move(entry));
    }
    return inputs;
}

io::Json indexes_json(const Plan& plan) {
    io::Json indexes = io::Json::array();
    for (const IndexRef& index : plan.options.against) {
        indexes.push_back({{"work", index.work},
                           {"content", index.content},
                           {"plan", index.plan},
                           {"units", index.num_units}});
    }
    return indexes;
}

io::Json plan_json(const Plan& plan) {
    return {{"format", kFormat},
            {"tool", "dedup-minhash"},
            {"options", options_json(plan.options)},
            {"indexes", indexes_json(plan)},
            {"folder", plan.folder},
            {"splits", plan.num_splits},
            {"unit_ends", plan.unit_ends},
            {"inputs", inputs_json(plan)}};
}

Plan plan_from_json(const io::Json& json, const std::string& source) {
    if (io::require<int>(json, "format", source) != kFormat) {
        throw DataError(format("{}: format {}, but this program knows {}", source,
                               io::require<int>(json, "format", source), kFormat));
    }
    Plan plan;
    plan.options = options_from_json(io::require<io::Json>(json, "options", source), source);
    for (const io::Json& entry : io::require<io::Json>(json, "indexes", source)) {
        plan.options.against.push_back({io::require<std::string>(entry, "work", source),
                                        io::require<std::string>(entry, "content", source),
                                        io::require<std::string>(entry, "plan", source),
                                        io::require<uint64_t>(entry, "units", source)});
    }
    plan.folder = io::require<std::string>(json, "folder", source);
    plan.num_splits = io::require<uint64_t>(json, "splits", source);
    plan.unit_ends = io::require<std::vector<uint64_t>>(json, "unit_ends", source);
    for (const io::Json& entry : io::require<io::Json>(json, "inputs", source)) {
        plan.inputs.push_back({io::require<std::string>(entry, "path", source),
                               io::require<uint64_t>(entry, "bytes", source),
                               io::require<int64_t>(entry, "mtime_ns", source),
                               entry.value("stream", false)});
    }
    const bool is_sound = !plan.unit_ends.empty() && plan.num_splits > 0 &&
                          std::is_sorted(plan.unit_ends.begin(), plan.unit_ends.end()) &&
                          plan.unit_ends.back() == plan.inputs.size();
    if (!is_sound) throw DataError(format("{}: its units do not fit its inputs", source));
    return plan;
}

}  // namespace

Plan make_plan(const Options& options, const Inputs& inputs, const PlanRequest& request) {
    Plan plan;
    plan.options = options_from_json(options_json(options), "options");
    plan.options.against = options.against;
    plan.folder = fs::current_path().string();
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Input& input = inputs[i];
        plan.inputs.push_back(
            {input.path, input.bytes, input.is_stream ? 0 : mtime_ns(input.path), input.is_stream});
    }
    cut_into_units(plan, request);
    // A band of 64 GiB of compressed text has some 50 million keys of 14 bytes.
    plan.num_splits = request.num_splits > 0
                          ? request.num_splits
                          : std::clamp<uint64_t>(total_bytes(plan) / (64 * kGiB), 1, 64);
    plan.hash = xxh3_128(io::to_pretty(plan_json(plan)));
    return plan;
}

fs::path plan_path(const fs::path& work) {
    return work / "plan.json";
}

std::string plan_text(const Plan& plan) {
    io::Json json = plan_json(plan);
    json["self"] = plan.hash.hex();
    return io::to_pretty(json);
}

Plan read_plan(const fs::path& work) {
    const fs::path path = plan_path(work);
    if (!fs::exists(path)) {
        throw UsageError(format("{} is missing; run \"dedup-minhash plan {} INPUT...\" first",
                                path.string(), work.string()));
    }
    const std::string text = io::read_text_file(path);
    const std::string source = path.string();
    Plan plan = with_context([&] { return plan_from_json(io::parse_json(text, source), source); },
                             "reading the plan");
    plan.hash = xxh3_128(io::to_pretty(plan_json(plan)));
    if (plan_text(plan) != text) {
        throw DataError(
            format("{} is damaged (its hash is not that of its content); make the "
                   "plan again in a new folder",
                   source));
    }
    return plan;
}

namespace {

/// "options: bands: 14 there, 20 asked": the first member that differs.
std::string first_difference(const io::Json& there, const io::Json& asked,
                             const std::string& place) {
    if (there.is_object() && asked.is_object()) {
        for (const auto& [key, value] : asked.items()) {
            const auto other = there.find(key);
            if (other != there.end() && *other == value) continue;
            const std::string name = place.empty() ? key : format("{}: {}", place, key);
            if (other == there.end()) return name + " is new";
            return first_difference(*other, value, name);
        }
    }
    if (there.is_array() && asked.is_array()) {
        if (there.size() != asked.size()) {
            return format("{}: {} there, {} asked", place, there.size(), asked.size());
        }
        for (size_t i = 0; i < asked.size(); ++i) {
            if (there[i] == asked[i]) continue;
            return first_difference(there[i], asked[i], format("{} {}", place, i));
        }
    }
    return format("{}: {} there, {} asked", place, io::to_line(there), io::to_line(asked));
}

/// Other inputs make other units: what the user changed comes first.
std::string difference_of(const Plan& there, const Plan& asked) {
    const io::Json inputs = inputs_json(asked);
    if (inputs_json(there) != inputs) return first_difference(inputs_json(there), inputs, "inputs");
    return first_difference(plan_json(there), plan_json(asked), "");
}

bool has_stage_files(const fs::path& work) {
    for (const auto& entry : fs::directory_iterator(work)) {
        if (entry.is_directory() && !fs::is_empty(entry.path())) return true;
    }
    return false;
}

}  // namespace

bool write_plan(const fs::path& work, const Plan& plan, bool is_forced) {
    io::create_directories(work);
    if (fs::exists(plan_path(work))) {
        if (!is_forced) {
            const Plan there = read_plan(work);
            if (there.hash == plan.hash) return false;
            throw UsageError(format(
                "{} holds another plan ({}); use another folder, or --force while nothing is made",
                work.string(), difference_of(there, plan)));
        }
        if (has_stage_files(work)) {
            throw UsageError(
                format("{} holds files made by its plan; remove them, or use another "
                       "folder",
                       work.string()));
        }
    }
    io::write_file_atomically(plan_path(work), plan_text(plan));
    return true;
}

Inputs inputs_of(const Plan& plan) {
    std::vector<Input> inputs;
    bool has_relative = false;
    for (const PlannedInput& planned : plan.inputs) {
        has_relative = has_relative || fs::path(planned.path).is_relative();
        const std::string name = planned.path == "-" ? "standard input" : planned.path;
        inputs.push_back(
            make_input(planned.path, name, plan.options.reader, planned.bytes, planned.is_stream));
    }
    std::error_code error;
    if (has_relative && !fs::equivalent(plan.folder, fs::current_path(), error)) {
        throw UsageError(format(
            "the inputs' names start from {}, where the plan was made: run there", plan.folder));
    }
    return Inputs(std::move(inputs));
}

Inputs inputs_of_index(const Plan& plan) {
    std::vector<Input> inputs;
    for (const PlannedInput& planned : plan.inputs) {
        const std::string path = (fs::path(plan.folder) / planned.path).string();
        std::error_code error;
        const bool is_here = fs::equivalent(plan.folder, fs::current_path(), error);
        inputs.push_back(make_input(is_here ? planned.path : path, planned.path,
                                    plan.options.reader, planned.bytes, false));
    }
    return Inputs(std::move(inputs));
}

void check_unchanged(const Plan& plan, uint64_t unit) {
    for (uint64_t i = plan.unit_begin(unit); i < plan.unit_ends[unit]; ++i) {
        const PlannedInput& input = plan.inputs[i];
        if (input.is_stream) continue;
        const uint64_t bytes = io::file_size(input.path);
        if (bytes != input.bytes) {
            throw DataError(format("{} has changed since the plan was made: {} bytes then, {} now",
                                   input.path, input.bytes, bytes));
        }
        if (mtime_ns(input.path) != input.mtime_ns) {
            throw DataError(format("{} was written again since the plan was made", input.path));
        }
    }
}

}  // namespace longhaul::dedup

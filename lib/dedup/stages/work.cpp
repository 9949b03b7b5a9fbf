// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/work.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "lib/base/error.h"
#include "lib/dedup/options_json.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

namespace fs = std::filesystem;

/// Stage cluster holds a file of each part open.
void allow_many_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);  // fewer are found out when a file can not be opened
}

}  // namespace

Work::Work(fs::path folder, Plan plan, Inputs inputs)
    : folder_(std::move(folder)),
      plan_(std::move(plan)),
      inputs_(std::move(inputs)),
      keys_hash_(keys_hash(plan_.options)) {
    allow_many_files();
    for (const IndexRef& index : plan_.options.against) {
        indexes_.push_back(open_index(index.work));
        if (indexes_.back().plan().hash.hex() == index.plan) continue;
        throw UsageError(format("--against {}: it is no longer the one that {} was planned with",
                                index.work, folder_.string()));
    }
}

uint64_t Work::num_index_units() const {
    uint64_t units = 0;
    for (const IndexRef& index : plan_.options.against) units += index.num_units;
    return units;
}

Work Work::open_index(const fs::path& folder) {
    Plan plan = read_plan(folder);
    Inputs inputs = inputs_of_index(plan);
    std::vector<IndexRef> against;
    std::swap(against, plan.options.against);
    Work work(folder, std::move(plan), std::move(inputs));
    work.plan_.options.against = std::move(against);  // counts units; they are not opened
    return work;
}

Work Work::open(const fs::path& folder) {
    Plan plan = read_plan(folder);
    Inputs inputs = inputs_of(plan);
    return {folder, std::move(plan), std::move(inputs)};
}

Inputs Work::unit_inputs(uint64_t unit) const {
    return inputs_.slice(plan_.unit_begin(unit), plan_.unit_ends[unit]);
}

uint64_t Work::num_units(Stage stage) const {
    const auto num_bands = static_cast<uint64_t>(plan_.options.parameters.bands);
    switch (stage) {
        case Stage::kExact:
        case Stage::kCluster:
            return 1;
        case Stage::kGroup:
            return num_bands * plan_.num_splits;
        case Stage::kShingles:
            return num_index_units() + plan_.num_units();
        default:
            return plan_.num_units();
    }
}

fs::path Work::path(Stage stage, uint64_t unit) const {
    return folder_ / stage_name(stage) / format("{:05}.lhd", unit);
}

StageIdentity Work::identity(Stage stage, uint64_t unit) const {
    return {stage, unit, scheme_name(plan_.options.parameters.scheme), keys_hash_, plan_.hash};
}

bool Work::is_done(Stage stage, uint64_t unit) const {
    const fs::path file = path(stage, unit);
    if (!fs::exists(file)) return false;
    const StageReader check(file, identity(stage, unit));
    return true;
}

StageReader Work::read(Stage stage, uint64_t unit) const {
    const fs::path file = path(stage, unit);
    if (!fs::exists(file)) {
        throw UsageError(
            format("{} is missing: unit {} of {} is not done; run \"dedup-minhash {} "
                   "{}\" first",
                   file.string(), unit, num_units(stage), stage_name(stage), folder_.string()));
    }
    return {file, identity(stage, unit)};
}

std::unique_ptr<StageWriter> Work::write(Stage stage, uint64_t unit, size_t num_sections,
                                         uint64_t memory_bytes) const {
    const fs::path file = path(stage, unit);
    io::create_directories(file.parent_path());
    io::remove_stale_temporaries(file);
    return std::make_unique<StageWriter>(file, identity(stage, unit), num_sections, memory_bytes);
}

namespace {

io::Json source_json(const Source& source) {
    return {{"lines", source.num_lines},
            {"documents", source.num_documents},
            {"bad", source.num_bad},
            {"blank", source.num_blank},
            {"short", source.num_short},
            {"lone_surrogates", source.num_lone_surrogates},
            {"no_score", source.num_no_score},
            {"text_bytes", source.text_bytes},
            {"raw_bytes", source.raw_bytes},
            {"stored_bytes", source.stored_bytes},
            {"xxh3_128", source.stored_hash.hex()}};
}

Source source_from_json(const io::Json& json, const std::string& file) {
    Source source;
    const auto get = [&](const char* key) { return io::require<uint64_t>(json, key, file); };
    source.num_lines = get("lines");
    source.num_documents = get("documents");
    source.num_bad = get("bad");
    source.num_blank = get("blank");
    source.num_short = get("short");
    source.num_lone_surrogates = get("lone_surrogates");
    source.num_no_score = get("no_score");
    source.text_bytes = get("text_bytes");
    source.raw_bytes = get("raw_bytes");
    source.stored_bytes = get("stored_bytes");
    const auto hash = Hash128::from_hex(io::require<std::string>(json, "xxh3_128", file));
    if (!hash) throw DataError(format("{}: xxh3_128: no hash", file));
    source.stored_hash = *hash;
    return source;
}

void add_unit(Documents& documents, const Work& work, uint64_t number, bool is_index) {
    const StageReader reader = work.read(Stage::kSign, number);
    const Signed part = signed_from_meta(reader.read_text(kMetaSection), reader.path().string());
    UnitSpan unit{&work, number, is_index, documents.num_ids, 0, documents.sources.size(), 0};
    for (Source source : part.sources) {
        source.first_id = unit.first_id + unit.num_lines;
        unit.num_lines += source.num_lines;
        documents.sources.push_back(source);
        ++unit.num_sources;
    }
    documents.num_ids += unit.num_lines;
    documents.units.push_back(unit);
    if (is_index) return;
    documents.num_records += part.num_records;
    documents.bad.merge(part.bad);
}

}  // namespace

Documents read_documents(const Work& work) {
    Documents documents;
    for (const Work& index : work.indexes()) {
        for (uint64_t unit = 0; unit < index.num_units(Stage::kSign); ++unit) {
            add_unit(documents, index, unit, true);
        }
    }
    documents.first_unit = documents.units.size();
    documents.first_source = documents.sources.size();
    documents.first_new = documents.num_ids;
    for (uint64_t unit = 0; unit < work.num_units(Stage::kSign); ++unit) {
        add_unit(documents, work, unit, false);
    }
    return documents;
}

Inputs all_inputs(const Work& work) {
    Inputs inputs({});
    for (const Work& index : work.indexes()) inputs.append(index.inputs());
    inputs.append(work.inputs());
    return inputs;
}

std::string sign_meta(const Signed& documents) {
    io::Json sources = io::Json::array();
    for (const Source& source : documents.sources) sources.push_back(source_json(source));
    return io::to_line({{"sources", sources}, {"bad_records", documents.bad.state()}});
}

Signed signed_from_meta(const std::string& text, const std::string& source) {
    const io::Json meta = io::parse_json(text, source);
    Signed documents;
    for (const io::Json& entry : io::require<io::Json>(meta, "sources", source)) {
        documents.sources.push_back(source_from_json(entry, source));
        const Source& input = documents.sources.back();
        documents.num_records += input.num_documents + input.num_bad;
    }
    documents.bad =
        corpus::BadRecords::from_state(io::require<io::Json>(meta, "bad_records", source), source);
    return documents;
}

}  // namespace longhaul::dedup

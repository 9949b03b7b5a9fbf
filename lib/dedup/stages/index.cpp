// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/index.h"

#include <filesystem>

#include "lib/base/error.h"
#include "lib/dedup/options_json.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

namespace fs = std::filesystem;

/// The first parameter of keys that differs, in words.
void check_parameters(const Options& options, const Work& index) {
    if (keys_hash(options) == keys_hash(index.plan().options)) return;
    const io::Json asked = options_json(options);
    const io::Json there = options_json(index.plan().options);
    for (const char* const key : {"preset", "hash", "bands", "rows", "num_hashes", "ngram"}) {
        if (asked[key] == there[key]) continue;
        throw UsageError(format("--against {}: made with {} {}, not {}", index.folder().string(),
                                key, io::to_line(there[key]), io::to_line(asked[key])));
    }
}

void check_inputs(const Work& index) {
    for (size_t i = 0; i < index.inputs().size(); ++i) {
        const Input& input = index.inputs()[i];
        std::error_code error;
        const uint64_t bytes = fs::file_size(input.path, error);
        if (!error && bytes == input.bytes) continue;
        throw DataError(format("--against {}: its input {} {}", index.folder().string(), input.name,
                               error ? "is gone" : "has another size now"));
    }
}

/// Names options, inputs and therefore all that the index holds.
std::string content_of(const Work& index) {
    Hasher128 hasher;
    hasher.update(io::to_line(options_json(index.plan().options)));
    for (const Source& source : read_documents(index).sources) {
        hasher.update(source.stored_hash.hex());
    }
    return hasher.digest().hex();
}

}  // namespace

void resolve_indexes(Options& options) {
    for (IndexRef& ref : options.against) {
        with_context(
            [&] {
                const Work index = Work::open_index(ref.work);
                check_parameters(options, index);
                if (!index.is_done(Stage::kCluster, 0)) {
                    throw UsageError(
                        format("--against {}: its run is not finished; run \"dedup-minhash "
                               "cluster {}\" first",
                               ref.work, ref.work));
                }
                check_inputs(index);
                ref = {fs::absolute(ref.work).lexically_normal().string(), content_of(index),
                       index.plan().hash.hex(), index.plan().num_units()};
            },
            "opening the index");
    }
}

IndexFilter::IndexFilter(const UnitSpan& unit) {
    if (!unit.is_index) return;
    file_ = std::make_unique<StageReader>(unit.work->read(Stage::kCluster, 0));
    rows_.emplace(*file_, ClusterSections::kDecisions + unit.work->num_index_units() + unit.unit);
    has_row_ = rows_->next(row_);
}

bool IndexFilter::leaves_out(uint64_t line) {
    while (has_row_ && row_.id < line) has_row_ = rows_->next(row_);
    return has_row_ && row_.id == line;
}

}  // namespace longhaul::dedup

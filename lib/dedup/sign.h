// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Stage "sign": reads every document once and makes its exact hash and its band keys.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/corpus/bad_records.h"
#include "lib/dedup/external_sort.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/options.h"
#include "lib/dedup/records.h"

namespace longhaul::dedup {

/// What is known of an input after the first reading, and counted in the second.
struct Source {
    uint64_t first_id = 0;
    uint64_t num_lines = 0;
    uint64_t num_documents = 0;  // good records
    uint64_t num_bad = 0;
    uint64_t num_blank = 0;
    uint64_t num_short = 0;  // with fewer words than a shingle
    uint64_t num_lone_surrogates = 0;
    uint64_t num_no_score = 0;  // without the number that the keep rule asks for
    uint64_t text_bytes = 0;    // of the documents' texts
    uint64_t raw_bytes = 0;     // of the documents' lines
    uint64_t stored_bytes = 0;  // of the file
    Hash128 stored_hash;
    uint64_t num_exact = 0;   // removed
    uint64_t num_near = 0;    // removed
    uint64_t kept_bytes = 0;  // of the lines that stay
    /// Adds what the first reading counted in one batch.
    void add_counts(const Source& counts);
    uint64_t num_kept() const { return num_documents - num_exact - num_near; }
};

/// What is known of the inputs after the first reading.
struct Signed {
    std::vector<Source> sources;
    corpus::BadRecords bad;
    uint64_t num_records = 0;  // good and bad
};

/// Receives what was made of the documents, by growing ids.
class SignSink {
 public:
    virtual ~SignSink() = default;
    /// @param order by the keep rule; meaningless when that is input order
    virtual void add_document(const ExactRecord& record, const OrderKey& order) = 0;
    /// @param ids of documents that have shingles. @param keys one for each band of each
    virtual void add_keys(std::span<const uint64_t> ids, std::span<const uint64_t> keys) = 0;
    virtual void add_bad(uint64_t id, corpus::Reason reason) = 0;
};

/// Everything in sorters, for a run in one process. They are filled, not finished.
class SignSorters : public SignSink {
 public:
    /// @param threads that sort
    SignSorters(int num_bands, uint64_t sort_bytes, SpillArea& area, int threads);
    void add_document(const ExactRecord& record, const OrderKey&) override { exact.add(record); }
    void add_keys(std::span<const uint64_t> ids, std::span<const uint64_t> keys) override;
    void add_bad(uint64_t id, corpus::Reason reason) override;

    std::vector<ExternalSorter<BandRecord>> bands;
    ExternalSorter<ExactRecord> exact;
    ExternalSorter<Fate> bad_ids;
};

/// Reads all of `inputs`, with ids from 0.
/// @param on_bytes told of stored bytes as they are read
/// @throws DataError for a damaged container, and for a bad record where the policy says fail
Signed sign(Inputs& inputs, const Options& options, const MemoryPlan& memory, SpillArea& area,
            SignSink& sink, const std::function<void(uint64_t)>& on_bytes);

/// The layouts of all inputs.
std::vector<corpus::Layout> layouts_of(const Inputs& inputs);

}  // namespace longhaul::dedup

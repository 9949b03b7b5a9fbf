// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What dedup-minhash was asked to do.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/corpus/document_reader.h"
#include "lib/dedup/keep_rule.h"
#include "lib/dedup/signature/parameters.h"

namespace longhaul::dedup {

/// A finished work directory whose kept documents come before all others (--against).
struct IndexRef {
    std::string work;
    std::string content;  // names what it holds: the same for equal inputs and options
    std::string plan;     // hash of its plan
    uint64_t num_units = 0;
};

struct Options {
    std::vector<std::string> inputs;
    std::string output;        // empty: none asked; "-": stdout; else a file or a folder
    std::string removal_list;  // empty: none
    std::string annotate;      // name of the member that tells each record's fate; empty: filter
    std::string report;
    std::string manifest;
    std::vector<std::string> parents;  // manifests of the inputs
    bool is_forced = false;
    int num_samples = 0;  // pairs to show side by side

    Parameters parameters;
    /// Of a sub-command with other parameters: the options that decide its output, one JSON object.
    std::string decisive_options_json;
    corpus::ReaderOptions reader;
    std::string on_bad_record = "skip";
    std::string max_bad_records = "1%";
    /// A document is compared with at most so many kept documents of each group of candidates.
    uint64_t max_candidates = 16;
    KeepRule keep;
    std::vector<IndexRef> against;

    int threads = 1;
    uint64_t memory_bytes = 0;
    std::string tmp_dir;
    std::optional<bool> progress;
};

/// How the memory cap is shared out. Outputs do not depend on it.
struct MemoryPlan {
    /// Bytes that a byte of a line takes on its way at most: reader 3, batch 1, decoded text 1,
    /// normalised text 1, hashes of its words (one letter each) 4, its shingle set 4; a second line
    /// waits: 4 more.
    static constexpr uint64_t kBytesPerLineByte = 18;

    uint64_t batch_bytes = 0;      // of one batch of lines
    uint64_t in_flight_bytes = 0;  // of all batches between the reading and the writing
    uint64_t sort_bytes = 0;       // of all sorters together
    uint64_t store_bytes = 0;      // of shingle sets kept for comparison
};

/// @throws UsageError when the cap is too small for the threads and the longest line allowed.
MemoryPlan plan_memory(const Options& options);
/// What is used when --memory is not given: this rank's share of half of what Slurm gave or of what
/// is available, but as much as a run needs. @param options threads and max_line_bytes are set
uint64_t default_memory_bytes(const Options& options);

}  // namespace longhaul::dedup

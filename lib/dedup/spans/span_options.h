// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What `dedup-minhash spans` was asked to do.

#include <cstdint>
#include <string>

#include "lib/dedup/options.h"

namespace longhaul::dedup {

enum class SpanUnit : uint8_t {
    kLine,
    kParagraph,
    kSubstring,
};

/// @throws UsageError for another word than "line", "paragraph" or "substring"
SpanUnit parse_span_unit(const std::string& word);
const char* span_unit_name(SpanUnit unit);

struct SpanOptions {
    static constexpr uint64_t kDefaultUnitCharacters = 40;
    /// About the 50 GPT-2 tokens of Lee et al. 2021, "Deduplicating Training Data Makes Language
    /// Models Better".
    static constexpr uint64_t kDefaultSubstringBytes = 200;
    static constexpr uint64_t kMinSubstringBytes = 8;
    static constexpr uint64_t kMaxSubstringBytes = 32768;

    /// Inputs, outputs, reader, threads and memory; its Parameters are not used.
    Options common;
    SpanUnit unit = SpanUnit::kLine;
    bool is_exact = false;    // compare bytes, not normalised text; always so for substrings
    uint64_t min_length = 0;  // characters of a line or paragraph, bytes of a substring; 0: default
    uint64_t max_copies = 1;  // of a line or paragraph that stay
    uint64_t min_document = 1;   // characters; what is shorter after cutting goes altogether
    bool is_empty_kept = false;  // ... unless this is asked
};

/// Fills in the default of min_length and common.decisive_options_json.
/// @throws UsageError naming the option that makes no sense
void complete(SpanOptions& options);

/// plan_memory() for these options. @param options after complete()
MemoryPlan plan_span_memory(const SpanOptions& options);

}  // namespace longhaul::dedup

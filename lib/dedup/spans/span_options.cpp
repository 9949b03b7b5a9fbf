// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/span_options.h"

#include <algorithm>
#include <array>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

constexpr std::array kUnitNames{"line", "paragraph", "substring"};
constexpr uint64_t kMaxLineBytes = uint64_t{1} << 32;  // offsets in a text have 32 bits

std::string decisive_options(const SpanOptions& options) {
    const Options& common = options.common;
    const io::Json json = {{"subcommand", "spans"},
                           {"unit", span_unit_name(options.unit)},
                           {"exact", options.is_exact},
                           {"min_length", options.min_length},
                           {"max_copies", options.max_copies},
                           {"min_document", options.min_document},
                           {"keep_empty", options.is_empty_kept},
                           {"input_format", common.reader.layout},
                           {"text_field", common.reader.text_field},
                           {"max_line_bytes", common.reader.max_line_bytes},
                           {"on_bad_record", common.on_bad_record},
                           {"max_bad_records", common.max_bad_records}};
    return io::to_line(json);
}

}  // namespace

SpanUnit parse_span_unit(const std::string& word) {
    for (size_t i = 0; i < kUnitNames.size(); ++i) {
        if (word == kUnitNames[i]) return static_cast<SpanUnit>(i);
    }
    throw UsageError(format("--unit: \"{}\" is not line, paragraph or substring", word));
}

const char* span_unit_name(SpanUnit unit) {
    return kUnitNames.at(static_cast<size_t>(unit));
}

void complete(SpanOptions& options) {
    const bool is_substring = options.unit == SpanUnit::kSubstring;
    if (options.min_length == 0) {
        options.min_length = is_substring ? SpanOptions::kDefaultSubstringBytes
                                          : SpanOptions::kDefaultUnitCharacters;
    }
    const bool is_in_range = options.min_length >= SpanOptions::kMinSubstringBytes &&
                             options.min_length <= SpanOptions::kMaxSubstringBytes;
    if (is_substring && !is_in_range) {
        throw UsageError(format("--min-length {}: of substrings from {} to {} bytes",
                                options.min_length, SpanOptions::kMinSubstringBytes,
                                SpanOptions::kMaxSubstringBytes));
    }
    if (options.max_copies < 1) throw UsageError("--max-copies must be at least 1");
    if (is_substring && options.max_copies != 1) {
        throw UsageError("--max-copies is for lines and paragraphs; of a substring one copy stays");
    }
    if (is_substring) options.is_exact = true;
    if (options.common.reader.max_line_bytes >= kMaxLineBytes) {
        throw UsageError(format("--max-line {}: spans takes lines below 4 GiB",
                                human_bytes(options.common.reader.max_line_bytes)));
    }
    options.common.decisive_options_json = decisive_options(options);
}

MemoryPlan plan_span_memory(const SpanOptions& options) {
    // A byte of a line takes about 9 on its way (reader 3, batch, decoded, copied and normalised
    // text, output), and the records of its units, of which there may be one for every min_length
    // bytes: as much as plan_memory() allows for, except where units are tiny.
    constexpr uint64_t kTiny = 5;
    const uint64_t factor =
        options.unit != SpanUnit::kSubstring && options.min_length < kTiny ? 2 : 1;
    Options scaled = options.common;
    scaled.reader.max_line_bytes *= factor;
    MemoryPlan plan = plan_memory(scaled);
    plan.in_flight_bytes /= factor;
    plan.batch_bytes = std::min(plan.batch_bytes, plan.in_flight_bytes);
    return plan;
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/cursor.h"

#include <algorithm>
#include <charconv>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::shards {

namespace {

constexpr uint64_t kMostSamples = uint64_t{1} << 62;  // counting on never wraps

bool parse_number(std::string_view text, uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty() &&
           value < kMostSamples;
}

/// Sorted and merged where they touch.
std::vector<SkipRange> normalise(std::vector<SkipRange> ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const SkipRange& a, const SkipRange& b) { return a.first < b.first; });
    std::vector<SkipRange> merged;
    for (const SkipRange& range : ranges) {
        if (!merged.empty() && range.first <= merged.back().last + 1) {
            merged.back().last = std::max(merged.back().last, range.last);
        } else {
            merged.push_back(range);
        }
    }
    return merged;
}

io::Json phase_json(const DataPhase& phase) {
    io::Json json;
    json["phase"] = phase.number;
    json["first_step"] = phase.first_step;
    json["data"] = phase.data;
    json["tokenizer"] = phase.tokenizer;
    json["weights"] = phase.weights;
    json["seq_len"] = phase.seq_len;
    json["global_batch"] = phase.global_batch;
    add_to_json(json, phase.samples);
    return json;
}

DataPhase phase_from_json(const io::Json& json, const std::string& source) {
    DataPhase phase;
    phase.number = io::require<int64_t>(json, "phase", source);
    phase.first_step = io::require<int64_t>(json, "first_step", source);
    phase.data = io::require<std::vector<std::string>>(json, "data", source);
    phase.tokenizer = io::require<std::string>(json, "tokenizer", source);
    phase.weights = io::require<std::vector<double>>(json, "weights", source);
    phase.seq_len = io::require<int64_t>(json, "seq_len", source);
    phase.global_batch = io::require<int64_t>(json, "global_batch", source);
    phase.samples = settings_from_json(json, source);
    return phase;
}

}  // namespace

SkipRange parse_skip_range(const std::string& text) {
    SkipRange range;
    const size_t dash = text.find('-');
    const std::string_view first = std::string_view(text).substr(0, dash);
    const std::string_view last =
        dash == std::string::npos ? first : std::string_view(text).substr(dash + 1);
    if (!parse_number(first, range.first) || !parse_number(last, range.last) ||
        range.last < range.first) {
        throw UsageError(
            format("data.skip: \"{}\" is no range of samples such as \"120-135\"", text));
    }
    return range;
}

uint64_t numbers_passed(uint64_t count, const std::vector<SkipRange>& skip, uint64_t first) {
    uint64_t end = first + count;
    for (const SkipRange& range : normalise(skip)) {
        if (range.last < first) continue;
        if (range.first >= end) break;
        end += range.last + 1 - std::max(range.first, first);
    }
    return end - first;
}

int64_t default_order_samples(int64_t num_samples, const std::vector<SkipRange>& skip) {
    const uint64_t passed = numbers_passed(static_cast<uint64_t>(num_samples), skip);
    if (passed > static_cast<uint64_t>(num_samples)) {
        throw UsageError(
            format("data.order = \"megatron\": with data.skip the run passes {} sample numbers for "
                   "its {} samples; set data.order_samples to that (or to what the run began with, "
                   "with fewer steps)",
                   passed, num_samples));
    }
    return num_samples;
}

DataCursor::DataCursor(DataPhase first_phase, std::vector<SkipRange> skip)
    : skip_(normalise(std::move(skip))), phases_{std::move(first_phase)} {}

std::vector<uint64_t> DataCursor::peek(int64_t count) const {
    std::vector<uint64_t> samples;
    samples.reserve(static_cast<size_t>(count));
    auto skip = std::find_if(skip_.begin(), skip_.end(),
                             [&](const SkipRange& range) { return range.last >= next_sample_; });
    for (uint64_t sample = next_sample_; static_cast<int64_t>(samples.size()) < count; ++sample) {
        while (skip != skip_.end() && sample > skip->last) ++skip;
        if (skip != skip_.end() && sample >= skip->first) {
            sample = skip->last;
            continue;
        }
        samples.push_back(sample);
    }
    return samples;
}

void DataCursor::advance(const std::vector<uint64_t>& samples) {
    if (samples.empty()) return;
    LH_CHECK(samples.front() >= next_sample_, "sample {} was passed already", samples.front());
    next_sample_ = samples.back() + 1;
}

void DataCursor::begin_phase(DataPhase phase) {
    if (phase.number <= phases_.back().number) {
        throw UsageError(format("data.phase = {} is not above the current {}", phase.number,
                                phases_.back().number));
    }
    phases_.push_back(std::move(phase));
    next_sample_ = 0;
}

void DataCursor::set_skip(std::vector<SkipRange> skip) {
    skip_ = normalise(std::move(skip));
}

io::Json DataCursor::to_json() const {
    io::Json json;
    json["next_sample"] = next_sample_;
    json["skip"] = io::Json::array();
    for (const SkipRange& range : skip_) json["skip"].push_back({range.first, range.last});
    json["phases"] = io::Json::array();
    for (const DataPhase& phase : phases_) json["phases"].push_back(phase_json(phase));
    return json;
}

DataCursor DataCursor::from_json(const io::Json& json, const std::string& source) {
    DataCursor cursor;
    cursor.next_sample_ = io::require<uint64_t>(json, "next_sample", source);
    std::vector<SkipRange> skip;
    for (const auto& range :
         io::require<std::vector<std::vector<uint64_t>>>(json, "skip", source)) {
        if (range.size() != 2 || range[1] < range[0] || range[1] >= kMostSamples) {
            throw DataError(format("{}: skip: not a range of samples", source));
        }
        skip.push_back({range[0], range[1]});
    }
    cursor.skip_ = normalise(std::move(skip));
    if (cursor.next_sample_ >= kMostSamples) throw DataError(format("{}: next_sample", source));
    if (!json.contains("phases") || !json["phases"].is_array() || json["phases"].empty()) {
        throw DataError(format("{}: phases: missing", source));
    }
    for (const io::Json& phase : json["phases"]) {
        cursor.phases_.push_back(phase_from_json(phase, source));
    }
    return cursor;
}

Hash128 data_fingerprint(const std::vector<std::string>& data, const std::vector<double>& weights) {
    Hasher128 hasher;
    for (size_t i = 0; i < data.size(); ++i) {
        hasher.update(format("{} {}\n", data[i], i < weights.size() ? weights[i] : 1.0));
    }
    return hasher.digest();
}

uint64_t order_seed(uint64_t seed, int64_t phase, OrderKind order) {
    // Phase 0 keeps the seed itself, so that plain readers need no formula.
    if (phase > 0 && order == OrderKind::kMegatron) {
        return static_cast<uint32_t>(seed + 0x9E3779B9u * static_cast<uint64_t>(phase));
    }
    return seed + 0x9E3779B97F4A7C15ull * static_cast<uint64_t>(phase);
}

}  // namespace longhaul::shards

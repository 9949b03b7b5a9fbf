// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/bad_records.h"

#include <charconv>

#include "lib/base/error.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::corpus {

namespace {

struct Words {
    const char* key;
    const char* text;
};
constexpr std::array<Words, kNumReasons> kWords{{
    {"none", "good"},
    {"invalid_utf8", "invalid UTF-8"},
    {"not_json", "not JSON"},
    {"not_object", "not a JSON object"},
    {"missing_field", "no text field"},
    {"duplicate_field", "the text field occurs twice"},
    {"not_string", "the text field is not a string"},
    {"too_deep", "nested too deeply"},
    {"too_long", "line too long"},
    {"control_text", "text of a control token"},
    {"lone_surrogate", "a lone surrogate"},
}};

UsageError bad_limit(const std::string& word) {
    return UsageError(format(
        "--max-bad-records: \"{}\" is neither a number of records nor a percentage such as 1%",
        word));
}

}  // namespace

const char* reason_key(Reason reason) {
    return kWords.at(static_cast<size_t>(reason)).key;
}
const char* reason_text(Reason reason) {
    return kWords.at(static_cast<size_t>(reason)).text;
}

BadRecordPolicy BadRecordPolicy::parse(const std::string& on_bad_record,
                                       const std::string& max_bad_records) {
    BadRecordPolicy policy;
    if (on_bad_record != "skip" && on_bad_record != "fail") {
        throw UsageError(format("--on-bad-record: \"{}\" is not skip or fail", on_bad_record));
    }
    policy.fail_at_first = on_bad_record == "fail";
    const char* const begin = max_bad_records.data();
    const char* const end = begin + max_bad_records.size();
    if (!max_bad_records.empty() && max_bad_records.back() == '%') {
        double percent = 0;
        const auto [stop, error] = std::from_chars(begin, end - 1, percent);
        if (error != std::errc() || stop != end - 1 || !(percent >= 0) || percent > 100) {
            throw bad_limit(max_bad_records);
        }
        policy.max_fraction = percent / 100;
        return policy;
    }
    const auto [stop, error] = std::from_chars(begin, end, policy.max_count);
    if (error != std::errc() || stop != end || policy.max_count < 0) {
        throw bad_limit(max_bad_records);
    }
    return policy;
}

std::string BadRecord::describe() const {
    const std::string more = detail.empty() ? "" : format(" ({})", detail);
    return format("{}:{}:{}: {}{}", file, line, byte, reason_text(reason), more);
}

void BadRecords::add(const BadRecord& record) {
    ++count_;
    ++by_reason_[static_cast<size_t>(record.reason)];
    if (named_.size() < kMaxNamed) named_.push_back(record);
}

void BadRecords::merge(const BadRecords& other, uint64_t lines_before) {
    count_ += other.count_;
    for (size_t i = 0; i < kNumReasons; ++i) by_reason_[i] += other.by_reason_[i];
    for (const BadRecord& record : other.named_) {
        if (named_.size() >= kMaxNamed) break;
        named_.push_back(record);
        named_.back().line += lines_before;
    }
}

io::Json BadRecords::to_json() const {
    io::Json by_reason = io::Json::object();
    for (size_t i = 1; i < kNumReasons; ++i) {
        if (by_reason_[i] > 0) by_reason[kWords[i].key] = by_reason_[i];
    }
    io::Json first = io::Json::array();
    for (const BadRecord& record : named_) first.push_back(record.describe());
    return {{"count", count_}, {"by_reason", by_reason}, {"first", first}};
}

io::Json BadRecords::state() const {
    io::Json named = io::Json::array();
    for (const BadRecord& record : named_) {
        named.push_back({{"file", record.file},
                         {"line", record.line},
                         {"byte", record.byte},
                         {"reason", static_cast<unsigned>(record.reason)},
                         {"detail", record.detail}});
    }
    return {{"by_reason", by_reason_}, {"named", named}};
}

BadRecords BadRecords::from_state(const io::Json& state, const std::string& source) {
    BadRecords records;
    const auto counts = io::require<std::vector<uint64_t>>(state, "by_reason", source);
    if (counts.size() > kNumReasons) {  // fewer: of a version that knew fewer reasons
        throw DataError(
            format("{}: by_reason: {} counts, at most {}", source, counts.size(), kNumReasons));
    }
    for (size_t i = 0; i < counts.size(); ++i) {
        records.by_reason_[i] = counts[i];
        records.count_ += counts[i];
    }
    for (const io::Json& entry : io::require<io::Json>(state, "named", source)) {
        const auto reason = io::require<unsigned>(entry, "reason", source);
        if (reason >= kNumReasons) throw DataError(format("{}: reason {}", source, reason));
        records.named_.push_back({io::require<std::string>(entry, "file", source),
                                  io::require<uint64_t>(entry, "line", source),
                                  io::require<uint64_t>(entry, "byte", source),
                                  static_cast<Reason>(reason),
                                  io::require<std::string>(entry, "detail", source)});
    }
    return records;
}

void BadRecords::check(const BadRecordPolicy& policy, uint64_t num_records) const {
    const bool is_too_many =
        policy.max_count >= 0
            ? count_ > static_cast<uint64_t>(policy.max_count)
            : static_cast<double>(count_) > policy.max_fraction * static_cast<double>(num_records);
    if (count_ == 0 || !is_too_many) return;
    const std::string limit = policy.max_count >= 0 ? format("{}", policy.max_count)
                                                    : format("{}%", policy.max_fraction * 100);
    throw DataError(
        format("{} of {} records are bad, more than --max-bad-records={}; the first: {}", count_,
               num_records, limit, named_.front().describe()));
}

void BadRecords::warn() const {
    if (count_ == 0) return;
    for (const BadRecord& record : named_) log::warn("{}", record.describe());
    std::string counts;
    for (size_t i = 1; i < kNumReasons; ++i) {
        if (by_reason_[i] == 0) continue;
        counts += format("{}{}: {}", counts.empty() ? "" : ", ", kWords[i].text, by_reason_[i]);
    }
    log::warn("{} bad records left out ({})", count_, counts);
}

}  // namespace longhaul::corpus

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Bad records: counted by reason, the first ten named, and the one rule that decides when there
// are too many. Shared by every program that reads documents.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/io/json_fwd.h"

namespace longhaul::corpus {

/// Why a record can not be used. Stable names (reason_key) appear in reports.
enum class Reason : uint8_t {
    kNone = 0,        // the record is good
    kInvalidUtf8,     // not UTF-8 (also: encoded surrogates, overlong forms, > U+10FFFF)
    kNotJson,         // malformed JSON, or bytes after the object
    kNotObject,       // a valid JSON value, but not an object
    kMissingField,    // no text field
    kDuplicateField,  // the text field occurs twice: which one is meant is anybody's guess
    kNotString,       // the text field is not a string
    kTooDeep,         // nested deeper than kMaxDepth
    kTooLong,         // the line is longer than --max-line
    kControlText,     // the text of a control token, under tok-shard --special-text=refuse
    kLoneSurrogate,   // \ud800 without its half, under --lone-surrogates=bad
};
inline constexpr size_t kNumReasons = 11;

/// "invalid_utf8": a key for reports.
const char* reason_key(Reason reason);
/// "invalid UTF-8": words for people.
const char* reason_text(Reason reason);

/// What the options --on-bad-record and --max-bad-records ask.
struct BadRecordPolicy {
    bool fail_at_first = false;  // --on-bad-record=fail
    double max_fraction = 0.01;  // of all records; used when max_count < 0
    int64_t max_count = -1;      // an absolute number instead

    /// @param on_bad_record "skip" or "fail"
    /// @param max_bad_records "1%", "0.5%" or a number of records such as "100"
    /// @throws UsageError
    static BadRecordPolicy parse(const std::string& on_bad_record,
                                 const std::string& max_bad_records);
};

/// One named bad record. Line numbers count from 1, bytes from 0 in the decompressed stream.
struct BadRecord {
    std::string file;
    uint64_t line = 0;
    uint64_t byte = 0;
    Reason reason = Reason::kNone;
    std::string detail;  // may be empty

    /// "c4.jsonl.gz:17:52011: invalid UTF-8 (byte 0xff)".
    std::string describe() const;
};

/// Counts of one input or of a whole run. Not thread-safe: one per worker, merged in input order.
class BadRecords {
 public:
    static constexpr size_t kMaxNamed = 10;

    void add(const BadRecord& record);
    /// Adds the counts of `other`, whose records come later in the input.
    /// @param lines_before of the input, where `other` counted its lines from 1
    void merge(const BadRecords& other, uint64_t lines_before = 0);

    uint64_t count() const { return count_; }
    uint64_t count(Reason reason) const { return by_reason_[static_cast<size_t>(reason)]; }
    const std::vector<BadRecord>& named() const { return named_; }
    /// {"count": 3, "by_reason": {"not_json": 2, ...}, "first": ["file:line:byte: ...", ...]}
    io::Json to_json() const;
    /// Everything, for another process of the same run; and back.
    io::Json state() const;
    /// @throws DataError naming `source`
    static BadRecords from_state(const io::Json& state, const std::string& source);

    /// The rule of DESIGN section 2. Called at the end of the input with the number of all
    /// records, good and bad; blank lines are no records.
    /// @throws DataError naming the first bad record when there are more than the policy allows.
    void check(const BadRecordPolicy& policy, uint64_t num_records) const;
    /// Warns on stderr: one line for each named record, one with the counts. Nothing when none.
    void warn() const;

 private:
    uint64_t count_ = 0;
    std::array<uint64_t, kNumReasons> by_reason_{};
    std::vector<BadRecord> named_;
};

}  // namespace longhaul::corpus

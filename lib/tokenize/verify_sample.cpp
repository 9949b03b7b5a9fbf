// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/verify_sample.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>

#include "lib/base/error.h"
#include "lib/shards/order.h"
#include "lib/text/unicode.h"
#include "lib/tokenize/resolve_borders.h"
#include "lib/tokenize/source_text.h"
#include "lib/tokenize/verify_finding.h"

namespace longhaul::tokenize {

namespace {

using record::Finding;
using record::Status;

/// A document of the sample: its tokens and where its text is.
struct Sampled {
    uint64_t index = 0, row = 0;  // row counted from the begin of its segment
    std::vector<uint32_t> ids;
};

class SampleChecker {
 public:
    SampleChecker(const shards::ShardSet& set, const shards::Dataset& dataset,
                  const token::Tokenizer& tokenizer, const char* remedy)
        : details_(set.details),
          dataset_(dataset),
          tokenizer_(tokenizer),
          remedy_(remedy),
          path_(set.path.string()),
          source_(read_source_options(*set.manifest, path_ + "/manifest.json")),
          encoder_(tokenizer, {source_.special_text}) {}

    std::vector<Finding> run(const VerifySample& sample) {
        for (auto& [segment, documents] : choose(sample)) {
            check_segment(details_.segments[segment], documents);
        }
        if (num_compared_ > 0 && record::exit_code(findings_) == ExitCode::kOk) {
            findings_.push_back({Status::kOk, "shards.sample", path_,
                                 format("{} documents equal their sources", num_compared_), ""});
        }
        return std::move(findings_);
    }

 private:
    void fail(const char* code, const std::string& subject, std::string evidence) {
        findings_.push_back(
            make_finding(Status::kFail, code, subject, std::move(evidence), remedy_));
    }

    /// Samples of fixed length may have cut the first and the last document of a shard.
    bool is_cut(uint64_t index) const {
        if (details_.sample_tokens == 0) return false;
        uint64_t first = 0;
        for (const shards::ShardEntry& entry : details_.shards) {
            const uint64_t end = first + entry.num_documents;
            if (index < end) return index == first || index + 1 == end;
            first = end;
        }
        return false;
    }

    /// Number of the segment that holds a document's record.
    size_t segment_of(const shards::DocumentRef& document) const {
        size_t found = details_.segments.size();
        for (size_t i = 0; i < details_.segments.size(); ++i) {
            const shards::Segment& segment = details_.segments[i];
            if (segment.input != document.input) continue;
            if (segment.first_record <= document.record) found = i;
        }
        return found;
    }

    /// Chooses documents and sorts them by segment, so that each source is read once.
    std::map<size_t, std::vector<Sampled>> choose(const VerifySample& sample) const {
        std::map<size_t, std::vector<Sampled>> by_segment;
        const uint64_t total = details_.num_documents;
        std::set<uint64_t> chosen;
        if (total > 0) {
            const shards::Permutation shuffle(total, sample.seed, 0);
            for (uint64_t i = 0; i < std::min(sample.count, total); ++i) chosen.insert(shuffle(i));
        }
        for (const uint64_t index : chosen) {
            if (is_cut(index)) continue;
            const shards::DocumentRef document = dataset_.document(index);
            const size_t segment = segment_of(document);
            if (segment == details_.segments.size()) continue;
            Sampled sampled{index, document.record - details_.segments[segment].first_record, {}};
            sampled.ids.resize(document.num_tokens);
            dataset_.read(document.first_token, std::span<uint32_t>(sampled.ids));
            by_segment[segment].push_back(std::move(sampled));
        }
        return by_segment;
    }

    void check_segment(const shards::Segment& segment, std::vector<Sampled>& documents) {
        const std::string& path = details_.inputs[segment.input];
        if (path == "-" || !std::filesystem::is_regular_file(path)) {
            findings_.push_back(
                {Status::kNote, "shards.source", path,
                 format("{} documents not compared: the source is not there any more",
                        documents.size()),
                 ""});
            return;
        }
        std::sort(documents.begin(), documents.end(),
                  [](const Sampled& a, const Sampled& b) { return a.row < b.row; });
        std::vector<uint64_t> rows;
        rows.reserve(documents.size());
        for (const Sampled& sampled : documents) rows.push_back(sampled.row);
        try {
            size_t next = 0;
            visit_rows(details_, segment, source_, rows, [&](uint64_t, std::string_view text) {
                const Sampled& sampled = documents[next++];
                const std::string wrong = compare(sampled, text);
                if (!wrong.empty()) {
                    fail("shards.sample", path,
                         format("document {} {} (record {} of its part)", sampled.index, wrong,
                                sampled.row));
                }
                ++num_compared_;
            });
        } catch (const Error& error) {
            findings_.push_back(finding_of(error, "shards.source", path, remedy_));
        }
    }

    /// @return what is wrong with the document, or ""
    std::string compare(const Sampled& sampled, std::string_view text) {
        if (text.empty() && source_.skips_empty) return "has no text, and was not to be there";
        const shards::Borders& borders = details_.borders;
        std::vector<uint32_t> expected = borders.bos;
        const token::AddedToken* const found = text::is_valid_utf8(text)
                                                   ? encoder_.encode(text, expected)
                                                   : encoder_.encode_bytes(text, expected);
        if (found != nullptr)
            return format("holds the text of {}, which was refused", found->content);
        const bool is_bare = details_.has_bare_documents && expected.size() == borders.bos.size();
        if (is_bare) expected.clear();
        if (!is_bare) expected.insert(expected.end(), borders.eos.begin(), borders.eos.end());
        if (expected != sampled.ids) {
            const auto at = std::mismatch(expected.begin(), expected.end(), sampled.ids.begin(),
                                          sampled.ids.end());
            return format("differs from its source at token {}", at.first - expected.begin());
        }
        const std::span<const uint32_t> ids = inside_borders(sampled.ids, borders);
        if (is_bare || !tokenizer_.is_lossless() || tokenizer_.decode_bytes(ids, false) == text) {
            return "";
        }
        return "does not decode to its source";
    }

    const shards::ShardDetails& details_;
    const shards::Dataset& dataset_;
    const token::Tokenizer& tokenizer_;
    const char* remedy_;
    std::string path_;
    SourceOptions source_;
    token::Encoder encoder_;
    uint64_t num_compared_ = 0;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_sample(const shards::ShardSet& set, const shards::Dataset& dataset,
                                  const token::Tokenizer& tokenizer, const VerifySample& sample,
                                  const char* remedy) {
    if (!has_source_options(*set.manifest)) {
        return {{Status::kNote, "shards.source", set.path.string(),
                 "converted from files of another program: no texts to compare with", ""}};
    }
    return SampleChecker(set, dataset, tokenizer, remedy).run(sample);
}

}  // namespace longhaul::tokenize

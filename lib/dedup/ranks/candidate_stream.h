// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Candidates of a rank with their groups and shingles, on their way to the rank that decides. They
// wait in the temporary folder until it comes to them.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lib/comm/comm.h"
#include "lib/dedup/records.h"
#include "lib/dedup/spill.h"

namespace longhaul::dedup {

struct StreamedCandidate {
    Candidate candidate;
    OrderKey order;  // meaningless when the rule is input order
    std::vector<uint64_t> set;
};

class CandidateWriter {
 public:
    explicit CandidateWriter(SpillArea& area) : file_(area) {}

    void add(const StreamedCandidate& candidate);
    /// Ends the adding.
    void finish();
    /// Words in all, as CandidateReader counts them.
    uint64_t num_words() const { return file_.size() / sizeof(uint64_t); }
    void read(std::span<uint64_t> words, uint64_t first) const;
    /// Sends everything, in the pieces in which a CandidateReader asks.
    void send(comm::Comm& comm, int to) const;

 private:
    SpillFile file_;
    std::vector<uint64_t> buffer_;
};

class CandidateReader {
 public:
    /// @param fill gets the next words. @param num_words in all
    CandidateReader(std::function<void(std::span<uint64_t>)> fill, uint64_t num_words)
        : fill_(std::move(fill)), num_left_(num_words) {}
    /// What `writer` holds. It must outlive this.
    static CandidateReader of(const CandidateWriter& writer);
    /// What rank `from` sends.
    static CandidateReader of(comm::Comm& comm, int from, uint64_t num_words);

    /// @return false at the end
    bool next(StreamedCandidate& candidate);

 private:
    uint64_t word();
    void words(std::span<uint64_t> to);
    void load();

    std::function<void(std::span<uint64_t>)> fill_;
    uint64_t num_left_;  // not yet in the buffer
    std::vector<uint64_t> buffer_;
    size_t at_ = 0;
};

}  // namespace longhaul::dedup

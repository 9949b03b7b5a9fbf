// SPDX-License-Identifier: BSD-3-Clause
// A candidate is: id, number of groups, number of shingles, order (2), groups, shingles; each a
// word of 64 bits.
#include "lib/dedup/ranks/candidate_stream.h"

#include <algorithm>
#include <utility>

#include "lib/base/check.h"

namespace longhaul::dedup {

namespace {

constexpr size_t kPieceWords = (size_t{1} << 20) / sizeof(uint64_t);
constexpr comm::Tag kTag{-1, -1, "candidates"};

comm::Buffer buffer_of(std::span<uint64_t> words) {
    return {words.data(), static_cast<int64_t>(words.size()), tensor::DType::kU64};
}

}  // namespace

void CandidateWriter::add(const StreamedCandidate& candidate) {
    buffer_.insert(buffer_.end(),
                   {candidate.candidate.id, candidate.candidate.groups.size(), candidate.set.size(),
                    candidate.order.high, candidate.order.low});
    for (const Packed48 group : candidate.candidate.groups) buffer_.push_back(group.value());
    buffer_.insert(buffer_.end(), candidate.set.begin(), candidate.set.end());
    if (buffer_.size() >= kPieceWords) finish();
}

void CandidateWriter::finish() {
    file_.append(std::as_bytes(std::span(buffer_)));
    buffer_.clear();
}

void CandidateWriter::read(std::span<uint64_t> words, uint64_t first) const {
    file_.read(std::as_writable_bytes(words), first * sizeof(uint64_t));
}

void CandidateWriter::send(comm::Comm& comm, int to) const {
    std::vector<uint64_t> piece;
    for (uint64_t first = 0; first < num_words(); first += piece.size()) {
        piece.resize(std::min<uint64_t>(kPieceWords, num_words() - first));
        read(piece, first);
        comm.send(buffer_of(piece), to, kTag);
    }
}

CandidateReader CandidateReader::of(const CandidateWriter& writer) {
    return {[&writer, first = uint64_t{0}](std::span<uint64_t> words) mutable {
                writer.read(words, first);
                first += words.size();
            },
            writer.num_words()};
}

CandidateReader CandidateReader::of(comm::Comm& comm, int from, uint64_t num_words) {
    return {[&comm, from](std::span<uint64_t> words) { comm.recv(buffer_of(words), from, kTag); },
            num_words};
}

void CandidateReader::load() {
    LH_CHECK(num_left_ > 0, "the candidates of a rank end in the middle of one");
    buffer_.resize(std::min<uint64_t>(kPieceWords, num_left_));
    fill_(buffer_);
    num_left_ -= buffer_.size();
    at_ = 0;
}

uint64_t CandidateReader::word() {
    if (at_ == buffer_.size()) load();
    return buffer_[at_++];
}

void CandidateReader::words(std::span<uint64_t> to) {
    while (!to.empty()) {
        if (at_ == buffer_.size()) load();
        const size_t num = std::min(to.size(), buffer_.size() - at_);
        std::copy_n(buffer_.data() + at_, num, to.data());
        at_ += num;
        to = to.subspan(num);
    }
}

bool CandidateReader::next(StreamedCandidate& candidate) {
    if (at_ == buffer_.size() && num_left_ == 0) return false;
    candidate.candidate.id = word();
    const uint64_t num_groups = word();
    candidate.set.resize(word());
    candidate.order.high = word();
    candidate.order.low = word();
    candidate.candidate.groups.clear();
    for (uint64_t i = 0; i < num_groups; ++i) candidate.candidate.groups.emplace_back(word());
    words(candidate.set);
    return true;
}

}  // namespace longhaul::dedup

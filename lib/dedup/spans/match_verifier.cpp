// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/match_verifier.h"

#include <algorithm>
#include <cstring>

namespace longhaul::dedup {

namespace {
constexpr uint64_t kChunk = 64 << 10;
}  // namespace

MatchVerifier::MatchVerifier(uint64_t min_length, TextStore& store, SpillArea& area,
                             uint64_t sort_bytes)
    : min_length_(min_length), store_(store), finder_(store), uses_(area, sort_bytes) {
    here_.resize(kChunk);
    there_.resize(kChunk);
}

void MatchVerifier::add(const JoinedMatch& match, SpanFindings& findings) {
    const uint64_t place = match.place.value(), end = match.end();
    const StoredText& text = finder_.at(place);
    if (text.end.value() != text_.end.value()) {
        end_cut(findings);
        text_ = text;
    }
    if (end <= cut_end_) return;  // goes already
    // What is new is its end, but a claim needs min_length equal bytes.
    uint64_t equal_from = std::max(place, std::min(cut_end_, end - min_length_));
    for (uint64_t at = equal_from; at < end;) {
        const uint64_t size = std::min(kChunk, end - at);
        store_.read(std::span(here_.data(), size), at);
        store_.read(std::span(there_.data(), size), at - match.distance());
        if (std::memcmp(here_.data(), there_.data(), size) != 0) {
            for (uint64_t i = 0; i < size; ++i) {
                if (here_[i] == there_[i]) continue;
                ++findings.unequal_bytes;
                claim(match, equal_from, at + i, findings);
                equal_from = at + i + 1;
            }
        }
        at += size;
    }
    claim(match, equal_from, end, findings);
}

void MatchVerifier::claim(const JoinedMatch& match, uint64_t begin, uint64_t end,
                          SpanFindings& findings) {
    if (end < begin + min_length_ || end <= cut_end_) return;
    const uint64_t new_begin = std::max(begin, cut_end_);
    if (begin > cut_end_ || cut_begin_ == cut_end_) {
        end_cut(findings);
        cut_begin_ = begin;
    }
    cut_end_ = std::max(cut_end_, end);
    const uint64_t base = text_.begin.value();
    uses_.add(
        {Packed48(new_begin - match.distance()),
         {text_.id, static_cast<uint32_t>(new_begin - base), static_cast<uint32_t>(end - base)}});
}

void MatchVerifier::end_cut(SpanFindings& findings) {
    if (cut_begin_ != cut_end_) {
        const uint64_t base = text_.begin.value();
        findings.cuts.add({text_.id, static_cast<uint32_t>(cut_begin_ - base),
                           static_cast<uint32_t>(cut_end_ - base)});
    }
    cut_begin_ = cut_end_;
}

void MatchVerifier::finish(SpanFindings& findings) {
    end_cut(findings);
    uses_.finish();
    FrequentSpans frequent(FrequentSpans::By::kBytes);
    FrequentSpan span;
    uint64_t source = 0;
    for (SourceUse use; uses_.next(use);) {
        if (span.num_removed == 0 || use.source.value() != source) {
            frequent.add(span);
            span = {0, 0, use.cut, ""};
            source = use.source.value();
        }
        ++span.num_removed;
        span.removed_bytes += use.cut.end - use.cut.begin;
    }
    frequent.add(span);
    findings.frequent = frequent.spans();
}

}  // namespace longhaul::dedup

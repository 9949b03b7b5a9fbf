// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Compares matches byte by byte and makes cuts of what is equal.

#include <cstdint>
#include <string>

#include "lib/dedup/external_sort.h"
#include "lib/dedup/spans/span_findings.h"
#include "lib/dedup/spans/text_store.h"

namespace longhaul::dedup {

/// Feed it matches in their order, then call finish(). Nothing goes that was not compared: of a
/// match whose bytes differ somewhere (two passages of one hash) only equal stretches of at least
/// `min_length` count.
class MatchVerifier {
 public:
    MatchVerifier(uint64_t min_length, TextStore& store, SpillArea& area, uint64_t sort_bytes);

    void add(const JoinedMatch& match, SpanFindings& findings);
    /// Ends the last cut and fills findings.frequent.
    void finish(SpanFindings& findings);

 private:
    void claim(const JoinedMatch& match, uint64_t begin, uint64_t end, SpanFindings& findings);
    void end_cut(SpanFindings& findings);

    uint64_t min_length_;
    TextStore& store_;
    TextFinder finder_;
    StoredText text_;  // of the last match
    std::string here_, there_;
    uint64_t cut_begin_ = 0, cut_end_ = 0;  // the cut under construction; empty: none
    ExternalSorter<SourceUse> uses_;
};

}  // namespace longhaul::dedup

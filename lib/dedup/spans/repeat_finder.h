// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Passages that occurred before, exactly and in bounded memory.
//
// A window is `length` bytes inside one document. It is repeated when the same bytes stand at an
// earlier place, in one document, and end there before the window begins. What goes are all bytes
// of all repeated windows, and no others.
//
// Texts are known by their anchors (span_anchors.h). A window belongs to the anchors that it holds
// with their whole grams, and its first occurrence holds the same ones. Steps, each a sequential
// pass over sorted records or over the stored text:
//   1. Anchors whose gram occurs once are of no use; the others are "repeated".
//   2. The context of a repeated anchor is its gram with `reach` bytes on both sides, that is, all
//      windows that belong to it. A context that occurred before means that all of them did.
//   3. The windows of the remaining anchors are compared one by one: few, since inside a long match
//      the contexts are equal. A gram with a single such anchor needs nothing.
//   4. What 2 and 3 found is joined to long matches, which are compared byte by byte.
// A gram that occurs m times costs m records, never m^2 pairs.

#include <functional>
#include <optional>
#include <span>

#include "lib/dedup/external_sort.h"
#include "lib/dedup/spans/span_anchors.h"
#include "lib/dedup/spans/span_findings.h"
#include "lib/dedup/spans/text_store.h"

namespace longhaul::dedup {

/// Fill with add_text(), then find() once. Not thread-safe.
class RepeatFinder {
 public:
    /// @param sort_bytes memory of all its sorters together. @param threads for find()
    RepeatFinder(const SubstringShape& shape, SpillArea& area, uint64_t sort_bytes, int threads);

    /// @param id above that of the last call
    /// @param anchors, repeats of the text, as AnchorScanner gives them
    void add_text(uint64_t id, std::string_view text, std::span<const Anchor> anchors,
                  std::span<const SelfRepeat> repeats);

    /// Everything that goes. Cuts may begin and end inside a character.
    void find(SpanFindings& findings);

 private:
    template <class Record>
    ExternalSorter<Record> sorter(uint64_t share) const {
        return ExternalSorter<Record>(area_, sort_bytes_ / share, threads_);
    }
    ExternalSorter<RepeatedAnchor> find_repeated(SpanFindings& findings);
    ExternalSorter<ContextRecord> read_contexts(ExternalSorter<RepeatedAnchor> anchors);
    ExternalSorter<OpenAnchor> compare_contexts(ExternalSorter<ContextRecord> contexts);
    ExternalSorter<WindowRecord> read_windows(ExternalSorter<OpenAnchor> anchors);
    /// Windows that begin from `first` to `last`, to be the records from `at` on of a block.
    struct WindowRun {
        uint64_t first, last;
        size_t at;
    };
    void hash_windows(const WindowRun& run, TextWindow& window, WindowRecord* to) const;
    void compare_windows(ExternalSorter<WindowRecord> windows);
    ExternalSorter<JoinedMatch> join_matches();
    void add_match(uint64_t place, uint64_t source, uint64_t length);

    SubstringShape shape_;
    SpillArea& area_;
    uint64_t sort_bytes_;
    int threads_;
    TextStore store_;
    std::optional<ExternalSorter<AnchorRecord>> anchors_;
    std::optional<ExternalSorter<MatchRecord>> matches_;
};

}  // namespace longhaul::dedup

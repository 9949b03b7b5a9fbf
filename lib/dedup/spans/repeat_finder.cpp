// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/repeat_finder.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "lib/dedup/in_threads.h"
#include "lib/dedup/spans/match_verifier.h"
#include "lib/dedup/spans/rolling_hash.h"

namespace longhaul::dedup {

namespace {

constexpr size_t kReadBytes = 1 << 19;     // of the text store at a time, by each thread
constexpr size_t kBlockAnchors = 1 << 15;  // that threads share out

/// Threads that look at places of the text store, which only grow.
class WindowReaders {
 public:
    WindowReaders(const TextStore& store, int threads) {
        for (int i = 0; i < threads; ++i) windows_.emplace_back(store, kReadBytes);
    }
    /// Calls look(window, i) for each i below `count`, neighbours in one thread.
    template <class Look>
    void run(size_t count, Look look) {
        constexpr size_t kFewest = 256;  // for which a thread is worth its start
        const auto threads = static_cast<int>(
            std::min<size_t>(windows_.size(), std::max<size_t>(count / kFewest, 1)));
        in_threads(threads, [&](int part) {
            const size_t end = part_begin(count, part + 1, threads);
            for (size_t i = part_begin(count, part, threads); i < end; ++i) {
                look(windows_[static_cast<size_t>(part)], i);
            }
        });
    }

 private:
    std::vector<TextWindow> windows_;
};

}  // namespace

RepeatFinder::RepeatFinder(const SubstringShape& shape, SpillArea& area, uint64_t sort_bytes,
                           int threads)
    : shape_(shape),
      area_(area),
      sort_bytes_(sort_bytes),
      threads_(std::max(threads, 1)),
      store_(area) {
    anchors_ = sorter<AnchorRecord>(2);
    matches_ = sorter<MatchRecord>(8);
}

void RepeatFinder::add_match(uint64_t place, uint64_t source, uint64_t length) {
    matches_->add({Packed48(place), Packed48(source), Packed48(length)});
}

void RepeatFinder::add_text(uint64_t id, std::string_view text, std::span<const Anchor> anchors,
                            std::span<const SelfRepeat> repeats) {
    const uint64_t begin = store_.add(id, text);
    for (const Anchor& anchor : anchors) {
        anchors_->add(AnchorRecord(anchor.hash, begin + anchor.at));
    }
    for (const SelfRepeat& repeat : repeats) {
        const uint64_t place = begin + repeat.at;
        add_match(place, place - repeat.distance, repeat.length);
    }
}

void RepeatFinder::find(SpanFindings& findings) {
    store_.finish();
    findings.num_anchors = anchors_->count();
    ExternalSorter<RepeatedAnchor> repeated = find_repeated(findings);
    ExternalSorter<ContextRecord> contexts = read_contexts(std::move(repeated));
    ExternalSorter<OpenAnchor> open = compare_contexts(std::move(contexts));
    ExternalSorter<WindowRecord> windows = read_windows(std::move(open));
    findings.num_windows = windows.count();
    compare_windows(std::move(windows));
    ExternalSorter<JoinedMatch> matches = join_matches();
    findings.num_matches = matches.count();
    MatchVerifier verifier(shape_.length, store_, area_, sort_bytes_ / 4);
    for (JoinedMatch match; matches.next(match);) verifier.add(match, findings);
    verifier.finish(findings);
}

ExternalSorter<RepeatedAnchor> RepeatFinder::find_repeated(SpanFindings& findings) {
    auto repeated = sorter<RepeatedAnchor>(4);
    anchors_->finish();
    uint64_t num_grams = 0;
    AnchorRecord first;
    bool has_first = false, is_listed = false;
    for (AnchorRecord anchor; anchors_->next(anchor);) {
        if (!has_first || anchor.key() != first.key()) {
            first = anchor;
            has_first = true;
            is_listed = false;
            continue;
        }
        if (!is_listed) repeated.add({first.id, Packed48(++num_grams)});
        is_listed = true;
        repeated.add({anchor.id, Packed48(num_grams)});
    }
    anchors_.reset();
    findings.num_repeated_anchors = repeated.count();
    repeated.finish();
    return repeated;
}

ExternalSorter<ContextRecord> RepeatFinder::read_contexts(ExternalSorter<RepeatedAnchor> anchors) {
    auto contexts = sorter<ContextRecord>(4);
    WindowReaders readers(store_, threads_);
    TextFinder finder(store_);
    std::vector<ContextRecord> block;
    const auto read = [&] {
        readers.run(block.size(), [&](TextWindow& window, size_t i) {
            ContextRecord& context = block[i];
            const uint64_t place = context.place.value();
            const std::string_view bytes =
                window.view(place - context.left, place + shape_.gram + context.right);
            context.hash_words = std::bit_cast<std::array<uint16_t, 4>>(xxh3_64(bytes));
        });
        for (const ContextRecord& context : block) contexts.add(context);
        block.clear();
    };
    for (RepeatedAnchor anchor; anchors.next(anchor);) {
        const uint64_t place = anchor.place.value();
        const StoredText& text = finder.at(place);
        const uint64_t left = std::min<uint64_t>(shape_.reach, place - text.begin.value());
        const uint64_t behind = place + shape_.gram;
        const uint64_t right = std::min<uint64_t>(shape_.reach, text.end.value() - behind);
        block.push_back({anchor.gram,
                         static_cast<uint16_t>(left),
                         static_cast<uint16_t>(right),
                         {},
                         anchor.place});
        if (block.size() == kBlockAnchors) read();
    }
    read();
    contexts.finish();
    return contexts;
}

/// An anchor so close behind the first one of its context that they overlap stays open: its windows
/// may be repeated, but not there.
ExternalSorter<OpenAnchor> RepeatFinder::compare_contexts(ExternalSorter<ContextRecord> contexts) {
    auto open = sorter<OpenAnchor>(4);
    ContextRecord first;    // of its context
    Packed48 first_open;    // of the gram
    uint64_t num_open = 0;  // of the gram so far
    bool has_first = false;
    for (ContextRecord context; contexts.next(context);) {
        const bool is_new = !has_first || !context.is_like(first);
        if (!has_first || context.gram.value() != first.gram.value()) num_open = 0;
        if (is_new) first = context;
        has_first = true;
        const uint64_t place = context.place.value(), source = first.place.value();
        if (!is_new && place - source >= shape_.length) {
            add_match(place - context.left, source - context.left,
                      context.left + shape_.gram + context.right);
            continue;
        }
        if (num_open == 0) first_open = context.place;
        if (num_open == 1) open.add({first_open});
        if (num_open >= 1) open.add({context.place});
        ++num_open;
    }
    open.finish();
    return open;
}

ExternalSorter<WindowRecord> RepeatFinder::read_windows(ExternalSorter<OpenAnchor> anchors) {
    auto windows = sorter<WindowRecord>(2);
    WindowReaders readers(store_, threads_);
    TextFinder finder(store_);
    std::vector<WindowRun> runs;
    std::vector<WindowRecord> block;
    const auto read = [&] {
        readers.run(runs.size(), [&](TextWindow& window, size_t i) {
            hash_windows(runs[i], window, block.data() + runs[i].at);
        });
        for (const WindowRecord& window : block) windows.add(window);
        runs.clear();
        block.clear();
    };
    uint64_t next_begin = 0;  // neighbouring anchors share windows
    for (OpenAnchor anchor; anchors.next(anchor);) {
        const uint64_t place = anchor.place.value();
        const StoredText& text = finder.at(place);
        const uint64_t reach = std::min<uint64_t>(shape_.reach, place - text.begin.value());
        const uint64_t first = std::max(place - reach, next_begin);
        const uint64_t last = std::min(place, text.end.value() - shape_.length);
        if (first > last) continue;
        runs.push_back({first, last, block.size()});
        block.resize(block.size() + last - first + 1);
        next_begin = last + 1;
        if (block.size() >= kBlockAnchors) read();
    }
    read();
    windows.finish();
    return windows;
}

void RepeatFinder::hash_windows(const WindowRun& run, TextWindow& window, WindowRecord* to) const {
    const std::string_view bytes = window.view(run.first, run.last + shape_.length);
    RollingHash hash(shape_.length);
    hash.start(bytes.substr(0, shape_.length));
    *to++ = {hash.value(), run.first};
    for (uint64_t i = 1; i <= run.last - run.first; ++i) {
        hash.roll(bytes[i - 1], bytes[i - 1 + shape_.length]);
        *to++ = {hash.value(), run.first + i};
    }
}

void RepeatFinder::compare_windows(ExternalSorter<WindowRecord> windows) {
    WindowRecord first;
    bool has_first = false;
    for (WindowRecord window; windows.next(window);) {
        if (!has_first || window.hash != first.hash) {
            first = window;
            has_first = true;
        } else if (window.id - first.id >= shape_.length) {
            add_match(window.id, first.id, shape_.length);
        }
    }
}

ExternalSorter<JoinedMatch> RepeatFinder::join_matches() {
    auto joined = sorter<JoinedMatch>(4);
    matches_->finish();
    MatchRecord open;
    bool has_open = false;
    for (MatchRecord match; matches_->next(match);) {
        // With a byte in common both are in the same document, here and at the source.
        const bool is_overlapping =
            has_open && match.distance() == open.distance() && match.place.value() < open.end();
        if (!is_overlapping) {
            if (has_open) joined.add({open});
            open = match;
            has_open = true;
        } else if (match.end() > open.end()) {
            open.length = Packed48(match.end() - open.place.value());
        }
    }
    if (has_open) joined.add({open});
    matches_.reset();
    joined.finish();
    return joined;
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/sample.h"

#include <algorithm>
#include <array>

#include "lib/base/check.h"

namespace longhaul::shards {

namespace {

void fill_begins(std::span<const uint32_t> starts, std::span<int32_t> out) {
    size_t at = 0;
    int32_t begin = 0;
    for (const uint32_t start : starts) {
        if (start >= out.size()) break;  // the first token behind the sample
        std::fill(out.begin() + static_cast<ptrdiff_t>(at),
                  out.begin() + static_cast<ptrdiff_t>(start), begin);
        at = start;
        begin = static_cast<int32_t>(start);
    }
    std::fill(out.begin() + static_cast<ptrdiff_t>(at), out.end(), begin);
}

}  // namespace

SampleMaker::SampleMaker(uint64_t seq_len, const SampleSettings& settings)
    : seq_len_(seq_len), settings_(settings) {}

void SampleMaker::make(const Dataset& set, std::span<const Piece> pieces,
                       const SampleBuffers& out) const {
    LH_CHECK(out.tokens.size() == seq_len_ && out.targets.size() == seq_len_ &&
                 (out.document_begins.empty() || out.document_begins.size() == seq_len_),
             "buffers for {} tokens of {}", out.tokens.size(), seq_len_);
    Starts starts;
    if (settings_.packing == Packing::kBestFit) {
        make_packed(set, pieces, out, starts);
    } else {
        make_stream(set, pieces, out, starts);
    }
    if (settings_.has_mask()) mask(set, pieces, out, starts);
    if (!out.document_begins.empty()) fill_begins(starts, out.document_begins);
}

void SampleMaker::make_stream(const Dataset& set, std::span<const Piece> pieces,
                              const SampleBuffers& out, Starts& starts) const {
    thread_local std::vector<int32_t> window;
    window.resize(seq_len_ + 1);
    const bool needs_starts = settings_.has_mask() || !out.document_begins.empty();
    size_t at = 0;
    for (const Piece& piece : pieces) {
        set.read(piece.first_token, std::span(window).subspan(at, piece.count));
        if (needs_starts) {
            for (const uint64_t token : set.document_starts(piece.first_token, piece.count)) {
                const uint64_t position = at + token - piece.first_token;
                if (position > 0) starts.push_back(static_cast<uint32_t>(position));
            }
        }
        at += piece.count;
    }
    LH_CHECK(at == window.size(), "{} tokens of {}", at, window.size());
    std::copy(window.begin(), window.end() - 1, out.tokens.begin());
    std::copy(window.begin() + 1, window.end(), out.targets.begin());
}

void SampleMaker::make_packed(const Dataset& set, std::span<const Piece> pieces,
                              const SampleBuffers& out, Starts& starts) const {
    thread_local std::vector<int32_t> tokens;
    size_t at = 0;
    for (const Piece& piece : pieces) {
        tokens.resize(piece.count + (piece.is_cut ? 1 : 0));
        set.read(piece.first_token, std::span(tokens));
        std::copy_n(tokens.begin(), piece.count, out.tokens.begin() + static_cast<ptrdiff_t>(at));
        std::copy(tokens.begin() + 1, tokens.end(),
                  out.targets.begin() + static_cast<ptrdiff_t>(at));
        at += piece.count;
        if (!piece.is_cut) out.targets[at - 1] = kNoTarget;
        starts.push_back(static_cast<uint32_t>(at));
    }
    const auto padding = static_cast<int32_t>(set.info().borders.padding_id());
    std::fill(out.tokens.begin() + static_cast<ptrdiff_t>(at), out.tokens.end(), padding);
    std::fill(out.targets.begin() + static_cast<ptrdiff_t>(at), out.targets.end(), kNoTarget);
}

void SampleMaker::mask(const Dataset& set, std::span<const Piece> pieces, const SampleBuffers& out,
                       const Starts& starts) const {
    if (settings_.masks_boundaries && settings_.packing == Packing::kStream) {
        for (const uint32_t start : starts) out.targets[start - 1] = kNoTarget;
    }
    if (!settings_.loss_spans.empty()) {
        const auto from = static_cast<int32_t>(settings_.loss_spans[0]);
        const auto to = static_cast<int32_t>(settings_.loss_spans[1]);
        bool is_on = is_in_span(set, pieces.front().first_token);
        auto start = starts.begin();
        size_t piece = 0;
        for (size_t i = 0; i < out.tokens.size(); ++i) {
            if (start != starts.end() && *start == i) {
                // A packed piece may be the rest of a document that was too long.
                const bool is_rest =
                    settings_.packing == Packing::kBestFit && ++piece < pieces.size();
                is_on = is_rest && is_in_span(set, pieces[piece].first_token);
                ++start;
            }
            if (out.tokens[i] == from) is_on = true;
            if (out.tokens[i] == to) is_on = false;
            const bool leaves = start != starts.end() && *start == i + 1;
            if (!is_on || leaves) out.targets[i] = kNoTarget;
        }
    }
    for (const uint32_t id : settings_.mask_ids) {
        std::replace(out.targets.begin(), out.targets.end(), static_cast<int32_t>(id), kNoTarget);
    }
}

/// Is the token before `token` inside a span of its document? Looks back for the last of the two
/// ids, at most to where the document begins.
bool SampleMaker::is_in_span(const Dataset& set, uint64_t token) const {
    const uint64_t begin = set.document_at(token).first_token;
    std::array<uint32_t, 1024> block;
    for (uint64_t end = token; end > begin;) {
        const uint64_t first = end - std::min<uint64_t>(end - begin, block.size());
        const auto part = std::span(block).first(end - first);
        set.read(first, part);
        for (size_t i = part.size(); i-- > 0;) {
            if (part[i] == settings_.loss_spans[0]) return true;
            if (part[i] == settings_.loss_spans[1]) return false;
        }
        end = first;
    }
    return false;
}

std::vector<int32_t> cu_seqlens(std::span<const int32_t> document_begins) {
    std::vector<int32_t> offsets;
    for (size_t i = 0; i < document_begins.size(); ++i) {
        if (document_begins[i] == static_cast<int32_t>(i)) offsets.push_back(document_begins[i]);
    }
    offsets.push_back(static_cast<int32_t>(document_begins.size()));
    return offsets;
}

}  // namespace longhaul::shards

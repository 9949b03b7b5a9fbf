// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/sample.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/shards/gather.h"

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

/// Appends the positions at which a document begins in a piece that lies at `at`.
void append_starts(const Dataset& set, const Piece& piece, size_t at,
                   std::vector<uint32_t>& starts) {
    if (piece.is_document) {
        if (at > 0) starts.push_back(static_cast<uint32_t>(at));
        return;
    }
    thread_local std::vector<uint64_t> tokens;
    tokens.clear();
    set.append_document_starts(piece.first_token, piece.count, tokens);
    for (const uint64_t token : tokens) {
        const uint64_t position = at + token - piece.first_token;
        if (position > 0) starts.push_back(static_cast<uint32_t>(position));
    }
}

/// Ids go straight into tables of the model's size.
/// @throws DataError naming the first token that is outside the vocabulary, where that is known.
void check_ids(const Dataset& set, std::span<const Piece> pieces, std::span<const int32_t> ids) {
    const uint32_t vocab_size = set.info().vocab_size;
    if (vocab_size == 0) return;
    const auto largest = static_cast<int32_t>(std::min<uint32_t>(vocab_size - 1, INT32_MAX));
    int32_t any = 0;  // negative: below 0 as i32, or above the largest
    for (const int32_t id : ids) any |= id | -static_cast<int32_t>(id > largest);
    if (any >= 0) return;
    size_t at = 0;
    for (const Piece& piece : pieces) {
        for (size_t i = 0; i < piece.count; ++i) {
            const int32_t id = ids[at + i];
            if (id >= 0 && id <= largest) continue;
            throw DataError(
                format("{}: token {} is id {}, and the vocabulary has {} ids: another "
                       "vocabulary (model.vocab_size), or damage",
                       set.info().folder.string(), piece.first_token + i, static_cast<uint32_t>(id),
                       vocab_size));
        }
        at += piece.count;
    }
}

/// Reads pieces one behind the other.
void read(const Dataset& set, std::span<const Piece> pieces, std::span<int32_t> out) {
    if (pieces.size() < 2 || !gather(set, pieces, out)) {
        size_t at = 0;
        for (const Piece& piece : pieces) {
            set.read(piece.first_token, out.subspan(at, piece.count));
            at += piece.count;
        }
    }
    check_ids(set, pieces, out);
}

/// Positions of two ids in 64 tokens, a bit for each: compared by vectors into bytes of 0 and 1, of
/// which a product brings eight together.
uint64_t find_in_block(const int32_t* __restrict tokens, int32_t first, int32_t second) {
    constexpr size_t kBlock = 64, kWord = sizeof(uint64_t);
    static_assert(std::endian::native == std::endian::little);
    uint8_t hits[kBlock];
    for (size_t i = 0; i < kBlock; ++i) {
        hits[i] = static_cast<uint8_t>((tokens[i] == first) | (tokens[i] == second));
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < kBlock; i += kWord) {
        uint64_t word;
        std::memcpy(&word, hits + i, kWord);
        bits |= (word * 0x0102040810204080u >> 56) << i;
    }
    return bits;
}

/// Calls found(position) where one of two ids is.
template <class Found>
void find_ids(std::span<const int32_t> tokens, int32_t first, int32_t second, Found&& found) {
    constexpr size_t kBlock = 64;
    size_t begin = 0;
    for (; begin + kBlock <= tokens.size(); begin += kBlock) {
        uint64_t bits = find_in_block(tokens.data() + begin, first, second);
        for (; bits != 0; bits &= bits - 1) {
            found(begin + static_cast<size_t>(std::countr_zero(bits)));
        }
    }
    for (; begin < tokens.size(); ++begin) {
        if (tokens[begin] == first || tokens[begin] == second) found(begin);
    }
}

/// std::replace in a form that becomes vectors: every element is stored.
void mask_id(std::span<int32_t> targets, int32_t id) {
    for (int32_t& target : targets) target = target == id ? kNoTarget : target;
}

}  // namespace

SampleMaker::SampleMaker(uint64_t seq_len, const SampleSettings& settings)
    : seq_len_(seq_len), settings_(settings) {}

void SampleMaker::make(const Dataset& set, std::span<const Piece> pieces,
                       const SampleBuffers& out) const {
    LH_CHECK(out.tokens.size() == seq_len_ && out.targets.size() == seq_len_ &&
                 (out.document_begins.empty() || out.document_begins.size() == seq_len_),
             "buffers for {} tokens of {}", out.tokens.size(), seq_len_);
    thread_local Starts starts;
    starts.clear();
    if (settings_.packing == Packing::kBestFit) {
        make_packed(set, pieces, out, starts);
    } else {
        make_stream(set, pieces, out, starts);
    }
    if (!settings_.loss_spans.empty()) mask_outside_spans(set, pieces, out, starts);
    if (settings_.masks_boundaries || !settings_.loss_spans.empty()) {
        for (const uint32_t start : starts) out.targets[start - 1] = kNoTarget;
    }
    for (const uint32_t id : settings_.mask_ids) mask_id(out.targets, static_cast<int32_t>(id));
    if (!out.document_begins.empty()) fill_begins(starts, out.document_begins);
}

void SampleMaker::make_stream(const Dataset& set, std::span<const Piece> pieces,
                              const SampleBuffers& out, Starts& starts) const {
    thread_local std::vector<int32_t> window;
    window.resize(seq_len_ + 1);
    const bool needs_starts =
        settings_.masks_boundaries || !settings_.loss_spans.empty() || !out.document_begins.empty();
    size_t at = 0;
    for (const Piece& piece : pieces) {
        if (needs_starts) append_starts(set, piece, at, starts);
        at += piece.count;
    }
    LH_CHECK(at == window.size(), "{} tokens of {}", at, window.size());
    read(set, pieces, window);
    std::copy(window.begin(), window.end() - 1, out.tokens.begin());
    std::copy(window.begin() + 1, window.end(), out.targets.begin());
}

void SampleMaker::make_packed(const Dataset& set, std::span<const Piece> pieces,
                              const SampleBuffers& out, Starts& starts) const {
    size_t at = 0;
    for (const Piece& piece : pieces) {
        at += piece.count;
        starts.push_back(static_cast<uint32_t>(at));
    }
    LH_CHECK(at <= seq_len_, "{} tokens of {}", at, seq_len_);
    read(set, pieces, out.tokens.first(at));
    const auto padding = static_cast<int32_t>(set.info().borders.padding_id());
    std::fill(out.tokens.begin() + static_cast<ptrdiff_t>(at), out.tokens.end(), padding);
    std::copy(out.tokens.begin() + 1, out.tokens.end(), out.targets.begin());
    std::fill(out.targets.begin() + static_cast<ptrdiff_t>(at), out.targets.end(), kNoTarget);
    for (size_t i = 0; i < pieces.size(); ++i) {
        int32_t& last = out.targets[starts[i] - 1];
        last = kNoTarget;
        if (pieces[i].is_cut) {
            const Piece next{pieces[i].first_token + pieces[i].count, 1};
            read(set, {&next, 1}, {&last, 1});
        }
    }
}

void SampleMaker::mask_outside_spans(const Dataset& set, std::span<const Piece> pieces,
                                     const SampleBuffers& out, const Starts& starts) const {
    const bool is_packed = settings_.packing == Packing::kBestFit;
    // A packed piece may be the rest of a document that was too long.
    const auto begins_in_span = [&](size_t piece) {
        return (!is_packed || pieces[piece].is_rest) && is_in_span(set, pieces[piece].first_token);
    };
    bool is_on = begins_in_span(0);
    size_t at = 0, piece = 0;
    const auto switch_to = [&](size_t position, bool on) {
        if (on == is_on && position < seq_len_) return;
        const auto begin = out.targets.begin();
        if (!is_on) {
            std::fill(begin + static_cast<ptrdiff_t>(at), begin + static_cast<ptrdiff_t>(position),
                      kNoTarget);
        }
        at = position;
        is_on = on;
    };
    auto start = starts.begin();
    const auto pass_starts = [&](size_t last) {
        for (; start != starts.end() && *start <= last; ++start) {
            const bool is_piece = is_packed && ++piece < pieces.size();
            switch_to(*start, is_piece && begins_in_span(piece));
        }
    };
    const auto from = static_cast<int32_t>(settings_.loss_spans[0]);
    const auto to = static_cast<int32_t>(settings_.loss_spans[1]);
    find_ids(out.tokens, from, to, [&](size_t position) {
        pass_starts(position);
        switch_to(position, out.tokens[position] == from);
    });
    pass_starts(seq_len_);
    switch_to(seq_len_, false);
}

/// Is the token before `token` inside a span of its document? Looks back for the last of the two
/// ids, at most to where the document begins.
bool SampleMaker::is_in_span(const Dataset& set, uint64_t token) const {
    const uint64_t begin = set.document_begin(token);
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

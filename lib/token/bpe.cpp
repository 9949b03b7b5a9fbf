// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/bpe.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <queue>

#include "lib/token/backtracking.h"
#include "lib/token/seams.h"

namespace longhaul::token {

namespace {

constexpr uint32_t kEnd = ~uint32_t{0};
constexpr size_t kTinyBytes = 3;  // merging is as fast as backtracking
constexpr size_t kFewBytes = 32;  // merged without allocating
// Backtracking takes some hundredths of a second to prepare: unasked, not before that many bytes.
constexpr size_t kBytesUnprepared = 256 << 10;

/// Whether a byte is one that well-formed UTF-8 never has.
bool is_never_in_utf8(uint8_t byte) {
    return byte == 0xC0 || byte == 0xC1 || byte >= 0xF5;
}

/// A symbol of a piece under merging, in a doubly linked list over an array.
struct Symbol {
    uint32_t id;
    uint32_t previous, next;  // kEnd: none
};

struct Candidate {
    uint32_t rank, position, id;
    bool operator>(const Candidate& other) const {
        return rank != other.rank ? rank > other.rank : position > other.position;
    }
};

}  // namespace

struct Bpe::Prepared {
    std::once_flag backtracking_once, seams_once;
    std::unique_ptr<Backtracking> backtracking;
    std::atomic<const Backtracking*> ready = nullptr;  // the same, once it is there
    std::atomic<size_t> bytes_unprepared = 0;
    std::unique_ptr<Seams> seams;
};

Bpe::Bpe(Vocabulary vocabulary, MergeTable merges, const Options& options)
    : vocabulary_(std::move(vocabulary)),
      merges_(std::move(merges)),
      options_(options),
      prepared_(std::make_unique<Prepared>()) {
    for (unsigned byte = 0; byte < 256; ++byte) {
        const char text = static_cast<char>(byte);
        byte_tokens_[byte] = vocabulary_.find(std::string_view(&text, 1));
        const bool is_missing = byte_tokens_[byte] == kNoToken;
        has_all_bytes_ = has_all_bytes_ && !is_missing;
        loses_text_ = loses_text_ || (is_missing && !is_never_in_utf8(static_cast<uint8_t>(byte)));
    }
    if (loses_text_) return;
    byte_pairs_.reserve(65536);
    for (const uint32_t left : byte_tokens_) {
        for (const uint32_t right : byte_tokens_) byte_pairs_.push_back(merges_.find(left, right));
    }
}

Bpe::Bpe(Bpe&&) noexcept = default;
Bpe::~Bpe() = default;

void Bpe::encode(std::string_view piece, std::vector<uint32_t>& ids) const {
    if (options_.whole_piece_first && piece.size() <= vocabulary_.longest_token_bytes()) {
        const uint32_t whole = vocabulary_.find(piece);
        if (whole != kNoToken) {
            ids.push_back(whole);
            return;
        }
    }
    encode_part(piece, ids);
}

void Bpe::prepare() const {
    if (loses_text_) return;
    std::call_once(prepared_->backtracking_once, [this] {
        prepared_->backtracking = std::make_unique<Backtracking>(*this);
        prepared_->ready.store(prepared_->backtracking.get(), std::memory_order_release);
    });
    seams();
}

/// Whether every byte of a piece is a token.
bool Bpe::knows_bytes(std::string_view piece) const {
    if (has_all_bytes_) return true;
    return !loses_text_ && std::none_of(piece.begin(), piece.end(), [](char byte) {
        return is_never_in_utf8(static_cast<uint8_t>(byte));
    });
}

const Backtracking* Bpe::backtracking(size_t num_bytes) const {
    const Backtracking* ready = prepared_->ready.load(std::memory_order_acquire);
    if (ready == nullptr) {
        std::atomic<size_t>& bytes = prepared_->bytes_unprepared;
        if (bytes.fetch_add(num_bytes, std::memory_order_relaxed) + num_bytes < kBytesUnprepared) {
            return nullptr;
        }
        prepare();
        ready = prepared_->ready.load(std::memory_order_acquire);
    }
    return ready->is_possible() ? ready : nullptr;
}

void Bpe::encode_part(std::string_view part, std::vector<uint32_t>& ids) const {
    const bool knows_bytes = this->knows_bytes(part);
    if (knows_bytes && part.size() > kTinyBytes) {
        if (const Backtracking* fast = backtracking(part.size())) {
            fast->encode(part, ids);
            return;
        }
    }
    if (part.size() <= kFewBytes && knows_bytes) {
        merge_few(part, ids);
    } else if (part.size() <= kMaxScanBytes) {
        encode_by_scan(part, ids);
    } else {
        encode_by_heap(part, ids);
    }
}

const Seams& Bpe::seams() const {
    std::call_once(prepared_->seams_once,
                   [this] { prepared_->seams = std::make_unique<Seams>(vocabulary_); });
    return *prepared_->seams;
}

size_t Bpe::cut(std::string_view piece, uint32_t* ends, size_t most) const {
    if (!knows_bytes(piece)) return Model::cut(piece, ends, most);  // what is dropped is no border
    return seams().cut(piece, std::span(ends, most));
}

/// encode_by_scan() for most of what a cache misses: at most kFewBytes, and all bytes are tokens.
void Bpe::merge_few(std::string_view piece, std::vector<uint32_t>& ids) const {
    std::array<uint32_t, kFewBytes> symbols, ranks, merged;  // of symbol i and the next
    size_t count = piece.size();
    for (size_t i = 0; i < count; ++i) symbols[i] = byte_tokens_[static_cast<uint8_t>(piece[i])];
    for (size_t i = 0; i + 1 < count; ++i) {
        const auto left = static_cast<uint8_t>(piece[i]),
                   right = static_cast<uint8_t>(piece[i + 1]);
        const Merge& merge = byte_pairs_[size_t{left} << 8 | right];
        ranks[i] = merge.rank;
        merged[i] = merge.id;
    }
    const auto set_pair = [&](size_t i) {
        const Merge merge = merges_.find(symbols[i], symbols[i + 1]);
        ranks[i] = merge.rank;
        merged[i] = merge.id;
    };
    while (count > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < count; ++i) best = ranks[i] < ranks[best] ? i : best;
        if (ranks[best] == kNoToken) break;
        symbols[best] = merged[best];
        --count;
        for (size_t i = best + 1; i < count; ++i) {
            symbols[i] = symbols[i + 1];
            ranks[i] = ranks[i + 1];  // the last is not used
            merged[i] = merged[i + 1];
        }
        if (best > 0) set_pair(best - 1);
        if (best + 1 < count) set_pair(best);
    }
    ids.insert(ids.end(), symbols.begin(), symbols.begin() + static_cast<ptrdiff_t>(count));
}

void Bpe::initial_symbols(std::string_view piece, std::vector<uint32_t>& symbols) const {
    symbols.clear();
    symbols.reserve(piece.size());
    bool after_unknown = false;
    for (const char byte : piece) {
        const uint32_t id = byte_tokens_[static_cast<uint8_t>(byte)];
        const bool is_unknown = id == kNoToken;
        if (!is_unknown) {
            symbols.push_back(id);
        } else if (options_.unknown_id != kNoToken && !(after_unknown && options_.fuse_unknown)) {
            symbols.push_back(options_.unknown_id);
        }
        after_unknown = is_unknown;
    }
}

void Bpe::encode_by_scan(std::string_view piece, std::vector<uint32_t>& ids) const {
    thread_local std::vector<uint32_t> symbols;
    thread_local std::vector<Merge> pairs;  // pairs[i]: symbols i and i + 1
    initial_symbols(piece, symbols);
    pairs.resize(symbols.size());
    size_t count = symbols.size();
    for (size_t i = 0; i + 1 < count; ++i) pairs[i] = merges_.find(symbols[i], symbols[i + 1]);
    while (count > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < count; ++i) {
            if (pairs[i].rank < pairs[best].rank) best = i;
        }
        if (pairs[best].rank == kNoToken) break;
        symbols[best] = pairs[best].id;
        std::copy(symbols.begin() + static_cast<ptrdiff_t>(best) + 2,
                  symbols.begin() + static_cast<ptrdiff_t>(count),
                  symbols.begin() + static_cast<ptrdiff_t>(best) + 1);
        std::copy(pairs.begin() + static_cast<ptrdiff_t>(best) + 2,
                  pairs.begin() + static_cast<ptrdiff_t>(count),
                  pairs.begin() + static_cast<ptrdiff_t>(best) + 1);
        --count;
        if (best > 0) pairs[best - 1] = merges_.find(symbols[best - 1], symbols[best]);
        if (best + 1 < count) pairs[best] = merges_.find(symbols[best], symbols[best + 1]);
    }
    ids.insert(ids.end(), symbols.begin(), symbols.begin() + static_cast<ptrdiff_t>(count));
}

void Bpe::encode_by_heap(std::string_view piece, std::vector<uint32_t>& ids) const {
    std::vector<uint32_t> initial;
    initial_symbols(piece, initial);
    if (initial.empty()) return;
    std::vector<Symbol> symbols(initial.size());
    std::vector<Candidate> candidates;
    const auto last = static_cast<uint32_t>(initial.size() - 1);
    for (uint32_t i = 0; i <= last; ++i) {
        symbols[i] = {initial[i], i == 0 ? kEnd : i - 1, i == last ? kEnd : i + 1};
        if (i == last) break;
        const Merge merge = merges_.find(initial[i], initial[i + 1]);
        if (merge.rank != kNoToken) candidates.push_back({merge.rank, i, merge.id});
    }
    std::priority_queue heap(std::greater<Candidate>(), std::move(candidates));
    const auto offer = [&](uint32_t left) {
        const uint32_t right = left == kEnd ? kEnd : symbols[left].next;
        if (right == kEnd) return;
        const Merge merge = merges_.find(symbols[left].id, symbols[right].id);
        if (merge.rank != kNoToken) heap.push({merge.rank, left, merge.id});
    };
    while (!heap.empty()) {
        const Candidate top = heap.top();
        heap.pop();
        Symbol& left = symbols[top.position];
        if (left.id == kNoToken || left.next == kEnd) continue;  // merged away meanwhile
        Symbol& right = symbols[left.next];
        const Merge now = merges_.find(left.id, right.id);
        if (now.rank != top.rank || now.id != top.id) continue;  // a neighbour changed
        left.id = top.id;
        right.id = kNoToken;
        left.next = right.next;
        if (right.next != kEnd) symbols[right.next].previous = top.position;
        offer(left.previous);
        offer(top.position);
    }
    for (uint32_t i = 0; i != kEnd; i = symbols[i].next) ids.push_back(symbols[i].id);
}

bool Bpe::encode_by_backtracking(std::string_view piece, std::vector<uint32_t>& ids) const {
    if (!knows_bytes(piece)) return false;
    prepare();
    if (!prepared_->backtracking->is_possible()) return false;
    prepared_->backtracking->encode(piece, ids);
    return true;
}

}  // namespace longhaul::token

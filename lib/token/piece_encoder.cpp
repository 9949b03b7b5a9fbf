// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/piece_encoder.h"

#include <algorithm>

#include "lib/base/check.h"

namespace longhaul::token {

PieceEncoder::PieceEncoder(const Model& model, size_t cache_bytes)
    : model_(model), cuts_pieces_(model.cuts_pieces()), cache_(cache_bytes) {}

void PieceEncoder::encode(std::string_view piece, size_t readable, std::vector<uint32_t>& ids) {
    uint32_t* out = room_.data();
    if (piece.size() <= ShortKey::kMaxBytes) {
        const ShortKey key = ShortKey::make(piece, readable);
        out = look_up(cache_.shorts, key, key.hash(), piece, out);
    } else if (piece.size() <= LongKey::kMaxBytes) {
        const LongKey key = LongKey::make(piece, readable);
        out = look_up(cache_.longs, key, key.hash(), piece, out);
    } else {
        encode_long(piece, ids);
    }
    ids.insert(ids.end(), room_.data(), out);
}

/// A long piece, maybe a whole document. Not for pieces of a batch: it makes batches itself.
void PieceEncoder::encode_long(std::string_view piece, std::vector<uint32_t>& ids) {
    if (!cuts_pieces_) {
        model_.encode(piece, ids);
        return;
    }
    std::array<uint32_t, kBatch> ends;
    while (!piece.empty()) {
        const size_t count = model_.cut(piece, ends.data(), ends.size());
        encode(piece, 0, ends.data(), count, ids);
        piece.remove_prefix(ends[count - 1]);
    }
}

void PieceEncoder::encode(std::string_view text, size_t begin, const uint32_t* ends, size_t count,
                          std::vector<uint32_t>& ids) {
    uint32_t from = 0;
    for (size_t done = 0; done < count;) {
        const size_t now = std::min(count - done, kBatch);
        prepare(text.substr(begin), from, ends + done, now);
        encode_batch(text.substr(begin), now, ids);
        done += now;
        from = ends[done - 1];
    }
}

/// Makes keys and asks for their entries: by the time that the last is made, the first is there.
size_t PieceEncoder::prepare(std::string_view text, size_t begin, const uint32_t* ends,
                             size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const size_t length = ends[i] - begin, readable = text.size() - begin;
        const std::string_view piece(text.data() + begin, length);
        Probe& probe = probes_[i];
        probe.begin = static_cast<uint32_t>(begin);
        probe.length = static_cast<uint32_t>(length);
        if (length <= ShortKey::kMaxBytes) {
            probe.key = ShortKey::make(piece, readable);
            probe.hash = probe.key.hash();
            cache_.shorts.prefetch(probe.hash);
        } else if (length <= LongKey::kMaxBytes) {
            probe.hash = LongKey::make(piece, readable).hash();
            cache_.longs.prefetch(probe.hash);
        }
        begin = ends[i];
    }
    return begin;
}

void PieceEncoder::encode_batch(std::string_view text, size_t count, std::vector<uint32_t>& ids) {
    uint32_t* out = room_.data();
    for (size_t i = 0; i < count; ++i) {
        const Probe& probe = probes_[i];
        if (probe.length <= ShortKey::kMaxBytes) [[likely]] {
            // The two entries of a line are compared without a branch on which it is.
            const auto* entry = cache_.shorts.line(probe.hash);
            entry += entry[1].key == probe.key;
            const uint32_t number = entry->count();
            if (entry->key == probe.key && number != PieceCache::Short::kElsewhere) [[likely]] {
                std::memcpy(out, entry->ids.data(), sizeof entry->ids);
                out[PieceCache::Short::kInline - 1] &= 0xFFFFFF;
                out += number;
                continue;
            }
        }
        const std::string_view piece(text.data() + probe.begin, probe.length);
        if (probe.length <= ShortKey::kMaxBytes) {
            out = look_up(cache_.shorts, probe.key, probe.hash, piece, out);
        } else if (probe.length <= LongKey::kMaxBytes) {
            const LongKey key = LongKey::make(piece, text.size() - probe.begin);
            out = look_up(cache_.longs, key, probe.hash, piece, out);
        } else {
            ids.insert(ids.end(), room_.data(), out);
            out = room_.data();
            model_.encode(piece, ids);
        }
        // What follows may take kMostInline each.
        if (static_cast<size_t>(out - room_.data()) > (i + 1) * kMostInline) {
            ids.insert(ids.end(), room_.data(), out);
            out = room_.data();
        }
    }
    ids.insert(ids.end(), room_.data(), out);
}

template <class Table>
uint32_t* PieceEncoder::look_up(Table& table, const typename Table::Key& key, uint64_t hash,
                                std::string_view piece, uint32_t* out) {
    auto* entry = table.find(key, hash);
    if (entry->key == key) {
        const uint32_t number = entry->count();
        if (number == Table::kElsewhere) return put(table.elsewhere(*entry), out);
        std::memcpy(out, entry->ids.data(), sizeof entry->ids);
        out[Table::kInline - 1] &= 0xFFFFFF;
        return out + number;
    }
    missed_.clear();
    model_.encode(piece, missed_);
    LH_CHECK(missed_.size() <= kMostIds, "{} ids for {} bytes", missed_.size(), piece.size());
    table.store(entry, key, hash, missed_);
    return put(missed_, out);
}

uint32_t* PieceEncoder::put(std::span<const uint32_t> ids, uint32_t* out) {
    return std::copy(ids.begin(), ids.end(), out);
}

}  // namespace longhaul::token

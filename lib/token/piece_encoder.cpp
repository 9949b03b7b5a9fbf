// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/piece_encoder.h"

#include <algorithm>

#include "lib/base/hash.h"

namespace longhaul::token {

namespace {

/// Whether a piece longer than a short key had better be looked for in parts: Chinese, Japanese and
/// Korean pieces are not words and seldom come again. By the last character, U+3000 to U+DFFF.
bool is_unspaced(std::string_view piece) {
    const auto lead = static_cast<uint8_t>(piece[piece.size() - 3]);
    return lead >= 0xE3 && lead <= 0xED;
}

}  // namespace

PieceEncoder::PieceEncoder(const Model& model, size_t cache_bytes)
    : model_(model), cuts_pieces_(model.cuts_pieces()), cache_(cache_bytes) {}

inline void PieceEncoder::make_short(Probe& probe, std::string_view text, size_t readable,
                                     bool is_part) {
    const Short::Key key = Short::Key::make(text, readable, is_part);
    const uint64_t hash = key.hash();
    probe.key = key;
    probe.hash = hash;
    probe.begin = text.data();
    cache_.shorts.prefetch(hash);
}

void PieceEncoder::make_long(Probe& probe, std::string_view text, size_t readable, bool is_part) {
    probe.key.words = {text.size() * 2 + (is_part ? 1 : 0), 0};
    probe.begin = text.data();
    if (text.size() > Long::Key::kMaxBytes) return;
    probe.hash = Long::Key::make(text, readable, is_part).hash();
    cache_.longs.prefetch(probe.hash);
}

void PieceEncoder::encode(std::string_view piece, size_t readable, std::vector<uint32_t>& ids) {
    readable_end_ = piece.data() + readable;
    if (piece.size() <= Short::Key::kMaxBytes) {
        make_short(probes_[num_probes_++], piece, readable, false);
    } else {
        add_longer(piece, ids);
    }
    flush(ids);
}

void PieceEncoder::encode(std::string_view text, size_t begin, std::span<const uint32_t> ends,
                          std::vector<uint32_t>& ids) {
    const char* const end_of_text = text.data() + text.size();
    const char* const base = text.data() + begin;
    readable_end_ = end_of_text;
    const char* piece = base;
    size_t count = 0;
    for (const uint32_t end : ends) {
        const auto length = static_cast<size_t>(base + end - piece);
        const auto readable = static_cast<size_t>(end_of_text - piece);
        if (length <= Short::Key::kMaxBytes) [[likely]] {
            make_short(probes_[count++], {piece, length}, readable, false);
        } else {
            num_probes_ = count;
            add_longer({piece, length}, ids);
            count = num_probes_;
        }
        piece = base + end;
        if (count == kBatch) {
            num_probes_ = count;
            flush(ids);
            count = 0;
        }
    }
    num_probes_ = count;
    flush(ids);
}

/// Adds a piece that has no short key. There is room for a probe, before and after.
void PieceEncoder::add_longer(std::string_view piece, std::vector<uint32_t>& ids) {
    // Pieces of a model that does not take bytes may be whole documents.
    const bool is_cut = !model_.takes_bytes() || piece.size() > TextTable::kMaxBytes;
    if (cuts_pieces_ && (is_cut || is_unspaced(piece))) {
        add_parts(piece, ids);
    } else {
        const auto readable = static_cast<size_t>(readable_end_ - piece.data());
        make_long(probes_[num_probes_++], piece, readable, false);
    }
}

void PieceEncoder::add_parts(std::string_view piece, std::vector<uint32_t>& ids) {
    std::array<uint32_t, 64> ends;
    bool is_part = false;
    while (!piece.empty()) {
        const size_t count = model_.cut(piece, ends.data(), ends.size());
        is_part = is_part || ends[0] < piece.size();
        uint32_t from = 0;
        for (size_t i = 0; i < count; ++i) {
            const std::string_view part = piece.substr(from, ends[i] - from);
            const auto readable = static_cast<size_t>(readable_end_ - part.data());
            Probe& probe = probes_[num_probes_++];
            if (part.size() <= Short::Key::kMaxBytes) {
                make_short(probe, part, readable, is_part);
            } else {
                make_long(probe, part, readable, is_part);
            }
            if (num_probes_ == kBatch) flush(ids);
            from = ends[i];
        }
        piece.remove_prefix(from);
    }
}

void PieceEncoder::flush(std::vector<uint32_t>& ids) {
    uint32_t* out = room_.data();
    for (size_t i = 0; i < num_probes_; ++i) {
        const Probe& probe = probes_[i];
        if (probe.is_short()) [[likely]] {
            out = look_up_short(probe, out, ids);
        } else if (probe.length() <= Long::Key::kMaxBytes) {
            out = look_up_long(probe, out, ids);
        } else {
            ids.insert(ids.end(), room_.data(), out);
            out = room_.data();
            encode_text(probe, ids);
        }
        // What follows may take kMostInline each.
        if (static_cast<size_t>(out - room_.data()) > (i + 1) * kMostInline) [[unlikely]] {
            ids.insert(ids.end(), room_.data(), out);
            out = room_.data();
        }
    }
    ids.insert(ids.end(), room_.data(), out);
    num_probes_ = 0;
}

inline uint32_t* PieceEncoder::look_up_short(const Probe& probe, uint32_t* out,
                                             std::vector<uint32_t>& ids) {
    // The two entries of a line are compared without a branch on which it is.
    const auto* entry = cache_.shorts.line(probe.hash);
    entry += entry[1].key == probe.key;
    if (entry->key == probe.key) [[likely]] {
        return cache_.shorts.copy_ids(*entry, out);
    }
    return find_or_make(cache_.shorts, probe.key, probe, out, ids);
}

inline uint32_t* PieceEncoder::look_up_long(const Probe& probe, uint32_t* out,
                                            std::vector<uint32_t>& ids) {
    const auto readable = static_cast<size_t>(readable_end_ - probe.begin);
    const Long::Key key = Long::Key::make(probe.text(), readable, probe.is_part());
    const auto* entry = cache_.longs.line(probe.hash);
    if (entry->key == key) [[likely]] {
        return cache_.longs.copy_ids(*entry, out);
    }
    return find_or_make(cache_.longs, key, probe, out, ids);
}

template <class Table>
uint32_t* PieceEncoder::find_or_make(Table& table, const typename Table::Key& key,
                                     const Probe& probe, uint32_t* out,
                                     std::vector<uint32_t>& ids) {
    auto* entry = table.find(key, probe.hash);
    if (entry->key == key) return table.copy_ids(*entry, out);
    missed_.clear();
    encode_by_model(probe, missed_);
    if (missed_.size() > kMostIds) [[unlikely]] {  // a normaliser made much of it
        ids.insert(ids.end(), room_.data(), out);
        ids.insert(ids.end(), missed_.begin(), missed_.end());
        return room_.data();
    }
    table.store(entry, key, probe.hash, missed_);
    return std::copy(missed_.begin(), missed_.end(), out);
}

void PieceEncoder::encode_by_model(const Probe& probe, std::vector<uint32_t>& ids) const {
    if (probe.is_part()) {
        model_.encode_part(probe.text(), ids);
    } else {
        model_.encode(probe.text(), ids);
    }
}

/// What has no key.
void PieceEncoder::encode_text(const Probe& probe, std::vector<uint32_t>& ids) {
    if (probe.length() > TextTable::kMaxBytes) {
        encode_by_model(probe, ids);
        return;
    }
    const uint64_t hash = xxh3_64(probe.text()) ^ (probe.is_part() ? 1 : 0);
    if (const auto known = cache_.texts.find(probe.text(), hash)) {
        ids.insert(ids.end(), known->begin(), known->end());
        return;
    }
    const size_t before = ids.size();
    encode_by_model(probe, ids);
    cache_.texts.store(probe.text(), hash, std::span(ids).subspan(before));
}

}  // namespace longhaul::token

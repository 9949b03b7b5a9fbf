// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/piece_encoder.h"

#include <algorithm>

#include "lib/base/check.h"
#include "lib/base/hash.h"

namespace longhaul::token {

namespace {

// Longer parts of unspaced pieces hardly come again.
constexpr size_t kMostPartBytes = 12;

/// Whether a piece longer than a short key is better made of parts: Chinese, Japanese and Korean
/// pieces are not words and seldom come again. By the last character, U+3000 to U+DFFF.
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

void PieceEncoder::make_long(Probe& probe, std::string_view text, size_t readable, Kind kind) {
    probe.key.words = {text.size() * 4 + static_cast<uint64_t>(kind), 0};
    probe.begin = text.data();
    const bool is_part = kind == Kind::kPart;
    if (text.size() <= Long::Key::kMaxBytes) {
        probe.hash = Long::Key::make(text, readable, is_part).hash();
        cache_.longs.prefetch(probe.hash);
    } else if (text.size() <= Wide::Key::kMaxBytes) {
        probe.hash = Wide::Key::make(text, readable, is_part).hash();
        cache_.wides.prefetch(probe.hash);
    } else {
        return;
    }
    if (kind == Kind::kUnspaced) cache_.seen.prefetch(probe.hash);
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
    const bool is_unspaced = cuts_pieces_ && token::is_unspaced(piece);
    // Pieces of a model that does not take bytes may be whole documents.
    if ((cuts_pieces_ && !model_.takes_bytes()) ||
        (is_unspaced && piece.size() > TextTable::kMaxBytes)) {
        add_parts(piece, ids);
    } else {
        const auto readable = static_cast<size_t>(readable_end_ - piece.data());
        make_long(probes_[num_probes_++], piece, readable,
                  is_unspaced ? Kind::kUnspaced : Kind::kPiece);
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
                make_long(probe, part, readable, is_part ? Kind::kPart : Kind::kPiece);
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
            out = look_up_short(probe, out);
        } else if (probe.length() <= Long::Key::kMaxBytes) {
            out = look_up_long(cache_.longs, probe, out);
        } else if (probe.length() <= Wide::Key::kMaxBytes) {
            out = look_up_long(cache_.wides, probe, out);
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

inline uint32_t* PieceEncoder::look_up_short(const Probe& probe, uint32_t* out) {
    // The two entries of a line are compared without a branch on which it is.
    const auto* entry = cache_.shorts.line(probe.hash);
    entry += entry[1].key == probe.key;
    if (entry->key == probe.key) [[likely]] {
        return cache_.shorts.copy_ids(*entry, out);
    }
    return find_or_make(cache_.shorts, probe.key, probe, out);
}

template <class Table>
inline uint32_t* PieceEncoder::look_up_long(Table& table, const Probe& probe, uint32_t* out) {
    const auto readable = static_cast<size_t>(readable_end_ - probe.begin);
    const auto key = Table::Key::make(probe.text(), readable, probe.is_part());
    const auto* first = table.line(probe.hash);
    if (first->key == key) [[likely]] {
        return table.copy_ids(*first, out);
    }
    if (!probe.is_unspaced()) return find_or_make(table, key, probe, out);
    auto* entry = table.find(key, probe.hash);
    if (entry->key == key) return table.copy_ids(*entry, out);
    uint32_t* const end = encode_in_parts(probe.text(), out);
    if (cache_.seen.check(probe.hash)) table.store(entry, key, probe.hash, std::span(out, end));
    return end;
}

/// The ids of a piece that had a key, without remembering it: of its parts the short ones come
/// again, others hardly.
uint32_t* PieceEncoder::encode_in_parts(std::string_view piece, uint32_t* out) {
    std::array<uint32_t, Wide::Key::kBytes> ends;
    const size_t count = model_.cut(piece, ends.data(), ends.size());
    uint32_t from = 0;
    for (size_t i = 0; i < count; from = ends[i++]) {
        const std::string_view part = piece.substr(from, ends[i] - from);
        const auto readable = static_cast<size_t>(readable_end_ - part.data());
        Probe& probe = part_probes_[i];
        if (part.size() <= kMostPartBytes) {
            make_short(probe, part, readable, true);
        } else {
            probe.key.words = {part.size() * 4, 0};
            probe.begin = part.data();
        }
    }
    for (size_t i = 0; i < count; ++i) {
        const Probe& probe = part_probes_[i];
        if (probe.is_short()) {
            out = look_up_short(probe, out);
            continue;
        }
        missed_.clear();
        count == 1 ? model_.encode(piece, missed_) : model_.encode_part(probe.text(), missed_);
        out = std::copy(missed_.begin(), missed_.end(), out);
    }
    return out;
}

template <class Table>
uint32_t* PieceEncoder::find_or_make(Table& table, const typename Table::Key& key,
                                     const Probe& probe, uint32_t* out) {
    auto* entry = table.find(key, probe.hash);
    if (entry->key == key) return table.copy_ids(*entry, out);
    missed_.clear();
    encode_by_model(probe, missed_);
    LH_CHECK(missed_.size() <= kMostIds, "{} ids for {} bytes", missed_.size(), probe.length());
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

/// What has no key, whole: in parts this long hardly anything comes again.
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
    if (probe.is_unspaced() && !cache_.seen.check(hash)) return;
    cache_.texts.store(probe.text(), hash, std::span(ids).subspan(before));
}

}  // namespace longhaul::token

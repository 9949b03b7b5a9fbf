// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/encoder.h"

namespace longhaul::token {

Encoder::Encoder(const Tokenizer& tokenizer, const EncodeOptions& options)
    : tokenizer_(tokenizer),
      model_(*tokenizer.parts().model),
      options_(options),
      scheme_(tokenizer.parts().pre_tokenizer.single_scheme()),
      cache_(options.use_fast_path ? options.cache_bytes : 0) {}

const AddedToken* Encoder::encode(std::string_view text, std::vector<uint32_t>& ids) {
    const AddedTokenFinder& added = tokenizer_.raw_added();
    if (options_.special_text == SpecialText::kRefuse) {
        const AddedToken* found = added.find_special(text);
        if (found == nullptr) found = tokenizer_.normalized_added().find_special(text);
        if (found != nullptr) return found;
    }
    if (added.is_empty()) {
        encode_plain(text, true, ids);
        return nullptr;
    }
    std::vector<TextPart> parts;
    added.split(text, options_.special_text == SpecialText::kParse, parts);
    for (const TextPart& part : parts) {
        if (part.id != kNoToken) {
            ids.push_back(part.id);
        } else {
            encode_plain(part.text, part.text.data() == text.data(), ids);
        }
    }
    return nullptr;
}

void Encoder::encode_plain(std::string_view text, bool starts_document,
                           std::vector<uint32_t>& ids) {
    const Normalizer& normalizer = tokenizer_.parts().normalizer;
    if (normalizer.surely_keeps(text)) {
        encode_normalized(text, starts_document, ids);
    } else {
        const std::string normal = normalizer.apply(text, &starts_document);
        encode_normalized(normal, starts_document, ids);
    }
}

void Encoder::encode_normalized(std::string_view text, bool starts_document,
                                std::vector<uint32_t>& ids) {
    const AddedTokenFinder& added = tokenizer_.normalized_added();
    if (added.is_empty()) {
        encode_pieces(text, starts_document, ids);
        return;
    }
    std::vector<TextPart> parts;
    added.split(text, options_.special_text == SpecialText::kParse, parts);
    for (const TextPart& part : parts) {
        if (part.id != kNoToken) {
            ids.push_back(part.id);
        } else {
            encode_pieces(part.text, starts_document && part.text.data() == text.data(), ids);
        }
    }
}

void Encoder::encode_pieces(std::string_view text, bool starts_document,
                            std::vector<uint32_t>& ids) {
    if (scheme_ && options_.use_fast_path) {
        const char* const safe_end = text.data() + text.size();
        for_each_piece(*scheme_, text, [&](std::string_view piece) {
            encode_piece(piece, safe_end - piece.data() >= 16, ids);
        });
        return;
    }
    tokenizer_.parts().pre_tokenizer.split(text, pieces_, options_.use_fast_path, starts_document);
    for (const std::string_view piece : pieces_.views) encode_piece(piece, false, ids);
}

void Encoder::encode_piece(std::string_view piece, bool is_readable_past,
                           std::vector<uint32_t>& ids) {
    if (piece.empty()) return;
    if (piece.size() > WordCache::kMaxPieceBytes || !options_.use_fast_path) {
        model_.encode(piece, ids);
        return;
    }
    const WordCache::Key key = WordCache::make_key(piece, is_readable_past);
    WordCache::Entry* entry = cache_.find(key);
    if (entry->key == key) {
        const auto known = cache_.ids(*entry);
        ids.insert(ids.end(), known.begin(), known.end());
        return;
    }
    const size_t before = ids.size();
    model_.encode(piece, ids);
    cache_.store(entry, key, std::span(ids).subspan(before));
}

}  // namespace longhaul::token

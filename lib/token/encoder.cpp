// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/encoder.h"

#include <algorithm>
#include <span>

namespace longhaul::token {

Encoder::AddedFilter::AddedFilter(const TokenizerParts& parts, bool is_normalized,
                                  bool parses_special) {
    for (const AddedToken& token : parts.added) {
        if (token.is_normalized != is_normalized || (token.is_special && !parses_special)) continue;
        // What the finder looks for: the normalised content of normalised tokens.
        const std::string content =
            is_normalized ? parts.normalizer.apply(token.content) : token.content;
        if (!content.empty() && first_bytes_.find(content[0]) == std::string::npos) {
            first_bytes_ += content[0];
        }
    }
}

bool Encoder::AddedFilter::may_find(std::string_view text) const {
    constexpr size_t kMostBytes = 4;  // more are not looked for one by one
    if (first_bytes_.size() > kMostBytes) return true;
    return std::any_of(first_bytes_.begin(), first_bytes_.end(),
                       [&](char byte) { return text.find(byte) != std::string_view::npos; });
}

Encoder::Encoder(const Tokenizer& tokenizer, const EncodeOptions& options)
    : tokenizer_(tokenizer),
      model_(*tokenizer.parts().model),
      options_(options),
      raw_filter_(tokenizer.parts(), false, options.special_text == SpecialText::kParse),
      normalized_filter_(tokenizer.parts(), true, options.special_text == SpecialText::kParse),
      pieces_encoder_(model_, options.use_fast_path ? options.cache_bytes : 0) {
    const auto scheme = tokenizer.parts().pre_tokenizer.single_scheme();
    if (scheme && options.use_fast_path) cutter_.emplace(*scheme);
    if (options.use_fast_path) model_.prepare();
    if (!options.use_fast_path || !normalized_filter_.is_empty()) return;
    if (const auto cuts = UnigramEncoder::find_cuts(tokenizer.parts())) {
        unigram_words_ =
            std::make_unique<UnigramEncoder>(tokenizer.parts(), *cuts, options.cache_bytes);
    } else if (const auto rule = find_word_rule(tokenizer.parts())) {
        words_ = std::make_unique<WordEncoder>(tokenizer.parts(), *rule, options.cache_bytes);
    }
}

const AddedToken* Encoder::encode(std::string_view text, std::vector<uint32_t>& ids) {
    const AddedTokenFinder& added = tokenizer_.raw_added();
    if (options_.special_text == SpecialText::kRefuse) {
        const AddedToken* found = added.find_special(text);
        if (found == nullptr) found = tokenizer_.normalized_added().find_special(text);
        if (found != nullptr) return found;
    }
    if (!raw_filter_.may_find(text)) {
        encode_plain(text, true, ids);
        return nullptr;
    }
    raw_parts_.clear();
    added.split(text, options_.special_text == SpecialText::kParse, raw_parts_);
    for (const TextPart& part : raw_parts_) {
        if (part.id != kNoToken) {
            add_token(part.id, ids);
        } else {
            encode_plain(part.text, part.text.data() == text.data(), ids);
        }
    }
    return nullptr;
}

const AddedToken* Encoder::encode_bytes(std::string_view bytes, std::vector<uint32_t>& ids) {
    if (!raw_bytes_) raw_bytes_.emplace(tokenizer_);
    const StandIns stand_ins(bytes, raw_bytes_->stand_in());
    cut_text_.clear();
    collects_ = true;
    const AddedToken* const found = encode(stand_ins.text(), ids);
    collects_ = false;
    if (found == nullptr) raw_bytes_->encode(cut_text_, stand_ins, ids);
    return found;
}

void Encoder::add_token(uint32_t id, std::vector<uint32_t>& ids) {
    if (collects_) {
        cut_text_.add_token(id);
    } else {
        ids.push_back(id);
    }
}

void Encoder::encode_plain(std::string_view text, bool starts_document,
                           std::vector<uint32_t>& ids) {
    if (words_ != nullptr && !collects_) {
        words_->encode(text, starts_document, ids);
        return;
    }
    if (unigram_words_ != nullptr && !collects_) {
        unigram_words_->encode(text, ids);
        return;
    }
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
    if (!normalized_filter_.may_find(text)) {
        encode_pieces(text, starts_document, ids);
        return;
    }
    normalized_parts_.clear();
    added.split(text, options_.special_text == SpecialText::kParse, normalized_parts_);
    for (const TextPart& part : normalized_parts_) {
        if (part.id != kNoToken) {
            add_token(part.id, ids);
        } else {
            encode_pieces(part.text, starts_document && part.text.data() == text.data(), ids);
        }
    }
}

void Encoder::encode_pieces(std::string_view text, bool starts_document,
                            std::vector<uint32_t>& ids) {
    const PreTokenizer& steps = tokenizer_.parts().pre_tokenizer;
    if (collects_) {
        steps.split(text, pieces_, options_.use_fast_path, starts_document);
        for (const std::string_view piece : pieces_.views) cut_text_.add_piece(piece);
        return;
    }
    if (cutter_ && steps.scheme_holds_for(text)) {
        encode_by_cutter(text, ids);
        return;
    }
    steps.split(text, pieces_, options_.use_fast_path, starts_document);
    for (const std::string_view piece : pieces_.views) {
        if (piece.empty()) continue;
        if (options_.use_fast_path) {
            pieces_encoder_.encode(piece, piece.size(), ids);
        } else {
            model_.encode(piece, ids);
        }
    }
}

void Encoder::encode_by_cutter(std::string_view text, std::vector<uint32_t>& ids) {
    for (size_t begin = 0; begin < text.size();) {
        const size_t count = cutter_->cut(text, begin, ends_);
        if (count != 0) {
            pieces_encoder_.encode(text, begin, std::span(ends_).first(count), ids);
            begin += ends_[count - 1];
        } else {
            const size_t end = next_piece(cutter_->scheme(), text, begin);
            pieces_encoder_.encode(text.substr(begin, end - begin), text.size() - begin, ids);
            begin = end;
        }
    }
}

}  // namespace longhaul::token

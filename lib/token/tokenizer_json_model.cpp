// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/tokenizer_json_model.h"

#include <algorithm>
#include <limits>

#include "lib/token/bpe_builder.h"
#include "lib/token/byte_level.h"
#include "lib/token/byte_piece.h"
#include "lib/token/char_bpe.h"
#include "lib/token/json_score.h"
#include "lib/token/unigram.h"
#include "lib/token/word_models.h"

namespace longhaul::token {

namespace {

/// The score of an unknown character lies so far below the lowest of a token.
constexpr double kUnknownPenalty = 10;

std::string text_or_empty(const JsonField& field) {
    return field.is_null() ? "" : field.text();
}

}  // namespace

JsonModel::JsonModel(const std::string& file_name) : source_(file_name + ": model") {
    visitor_ = {{"model", "vocab"},
                [this](const std::string& content, int64_t id) { add_token(content, id); },
                [this](const std::string& content, double score) { add_scored(content, score); },
                {"model", "merges"},
                [this](std::string_view left, std::string_view right, size_t) {
                    merges_.emplace_back(left, right);
                }};
}

void JsonModel::add_token(const std::string& content, int64_t id) {
    if (id < 0 || id > kMaxTokenId) {
        throw DataError(
            format("{}: token \"{}\": id {} is not in 0..{}", source_, content, id, kMaxTokenId));
    }
    const auto number = static_cast<uint32_t>(id);
    if (!ids_.emplace(content, number).second) {
        throw DataError(format("{}: token \"{}\" is there twice", source_, content));
    }
    tokens_.emplace_back(content, number);
}

uint32_t JsonModel::find(std::string_view content) const {
    const auto found = ids_.find(std::string(content));
    return found == ids_.end() ? kNoToken : found->second;
}

void JsonModel::add_scored(const std::string& content, double score) {
    const auto id = static_cast<uint32_t>(tokens_.size());
    if (id > kMaxTokenId) throw DataError(format("{}: more than {} tokens", source_, kMaxTokenId));
    ids_[content] = id;  // of equal tokens the last one counts, as in HF tokenizers
    tokens_.emplace_back(content, id);
    scores_.push_back(score);
}

std::unique_ptr<Model> JsonModel::build(const JsonField& model, const ParsedVocabulary& parsed,
                                        bool is_byte_level, std::vector<std::string>& warnings) {
    const JsonField type = model.member("type");
    const std::string name = type.is_null() ? name_of_untyped(model, parsed) : type.text();
    if (name == "BPE") return build_bpe(model, parsed, is_byte_level, warnings);
    if (name == "Unigram") return build_unigram(model, parsed, warnings);
    if (name == "WordPiece" || name == "WordLevel") {
        return build_word_model(model, parsed, name == "WordPiece");
    }
    type.fail(format("\"{}\" is not known (BPE, Unigram, WordPiece and WordLevel are)", name));
}

/// Files of HF tokenizers before 0.9 have no type: it is what the members fit.
std::string JsonModel::name_of_untyped(const JsonField& model,
                                       const ParsedVocabulary& parsed) const {
    if (parsed.has_scored) return "Unigram";
    if (parsed.has_merges) return "BPE";
    if (!model.member("max_input_chars_per_word").is_null()) return "WordPiece";
    return model.member("unk_token").is_null() ? "BPE" : "WordLevel";
}

std::unique_ptr<Model> JsonModel::build_word_model(const JsonField& model,
                                                   const ParsedVocabulary& parsed,
                                                   bool is_word_piece) const {
    if (!parsed.has_vocabulary) model.member("vocab").fail("is missing or not an object");
    if (model.member("unk_token").is_null()) model.member("unk_token").fail("is missing");
    const uint32_t unknown_id = read_unknown(model, true);
    if (!is_word_piece) return std::make_unique<WordLevel>(make_vocabulary(), unknown_id);
    WordPiece::Options options;
    options.unknown_id = unknown_id;
    options.inner_prefix = model.member("continuing_subword_prefix").text();
    const JsonField most = model.member("max_input_chars_per_word");
    if (most.integer() < 0) most.fail("is negative");
    options.max_characters = static_cast<uint64_t>(most.integer());
    return std::make_unique<WordPiece>(make_vocabulary(), options);
}

std::unique_ptr<Model> JsonModel::build_bpe(const JsonField& model, const ParsedVocabulary& parsed,
                                            bool is_byte_level,
                                            std::vector<std::string>& warnings) {
    const JsonField dropout = model.member("dropout");
    if (!dropout.is_null() && dropout.number() != 0) dropout.fail("random merges are refused");
    if (!parsed.has_vocabulary) model.member("vocab").fail("is missing or not an object");
    if (!parsed.has_merges) model.member("merges").fail("is missing or not an array");
    const bool has_affixes = !text_or_empty(model.member("continuing_subword_prefix")).empty() ||
                             !text_or_empty(model.member("end_of_word_suffix")).empty();
    if (is_byte_level && !has_affixes) return build_byte_bpe(model, warnings);
    return build_char_bpe(model, warnings);
}

std::unique_ptr<Model> JsonModel::build_byte_bpe(const JsonField& model,
                                                 std::vector<std::string>& warnings) {
    BpeBuilder builder(source_);
    for (const auto& [content, id] : tokens_) builder.add_token(content, id);
    for (size_t i = 0; i < merges_.size(); ++i) {
        builder.add_merge(merges_[i].first, merges_[i].second, format("merges[{}]", i));
    }
    Bpe::Options options;
    options.whole_piece_first = model.member("ignore_merges").boolean(false);
    options.fuse_unknown = model.member("fuse_unk").boolean(false);
    const bool is_complete = has_all_bytes();
    if (model.member("byte_fallback").boolean(false) && !is_complete) {
        model.member("byte_fallback").fail("true in a byte-level BPE that lacks bytes");
    }
    options.unknown_id = read_unknown(model, !is_complete);
    return builder.build(options, warnings);
}

/// True when the byte alphabet is all there.
bool JsonModel::has_all_bytes() const {
    for (unsigned byte = 0; byte < 256; ++byte) {
        const char text = static_cast<char>(byte);
        if (find(bytes_to_text({&text, 1})) == kNoToken) return false;
    }
    return true;
}

/// @param is_needed false: text can not be unknown, so that a token that is not there does no harm.
uint32_t JsonModel::read_unknown(const JsonField& model, bool is_needed) const {
    const JsonField unknown = model.member("unk_token");
    if (unknown.is_null()) return kNoToken;
    const uint32_t id = find(unknown.text());
    if (id == kNoToken && is_needed) {
        unknown.fail(format("\"{}\" is not in the vocabulary", unknown.text()));
    }
    return id;
}

Vocabulary JsonModel::make_vocabulary() const {
    Vocabulary vocabulary;
    for (const auto& [content, id] : tokens_) {
        if (vocabulary.contains(id)) {
            throw DataError(
                format("{}: two tokens have id {}, one is \"{}\"", source_, id, content));
        }
        vocabulary.add(id, content, find(content) == id && !content.empty());
    }
    return vocabulary;
}

MergeTable JsonModel::make_merges(const std::string& inner_prefix) const {
    MergeTable merges(merges_.size());
    for (uint32_t i = 0; i < merges_.size(); ++i) {
        const auto& [left, right] = merges_[i];
        const auto require = [&, &left = left, &right = right](const std::string& part) {
            const uint32_t id = find(part);
            if (id != kNoToken) return id;
            throw DataError(format("{}: merges[{}]: \"{} {}\": \"{}\" is not in the vocabulary",
                                   source_, i, left, right, part));
        };
        const uint32_t left_id = require(left), right_id = require(right);
        if (right.size() < inner_prefix.size()) {
            throw DataError(
                format("{}: merges[{}]: \"{} {}\": the second part is shorter than "
                       "continuing_subword_prefix",
                       source_, i, left, right));
        }
        merges.set(left_id, right_id, {i, require(left + right.substr(inner_prefix.size()))});
    }
    return merges;
}

std::unique_ptr<Model> JsonModel::build_char_bpe(const JsonField& model,
                                                 std::vector<std::string>& warnings) {
    const JsonField prefix = model.member("continuing_subword_prefix");
    CharBpe::Options options;
    options.byte_fallback = model.member("byte_fallback").boolean(false);
    options.fuse_unknown = model.member("fuse_unk").boolean(false);
    options.whole_piece_first = model.member("ignore_merges").boolean(false);
    options.inner_prefix = text_or_empty(prefix);
    options.end_suffix = text_or_empty(model.member("end_of_word_suffix"));
    bool is_complete = options.byte_fallback;
    for (unsigned byte = 0; byte < 256 && is_complete; ++byte) {
        is_complete = find(byte_piece(static_cast<uint8_t>(byte))) != kNoToken;
    }
    if (options.byte_fallback && !(options.inner_prefix.empty() && options.end_suffix.empty())) {
        model.member("byte_fallback").fail("true with affixes is not supported");
    }
    options.unknown_id = read_unknown(model, !is_complete);
    if (options.unknown_id == kNoToken && !is_complete) {
        warnings.push_back(
            format("{}: there is no unk_token: characters that are not in the "
                   "vocabulary are dropped, as HF tokenizers does",
                   source_));
    }
    return std::make_unique<CharBpe>(make_vocabulary(), make_merges(text_or_empty(prefix)),
                                     options);
}

std::unique_ptr<Model> JsonModel::build_unigram(const JsonField& model,
                                                const ParsedVocabulary& parsed,
                                                std::vector<std::string>& warnings) {
    if (!parsed.has_scored) model.member("vocab").fail("is missing or not an array");
    const JsonField unknown = model.member("unk_id");
    if (unknown.is_null()) {
        unknown.fail("is missing: HF tokenizers fails at the first character without a token");
    }
    const int64_t unknown_id = unknown.integer();
    if (unknown_id < 0 || unknown_id >= num_tokens()) {
        unknown.fail(format("{} is not in 0..{}", unknown_id, int64_t{num_tokens()} - 1));
    }
    Unigram::Options options;
    options.unknown_id = static_cast<uint32_t>(unknown_id);
    options.byte_fallback = model.member("byte_fallback").boolean(false);
    double lowest = std::numeric_limits<double>::infinity();
    std::vector<Unigram::Scored> scored;
    for (const auto& [content, id] : tokens_) {
        const double score = score_of_serde(scores_[id]);
        lowest = std::min(lowest, score);
        if (find(content) != id) {
            warnings.push_back(
                format("{}: vocab[{}]: \"{}\" is there again later", source_, id, content));
        } else if (!content.empty()) {
            scored.push_back({id, score});
        }
    }
    options.unknown_score = lowest - kUnknownPenalty;
    return std::make_unique<Unigram>(make_vocabulary(), scored, options);
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
// A tokenizer out of a SentencePiece .model.
#include <algorithm>
#include <limits>

#include "lib/base/error.h"
#include "lib/token/load.h"
#include "lib/token/normalizer_steps.h"
#include "lib/token/sentencepiece_bpe.h"
#include "lib/token/sentencepiece_decoder.h"
#include "lib/token/sentencepiece_model.h"
#include "lib/token/sentencepiece_normalizer.h"
#include "lib/token/unigram.h"

namespace longhaul::token {

namespace {

using PieceType = SentencePieceModel::PieceType;

/// Scores as sentencepiece 0.2.3 has them: an unknown character 10 below the lowest, user-defined
/// symbols a bonus for every byte after the first (found by experiment: release 0.2.0 and before
/// take the highest score of the file instead).
std::unique_ptr<Model> make_unigram(const SentencePieceModel& model) {
    constexpr float kUnknownPenalty = 10;
    constexpr double kBonusPerByte = 0.1;
    float lowest = std::numeric_limits<float>::max();
    for (const SentencePieceModel::Piece& piece : model.pieces) {
        if (piece.type == PieceType::kNormal) lowest = std::min(lowest, piece.score);
    }
    Vocabulary vocabulary;
    std::vector<Unigram::Scored> scored;
    for (uint32_t id = 0; id < model.pieces.size(); ++id) {
        const auto& [text, score, type] = model.pieces[id];
        vocabulary.add(id, text, true);
        if (type == PieceType::kNormal) {
            scored.push_back({id, score});
        } else if (type == PieceType::kUserDefined) {
            const auto length = static_cast<double>(text.size());
            scored.push_back({id, kBonusPerByte * length - kBonusPerByte});
        }
    }
    Unigram::Options options;
    options.reference = Unigram::Reference::kSentencePiece;
    options.unknown_id = model.unknown_id;
    options.unknown_score = lowest - kUnknownPenalty;
    options.byte_fallback = model.byte_fallback;
    return std::make_unique<Unigram>(std::move(vocabulary), scored, options);
}

/// Most models of Llama's kind only write spaces otherwise: then two steps that tokenizer.json has
/// as well do it, and what is known of those (lib/token/word_rule.h) holds.
void add_normalizer(const SentencePieceModel& model, const std::string& name, Normalizer& out) {
    const bool only_escapes = model.charsmap.empty() && !model.remove_extra_spaces &&
                              model.escape_spaces && !model.space_is_suffix;
    if (!only_escapes) {
        out.add(std::make_shared<const SentencePieceNormalizer>(model, name));
        return;
    }
    if (model.add_dummy_prefix) out.add(make_prepend_step("\xE2\x96\x81"));
    out.add(make_replace_step(" ", "\xE2\x96\x81"));
}

}  // namespace

TokenizerParts parse_sentencepiece(std::string_view content, const std::string& name) {
    const SentencePieceModel model = read_sentencepiece_model(content, name);
    TokenizerParts parts;
    parts.kind = "sentencepiece";
    parts.files = {{"tokenizer.model", std::string(content)}};
    switch (model.algorithm) {
        case SentencePieceModel::Algorithm::kUnigram:
            parts.model = make_unigram(model);
            break;
        case SentencePieceModel::Algorithm::kBpe:
            parts.model = std::make_unique<SentencePieceBpe>(model);
            break;
        case SentencePieceModel::Algorithm::kWord:
        case SentencePieceModel::Algorithm::kChar:
            throw DataError(format(
                "{}: trainer_spec.model_type {} is not supported (UNIGRAM and BPE are)", name,
                model.algorithm == SentencePieceModel::Algorithm::kWord ? "WORD" : "CHAR"));
    }
    add_normalizer(model, name, parts.normalizer);
    parts.decoder.add(make_sentencepiece_decoder(model));
    for (uint32_t id = 0; id < model.pieces.size(); ++id) {
        if (model.pieces[id].type != PieceType::kControl) continue;
        AddedToken control;
        control.content = model.pieces[id].text;
        control.id = id;
        control.is_special = true;
        parts.added.push_back(std::move(control));
    }
    if (model.has_denormalizer) {
        parts.warnings.push_back(
            format("{}: denormalizer_spec is ignored: it only changes decoded "
                   "text",
                   name));
    }
    return parts;
}

}  // namespace longhaul::token

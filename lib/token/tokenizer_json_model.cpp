// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/tokenizer_json_model.h"

#include "lib/token/bpe_builder.h"

namespace longhaul::token {

namespace {

/// Options of a BPE that change ids in ways we do not do.
void check_bpe_options(const JsonField& model) {
    const JsonField dropout = model.member("dropout");
    if (!dropout.is_null() && dropout.number() != 0) dropout.fail("random merges are refused");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        const JsonField affix = model.member(key);
        if (!affix.is_null() && !affix.text().empty()) affix.fail("is not supported");
    }
    if (model.member("byte_fallback").boolean(false)) {
        model.member("byte_fallback").fail("true is not supported (not byte-level)");
    }
}

}  // namespace

JsonModel::JsonModel(const std::string& file_name) : source_(file_name + ": model") {
    visitor_ = {{"model", "vocab"},
                [this](const std::string& content, int64_t id) { add_token(content, id); },
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

std::unique_ptr<Model> JsonModel::build(const JsonField& model, const ParsedVocabulary& parsed,
                                        bool is_byte_level,
                                        std::vector<std::string>& /*warnings*/) {
    const JsonField type = model.member("type");  // files before 0.9 have none
    const std::string name = type.is_null() ? "BPE" : type.text();
    if (name != "BPE") type.fail(format("\"{}\" is not supported (BPE is)", name));
    return build_bpe(model, parsed, is_byte_level);
}

std::unique_ptr<Model> JsonModel::build_bpe(const JsonField& model, const ParsedVocabulary& parsed,
                                            bool is_byte_level) {
    check_bpe_options(model);
    if (!is_byte_level) model.fail("a BPE without a ByteLevel step is not supported");
    if (!parsed.has_vocabulary) model.member("vocab").fail("is missing or not an object");
    if (!parsed.has_merges) model.member("merges").fail("is missing or not an array");
    BpeBuilder builder(source_);
    for (const auto& [content, id] : tokens_) builder.add_token(content, id);
    for (size_t i = 0; i < merges_.size(); ++i) {
        builder.add_merge(merges_[i].first, merges_[i].second, format("merges[{}]", i));
    }
    Bpe::Options options;
    options.whole_piece_first = model.member("ignore_merges").boolean(false);
    options.fuse_unknown = model.member("fuse_unk").boolean(false);
    if (const JsonField unknown = model.member("unk_token"); !unknown.is_null()) {
        options.unknown_id = builder.find(unknown.text());
        if (options.unknown_id == kNoToken) {
            unknown.fail(format("\"{}\" is not in the vocabulary", unknown.text()));
        }
    }
    return builder.build(options);
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The "model" section of tokenizer.json. Source of the format: huggingface/tokenizers,
// models/*/serialization.rs. Heavy: include from .cpp files only.

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/token/json_field.h"
#include "lib/token/json_vocabulary.h"
#include "lib/token/model.h"

namespace longhaul::token {

/// Receives vocabulary and merges while the file is parsed, then builds the model.
class JsonModel {
 public:
    /// @param file_name for messages.
    explicit JsonModel(const std::string& file_name);
    JsonModel(const JsonModel&) = delete;  // the visitor points here
    JsonModel& operator=(const JsonModel&) = delete;

    /// For parse_with_vocabulary().
    const VocabularyVisitor& visitor() const { return visitor_; }

    /// @param model the section without vocabulary and merges.
    /// @param is_byte_level a ByteLevel step of normaliser or pre-tokeniser hands the model text in
    ///        the byte alphabet (lib/token/byte_level.h).
    /// @throws DataError naming the place.
    std::unique_ptr<Model> build(const JsonField& model, const ParsedVocabulary& parsed,
                                 bool is_byte_level, std::vector<std::string>& warnings);

    /// Id of a token by its content in the file, or kNoToken.
    uint32_t find(std::string_view content) const;
    /// Number of tokens, which is one more than the largest id only if there are no holes.
    uint32_t num_tokens() const { return static_cast<uint32_t>(tokens_.size()); }

 private:
    void add_token(const std::string& content, int64_t id);
    void add_scored(const std::string& content, double score);
    std::unique_ptr<Model> build_bpe(const JsonField& model, const ParsedVocabulary& parsed,
                                     bool is_byte_level, std::vector<std::string>& warnings);
    std::unique_ptr<Model> build_byte_bpe(const JsonField& model,
                                          std::vector<std::string>& warnings);
    std::unique_ptr<Model> build_char_bpe(const JsonField& model,
                                          std::vector<std::string>& warnings);
    std::unique_ptr<Model> build_unigram(const JsonField& model, const ParsedVocabulary& parsed,
                                         std::vector<std::string>& warnings);
    std::unique_ptr<Model> build_word_model(const JsonField& model, const ParsedVocabulary& parsed,
                                            bool is_word_piece) const;
    std::string name_of_untyped(const JsonField& model, const ParsedVocabulary& parsed) const;
    Vocabulary make_vocabulary() const;
    MergeTable make_merges(const std::string& inner_prefix) const;
    uint32_t read_unknown(const JsonField& model, bool is_needed) const;
    bool has_all_bytes() const;

    std::string source_;
    VocabularyVisitor visitor_;
    std::vector<std::pair<std::string, uint32_t>> tokens_;  // in the order of the file
    std::unordered_map<std::string, uint32_t> ids_;
    std::vector<double> scores_;  // of tokens_, for Unigram
    std::vector<std::pair<std::string, std::string>> merges_;
};

}  // namespace longhaul::token

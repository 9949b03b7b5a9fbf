// SPDX-License-Identifier: BSD-3-Clause
// The "added_tokens" section of tokenizer.json.
#include <unordered_set>

#include "lib/token/tokenizer_json_parts.h"

namespace longhaul::token {

namespace {

AddedToken read_token(const JsonField& item) {
    AddedToken token;
    token.content = item.member("content").text();
    token.is_single_word = item.member("single_word").flag();
    token.strips_left = item.member("lstrip").flag();
    token.strips_right = item.member("rstrip").flag();
    token.is_normalized = item.member("normalized").flag();
    token.is_special = item.member("special").flag();
    if (token.content.empty()) item.fail("an empty added token");
    return token;
}

/// Text is cut at the normalised contents: two equal ones would be one token or the other.
void check_normalized_contents(const JsonField& field, const TokenizerParts& parts) {
    std::unordered_set<std::string> contents;
    for (const AddedToken& token : parts.added) {
        if (!token.is_normalized) continue;
        const std::string content = parts.normalizer.apply(token.content);
        if (content.empty()) {
            field.fail(format("\"{}\" is nothing once it is normalised", token.content));
        }
        if (!contents.insert(content).second) {
            field.fail(
                format("\"{}\" is, normalised, the same as another added token", token.content));
        }
    }
}

}  // namespace

/// HF tokenizers ignores the ids of the file: a token of model.vocab keeps its id there, the others
/// are counted on from the size of model.vocab (added_vocabulary.rs, add_tokens).
void read_added_tokens(const JsonField& field, const JsonModel& model, TokenizerParts& parts) {
    if (field.is_null()) return;
    int64_t next_id = model.num_tokens();
    std::unordered_set<std::string> contents;
    for (const JsonField& item : field.elements()) {
        AddedToken token = read_token(item);
        const int64_t id = item.member("id").integer();
        if (!contents.insert(token.content).second) {
            item.fail(format("\"{}\" is added twice", token.content));
        }
        const uint32_t in_model = model.find(token.content);
        const int64_t expected = in_model != kNoToken ? int64_t{in_model} : next_id++;
        if (id != expected) {
            item.fail(format("\"{}\" has id {}, but {} it gets {} in HF tokenizers; renumber it",
                             token.content, id,
                             in_model != kNoToken ? "as a token of model.vocab" : "as a new token",
                             expected));
        }
        if (id > kMaxTokenId) item.fail(format("id {} is too large", id));
        token.id = static_cast<uint32_t>(id);
        const bool clashes = in_model == kNoToken && parts.model->vocabulary().contains(token.id);
        if (clashes) {
            item.fail(format("added token \"{}\" and a token of model.vocab both have id {}",
                             token.content, id));
        }
        parts.added.push_back(std::move(token));
    }
    check_normalized_contents(field, parts);
}

}  // namespace longhaul::token

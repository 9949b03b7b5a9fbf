// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/data_source.h"

#include "lib/base/error.h"

namespace longhaul::tokenize {

namespace {

std::optional<uint32_t> token_of(const token::Tokenizer* tokenizer, const std::string& text,
                                 const char* option) {
    if (text.empty() || text == "none") return std::nullopt;
    if (tokenizer == nullptr) throw UsageError(format("{} needs --tokenizer", option));
    const auto id = tokenizer->find_token(text);
    if (!id) throw UsageError(format("{}: \"{}\" is not a token of the tokenizer", option, text));
    return id;
}

}  // namespace

shards::OpenOptions resolve_options(const DataSource& source,
                                    std::unique_ptr<token::Tokenizer>& tokenizer) {
    shards::OpenOptions options;
    options.may_lack_vocab_size = true;
    options.column = source.column;
    if (source.vocab_size > token::kMaxTokenId) throw UsageError("--vocab-size is too large");
    options.vocab_size = static_cast<uint32_t>(source.vocab_size);
    if (!source.tokenizer.path.empty()) {
        tokenizer = std::make_unique<token::Tokenizer>(token::load_tokenizer(source.tokenizer));
        options.tokenizer_hash = tokenizer->hash();
        if (options.vocab_size == 0) options.vocab_size = tokenizer->vocab_size();
    }
    options.bos_id = token_of(tokenizer.get(), source.bos, "--bos");
    options.eos_id = token_of(tokenizer.get(), source.eos, "--eos");
    return options;
}

OpenedData open_data(const DataSource& source) {
    OpenedData data;
    data.options = resolve_options(source, data.tokenizer);
    data.set = shards::open_shard_set(source.path, data.options);
    if (data.set.details.is_foreign) return data;
    if (data.tokenizer || source.vocab_size > 0) {
        throw UsageError(
            format("{} says its tokenizer and vocabulary itself: no --tokenizer, no "
                   "--vocab-size",
                   source.path));
    }
    data.tokenizer = std::make_unique<token::Tokenizer>(
        token::load_tokenizer({data.set.tokenizer_folder(), "", {}}));
    return data;
}

}  // namespace longhaul::tokenize

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/data_source.h"

#include "lib/base/error.h"

namespace longhaul::tokenize {

shards::OpenOptions resolve_options(const DataSource& source,
                                    std::unique_ptr<token::Tokenizer>& tokenizer) {
    shards::OpenOptions options;
    options.may_lack_vocab_size = true;
    options.column = source.column;
    if (source.vocab_size > token::kMaxTokenId) throw UsageError("--vocab-size is too large");
    options.vocab_size = static_cast<uint32_t>(source.vocab_size);
    if (source.tokenizer.path.empty() &&
        !(source.tokenizer.pattern.empty() && source.tokenizer.specials.empty())) {
        throw UsageError("--pattern and --special need --tokenizer");
    }
    if (!source.tokenizer.path.empty()) {
        tokenizer = std::make_unique<token::Tokenizer>(token::load_tokenizer(source.tokenizer));
        options.tokenizer_hash = tokenizer->hash();
        if (options.vocab_size == 0) options.vocab_size = tokenizer->vocab_size();
    }
    for (const auto& [option, words] : {std::pair("--bos", &source.bos), {"--eos", &source.eos}}) {
        if (words->empty() || *words == BorderWords{"none"} || tokenizer) continue;
        throw UsageError(format("{} needs --tokenizer", option));
    }
    if (!tokenizer) return options;
    if (!source.bos.empty()) options.borders.bos = resolve_bos(*tokenizer, source.bos);
    if (!source.eos.empty()) options.borders.eos = resolve_eos(*tokenizer, source.eos);
    return options;
}

void refuse_foreign_options(const DataSource& source) {
    const bool has_tokenizer = !source.tokenizer.path.empty() || source.vocab_size > 0;
    const bool has_borders = !source.bos.empty() || !source.eos.empty();
    if (has_tokenizer || has_borders || source.column != DataSource{}.column) {
        throw UsageError(
            format("{} says its tokenizer, vocabulary, BOS and EOS itself: no --tokenizer, "
                   "--vocab-size, --bos, --eos or --column",
                   source.path));
    }
}

OpenedData open_data(const DataSource& source) {
    OpenedData data;
    data.options = resolve_options(source, data.tokenizer);
    data.set = shards::open_shard_set(source.path, data.options);
    if (data.set.details.is_foreign) return data;
    refuse_foreign_options(source);
    data.tokenizer = std::make_unique<token::Tokenizer>(
        token::load_tokenizer({data.set.tokenizer_folder(), "", {}}));
    return data;
}

}  // namespace longhaul::tokenize

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Text to ids with a loaded tokenizer: added tokens, normaliser, pre-tokeniser, model, in this
// order (huggingface/tokenizers, tokenizer/mod.rs).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/cutter.h"
#include "lib/token/piece_encoder.h"
#include "lib/token/raw_bytes.h"
#include "lib/token/tokenizer.h"
#include "lib/token/unigram_encoder.h"
#include "lib/token/word_encoder.h"

namespace longhaul::token {

/// What the text of a control token inside a document means.
enum class SpecialText {
    kPlain,   // ordinary text (the default for corpora)
    kParse,   // the control token
    kRefuse,  // the document is a bad record
};

struct EncodeOptions {
    SpecialText special_text = SpecialText::kPlain;
    size_t cache_bytes = 64 << 20;
    bool use_fast_path = true;  // false: every pattern as a regular expression, no cache
};

/// Encodes documents with one tokenizer. One per thread: it owns a cache.
class Encoder {
 public:
    Encoder(const Tokenizer& tokenizer, const EncodeOptions& options);

    /// Appends the ids of a document, without BOS and EOS. Text must be well-formed UTF-8.
    /// @return the special token found, under kRefuse; then nothing is appended. Else null.
    const AddedToken* encode(std::string_view text, std::vector<uint32_t>& ids);
    /// The same for a text of any bytes: those that are not UTF-8 become the tokens of bytes
    /// (lib/token/raw_bytes.h). Not by the fast path. @throws DataError: why_no_raw_bytes()
    const AddedToken* encode_bytes(std::string_view bytes, std::vector<uint32_t>& ids);

 private:
    // starts_document: the text's first character is that of the document.
    void encode_plain(std::string_view text, bool starts_document, std::vector<uint32_t>& ids);
    void encode_normalized(std::string_view text, bool starts_document, std::vector<uint32_t>& ids);
    void encode_pieces(std::string_view text, bool starts_document, std::vector<uint32_t>& ids);
    void encode_by_cutter(std::string_view text, std::vector<uint32_t>& ids);
    void add_token(uint32_t id, std::vector<uint32_t>& ids);

    /// A quick look for added tokens: most documents have none.
    class AddedFilter {
     public:
        AddedFilter(const TokenizerParts& parts, bool is_normalized, bool parses_special);
        /// False: there is surely none in the text.
        bool may_find(std::string_view text) const;
        bool is_empty() const { return first_bytes_.empty(); }

     private:
        std::string first_bytes_;  // one of these begins every token that counts
    };

    const Tokenizer& tokenizer_;
    const Model& model_;
    EncodeOptions options_;
    AddedFilter raw_filter_, normalized_filter_;
    PieceEncoder pieces_encoder_;
    std::optional<Cutter> cutter_;
    std::unique_ptr<WordEncoder> words_;
    std::unique_ptr<UnigramEncoder> unigram_words_;
    Cutter::Ends ends_;
    Pieces pieces_;
    std::vector<TextPart> raw_parts_, normalized_parts_;
    // Of encode_bytes(): where pieces and added tokens go instead of the model and `ids`.
    std::optional<RawBytes> raw_bytes_;
    CutText cut_text_;
    bool collects_ = false;
};

}  // namespace longhaul::token

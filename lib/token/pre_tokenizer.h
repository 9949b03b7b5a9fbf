// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The cutting of text into pieces: a sequence of steps as tokenizer.json describes them
// (huggingface/tokenizers, pre_tokenizers/*.rs). A single known pattern runs by its scanner
// (lib/token/scheme.h), everything else here.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/split_spans.h"

namespace longhaul::token {

/// Pieces of a text, and the storage of those that a step had to rewrite.
struct Pieces {
    std::vector<std::string_view> views;
    std::deque<std::string> rewritten;
    void reset(std::string_view text) {
        views.assign(1, text);
        rewritten.clear();
    }
};

/// Metaspace: spaces become `replacement`, which may be put before a piece and begins new pieces.
struct Metaspace {
    enum class Prepend { kAlways, kFirst, kNever };
    std::string replacement = "\u2581";  // one character
    Prepend prepend = Prepend::kAlways;  // kFirst: only where the document begins
    bool splits = true;
};

/// Immutable once built; split() may be called in parallel.
class PreTokenizer {
 public:
    void add_scheme(Scheme scheme, SplitBehavior behavior, bool is_inverted);
    void add_regex(std::string_view pattern, SplitBehavior behavior, bool is_inverted);
    /// @param literal not empty
    void add_literal(std::string literal, SplitBehavior behavior, bool is_inverted);
    void add_class(SplitClass what, SplitBehavior behavior);
    void add_words();                      // Whitespace
    void add_scripts();                    // UnicodeScripts
    void add_fixed_length(size_t length);  // > 0
    void add_metaspace(Metaspace metaspace);
    /// Puts a space before every piece that does not begin with one (ByteLevel add_prefix_space).
    void add_prefix_space();
    /// Writes every byte as the character that stands for it (ByteLevel); later steps see those.
    void add_byte_alphabet();

    /// True when the pieces consist of the byte alphabet and come from one translation into it.
    /// @param text_is_translated the normaliser has translated the text already
    bool ends_in_byte_alphabet(bool text_is_translated) const;
    /// For models that take bytes: pieces of the byte alphabet are handed over as the bytes they
    /// stand for. Only if ends_in_byte_alphabet(); after all add_...().
    void hand_over_bytes(bool text_is_translated);

    /// Set when the steps are exactly those of one scheme: the fast path.
    std::optional<Scheme> single_scheme() const;
    /// False for the rare text that single_scheme() would cut otherwise than the steps: its digits
    /// are those of Unicode 16.0, those of a Digits step are newer.
    bool scheme_holds_for(std::string_view text) const;
    /// True when a step asks for character classes of HF tokenizers (hf_unicode.h).
    bool uses_classes() const;
    /// True when the pieces joined are the text: nothing is removed or put before.
    bool keeps_text() const;
    bool is_identity() const { return steps_.empty(); }
    /// True when a text may be cut where Normalizer::cuts_before() says so: split() of the parts,
    /// of all but the first with starts_document false, gives the pieces of the whole, and always
    /// one begins there or the blank is dropped. Only if the normaliser makes a space of the blank,
    /// or white space is dropped first.
    bool cuts_before_blanks() const;
    /// The only step, if it is a Metaspace that does not split.
    const Metaspace* only_metaspace() const;
    /// True when the only step is a Split at this text.
    bool only_splits_at(std::string_view literal) const;
    /// Cuts `text` by all steps; pieces are not empty. @param use_scanners false: known patterns
    /// run as regular expressions too, which must give the same pieces. @param starts_document the
    /// text's first character is that of the document
    void split(std::string_view text, Pieces& pieces, bool use_scanners,
               bool starts_document = true) const;

 private:
    enum class Kind {
        kScheme,
        kRegex,
        kLiteral,
        kClass,
        kWords,
        kScripts,
        kLengths,
        kMetaspace,
        kPrefixSpace,
        kToAlphabet,
        kToBytes
    };
    struct Step {
        Kind kind;
        SplitBehavior behavior = SplitBehavior::kIsolated;
        bool is_inverted = false;
        Scheme scheme = Scheme::kGpt2;
        SplitClass split_class = SplitClass::kNumeric;
        size_t length = 0;
        std::string literal;  // of kLiteral; the pattern of kRegex
        Metaspace metaspace;
        std::shared_ptr<const Regex> regex;
        std::shared_ptr<const SchemeTruth> truth;  // of the scheme
    };
    static std::string scheme_step(const Step& step);
    static bool is_rewriting(Kind kind) { return kind >= Kind::kMetaspace; }
    static void find_spans(const Step& step, std::string_view text, bool use_scanners,
                           SplitSpans& spans);
    static void rewrite(const Step& step, bool starts_document, Pieces& pieces);
    static void cut(const Step& step, bool use_scanners, bool& starts_document, Pieces& pieces);

    std::vector<Step> steps_;
};

}  // namespace longhaul::token

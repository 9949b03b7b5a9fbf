// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The cutting of text into pieces: a sequence of steps as tokenizer.json describes them. A single
// known pattern runs by its scanner (lib/token/scheme.h), everything else here.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/regex.h"
#include "lib/token/scheme.h"

namespace longhaul::token {

/// What becomes of the matches of a Split step (names of HF tokenizers).
enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

/// Pieces of a text, and the storage of those that a step had to rewrite.
struct Pieces {
    std::vector<std::string_view> views;
    std::deque<std::string> rewritten;
    void reset(std::string_view text) {
        views.assign(1, text);
        rewritten.clear();
    }
};

/// Immutable once built; split() may be called in parallel.
class PreTokenizer {
 public:
    void add_scheme(Scheme scheme, SplitBehavior behavior, bool is_inverted);
    void add_regex(std::string_view pattern, SplitBehavior behavior, bool is_inverted);
    void add_literal(std::string literal, SplitBehavior behavior, bool is_inverted);
    /// Puts a space before every piece that does not begin with one (ByteLevel add_prefix_space).
    void add_prefix_space();

    /// Set when the steps are exactly one scheme: the fast path.
    std::optional<Scheme> single_scheme() const;
    /// True when the pieces joined are the text: nothing is removed or put before.
    bool keeps_text() const;
    /// Cuts `text` by all steps. @param use_scanners false: known patterns run as regular
    /// expressions too, which must give the same pieces.
    void split(std::string_view text, Pieces& pieces, bool use_scanners) const;

 private:
    struct Step {
        enum class Kind { kScheme, kRegex, kLiteral, kPrefixSpace } kind;
        Scheme scheme = Scheme::kGpt2;
        std::shared_ptr<const Regex> regex;
        std::shared_ptr<const SchemeTruth> truth;  // of the scheme
        std::string literal;
        SplitBehavior behavior = SplitBehavior::kIsolated;
        bool is_inverted = false;
    };
    struct Span {
        size_t begin, end;
        bool is_match;
    };
    static void find_spans(const Step& step, std::string_view text, bool use_scanners,
                           std::vector<Span>& spans);
    static void apply(const Step& step, std::vector<Span>& spans);

    std::vector<Step> steps_;
};

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What changes the text before it is cut into pieces: a sequence of steps as tokenizer.json
// describes them. The steps themselves: lib/token/normalizer_steps.h.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::token {

/// One step. Immutable; all members may be called in parallel. Texts are well-formed UTF-8. Time is
/// linear in the text.
class NormalizerStep {
 public:
    virtual ~NormalizerStep() = default;
    /// A quick answer: true means that apply() gives `text` back; false says nothing.
    virtual bool surely_keeps(std::string_view text) const = 0;
    virtual std::string apply(std::string_view text) const = 0;
    /// True when the first character of apply(text) comes from a later place than the beginning of
    /// `text`, as HF tokenizers counts: Metaspace with prepend_scheme "first" asks for it.
    virtual bool drops_start(std::string_view /*text*/) const { return false; }
    /// True when a text may be cut before this blank (a space, tab, line feed or carriage return),
    /// behind any character but a blank: apply() of the parts, joined, is apply() of the whole, and
    /// what becomes of the blank does not depend on what follows. The
    /// text may be what steps before have made of one, so that the cut is anywhere before a space.
    virtual bool cuts_before(char /*blank*/) const { return false; }
    /// A step that does nothing else than this. Empty: it does something else.
    struct Rewrite {
        std::string_view from, to;  // each `from` becomes `to`; `from` empty: `to` is put in front
    };
    virtual Rewrite rewrite() const { return {}; }
    /// True when apply() writes text in the byte alphabet (lib/token/byte_level.h).
    virtual bool writes_byte_alphabet() const { return false; }
};

/// Immutable once built; all const members may be called in parallel.
class Normalizer {
 public:
    void add(std::shared_ptr<const NormalizerStep> step) { steps_.push_back(std::move(step)); }
    /// NFC as HF tokenizers does it (Unicode 9.0 data).
    void add_nfc();

    /// True when there are no steps.
    bool is_identity() const { return steps_.empty(); }
    const std::vector<std::shared_ptr<const NormalizerStep>>& steps() const { return steps_; }
    /// NormalizerStep::cuts_before() of all steps.
    bool cuts_before(char blank) const;
    /// True when the last step, and no other, writes the byte alphabet.
    bool ends_in_byte_alphabet() const;
    /// A quick answer: true means that apply() gives `text` back; false says nothing.
    bool surely_keeps(std::string_view text) const;
    /// `text` after all steps. @param text well-formed UTF-8. @param[in,out] starts_document, if
    /// given: true while the text's first character comes from the first of the document.
    std::string apply(std::string_view text, bool* starts_document = nullptr) const;

 private:
    std::vector<std::shared_ptr<const NormalizerStep>> steps_;
};

}  // namespace longhaul::token

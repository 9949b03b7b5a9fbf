// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The part of a tokenizer that turns one piece of text into ids (HF tokenizers: "model").

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/token/vocabulary.h"

namespace longhaul::token {

/// Immutable after construction; encode() may be called in parallel.
class Model {
 public:
    virtual ~Model() = default;
    virtual const Vocabulary& vocabulary() const = 0;
    /// Appends the ids of one piece. @param piece well-formed UTF-8, not empty.
    virtual void encode(std::string_view piece, std::vector<uint32_t>& ids) const = 0;
    /// The id of what the vocabulary can not express, or kNoToken: it is dropped, or there is
    /// nothing of that kind.
    virtual uint32_t unknown_id() const = 0;
};

}  // namespace longhaul::token

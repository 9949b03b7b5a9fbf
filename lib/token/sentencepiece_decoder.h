// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Pieces back to text as sentencepiece does it. Source: google/sentencepiece,
// src/sentencepiece_processor.cc, Decode(pieces).

#include "lib/token/decoder.h"

namespace longhaul::token {

struct SentencePieceModel;

/// Control symbols are invisible, the unknown piece is what the model says, bytes that are no UTF-8
/// become U+FFFD each, and the space that was put before the text goes.
DecoderStepPtr make_sentencepiece_decoder(const SentencePieceModel& model);

}  // namespace longhaul::token

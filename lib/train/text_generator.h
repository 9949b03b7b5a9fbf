// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Text from a checkpoint: its weights, its model, and the tokenizer of the data that it was trained
// on.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "lib/tensor/dtype.h"
#include "lib/train/generate.h"

namespace longhaul::train {

struct TextOptions {
    std::string checkpoint;  // step-NNNNNNNN, or a run directory: its newest sound one
    std::string tokenizer;   // folder or file; "": CHECKPOINT/tokenizer, else that of its data
    std::string prompt;
    GenerateOptions generate;
    bool stop_at_end = true;  // at the tokenizer's end-of-document token
    tensor::DType compute = tensor::DType::kF32;
};

struct TextResult {
    std::string text;  // prompt not included
    int64_t prompt_tokens = 0, new_tokens = 0;
    StopReason reason = StopReason::kMaxTokens;
    double seconds = 0;  // of the new tokens
    int64_t step = 0;    // of the checkpoint
};
const char* name_of(StopReason reason);

/// @param on_text called with each piece of whole characters as soon as it is known.
/// @throws UsageError, DataError naming the file; nothing was printed then.
TextResult generate_text(const TextOptions& options,
                         const std::function<void(std::string_view)>& on_text);

}  // namespace longhaul::train

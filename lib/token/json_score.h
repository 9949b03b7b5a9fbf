// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Numbers of a tokenizer.json as HF tokenizers reads them.

namespace longhaul::token {

/// What serde_json makes of a number: digits as an integer, rounded, divided by a power of ten,
/// rounded again, so that the last bit may differ from the nearest double. Scores of Unigram are
/// added up, and equal sums are decided by that bit.
/// @param value the nearest double; the file is taken to hold its shortest decimal form, which is
///        what Python and Rust write.
/// @source serde-rs/json, src/de.rs, f64_from_parts (without the feature float_roundtrip)
double score_of_serde(double value);

}  // namespace longhaul::token

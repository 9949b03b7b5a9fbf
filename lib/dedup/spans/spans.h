// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sub-command `dedup-minhash spans`: removes lines, paragraphs or substrings that occurred
// before.

#include <string>

#include "lib/base/exit_code.h"
#include "lib/dedup/spans/span_options.h"

namespace longhaul::dedup {

/// Removes what occurred before (dedup-minhash-spans.1). Results to the outputs, summary to the
/// log. @param options after complete()
/// @throws UsageError, IoError, DataError
ExitCode run_spans(const SpanOptions& options);

/// What run_spans() would do: unit, inputs, outputs, memory; nothing is read or written.
std::string describe_spans(const SpanOptions& options);

}  // namespace longhaul::dedup

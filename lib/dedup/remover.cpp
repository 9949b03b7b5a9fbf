// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/remover.h"

#include <string_view>

#include "lib/base/error.h"

namespace longhaul::dedup {

namespace {

bool is_blank(const Batch& batch, size_t line) {
    return batch.content(line).find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

void Remover::take(MarkedBatch& item) {
    const Batch& batch = item.batch;
    size_t next_mark = 0;
    size_t kept_begin = 0;  // of the run of bytes that stay
    uint64_t num_kept = 0;
    const auto flush = [&](size_t end) {
        const auto lines = std::string_view(batch.bytes).substr(kept_begin, end - kept_begin);
        const bool has_mark = kept_begin == 0 && !batch.lines.empty();
        const size_t mark_bytes = has_mark ? batch.lines.front().mark_bytes : 0;
        if (!lines.empty()) {
            context_.output.write(context_.first_input + batch.input, lines, num_kept, mark_bytes);
        }
        context_.sources[batch.input].kept_bytes += lines.size();
        num_kept = 0;
    };
    for (size_t line = 0; line < batch.lines.size(); ++line) {
        const bool is_marked = next_mark < item.marks.size() && item.marks[next_mark].line == line;
        const bool is_kept =
            is_marked ? stays(batch, item.marks[next_mark]) : !is_blank(batch, line);
        next_mark += is_marked ? 1 : 0;
        if (is_kept) {
            ++num_kept;
            continue;
        }
        flush(batch.lines[line].begin);
        kept_begin = batch.lines[line].begin + batch.raw(line).size();
    }
    flush(batch.bytes.size());
    if (batch.ends_input) end_input(batch);
}

bool Remover::stays(const Batch& batch, const Mark& mark) {
    const Decision decision = context_.decide(mark);
    if (decision.verdict == Verdict::kKept) return true;
    if (decision.verdict == Verdict::kBad) {
        const auto reason = static_cast<corpus::Reason>(decision.match);
        context_.removal_list.add(decision, corpus::reason_key(reason));
        return false;
    }
    const bool is_exact = decision.verdict == Verdict::kExact;
    Source& source = context_.sources[batch.input];
    ++(is_exact ? source.num_exact : source.num_near);
    context_.removal_list.add(decision, is_exact ? "exact" : "near");
    context_.on_removed(decision);
    return false;
}

void Remover::end_input(const Batch& batch) {
    const Input& input = context_.inputs[batch.input];
    const Source& source = context_.sources[batch.input];
    const bool has_changed = batch.stored_hash != source.stored_hash ||
                             batch.first_row + batch.lines.size() != source.num_lines;
    if (!input.is_stream && has_changed) {
        throw DataError(format("{} has changed since it was read first", input.name));
    }
    context_.output.end_input(context_.first_input + batch.input);
}

}  // namespace longhaul::dedup

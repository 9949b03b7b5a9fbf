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
    if (context_.annotate.empty()) {
        remove(item);
    } else {
        annotate(item);
    }
    if (item.batch.ends_input) end_input(item.batch);
}

void Remover::remove(const MarkedBatch& item) {
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
        const bool is_kept = is_marked
                                 ? decide(batch, item.marks[next_mark]).verdict == Verdict::kKept
                                 : !is_blank(batch, line);
        next_mark += is_marked ? 1 : 0;
        if (is_kept) {
            ++num_kept;
            continue;
        }
        flush(batch.lines[line].begin);
        kept_begin = batch.lines[line].begin + batch.raw(line).size();
    }
    flush(batch.bytes.size());
}

/// Good records only: what is no JSON object can not hold a member.
void Remover::annotate(const MarkedBatch& item) {
    const Batch& batch = item.batch;
    annotated_.clear();
    size_t next_mark = 0;
    uint64_t num_records = 0;
    for (size_t line = 0; line < batch.lines.size(); ++line) {
        const bool is_marked = next_mark < item.marks.size() && item.marks[next_mark].line == line;
        if (!is_marked && is_blank(batch, line)) continue;
        Decision decision;
        if (is_marked) decision = decide(batch, item.marks[next_mark++]);
        if (decision.verdict == Verdict::kBad) continue;
        const std::string_view raw = batch.raw(line);
        if (decision.verdict == Verdict::kKept) {
            context_.sources[batch.input].kept_bytes += raw.size();
        }
        const size_t end = raw.rfind('}');  // there is one: the record is good
        annotated_.append(raw.substr(0, end));
        annotated_.append(fate_of(batch, line, decision));
        annotated_.append(raw.substr(end));
        ++num_records;
    }
    const size_t mark_bytes = batch.lines.empty() ? 0 : batch.lines.front().mark_bytes;
    const bool has_mark = mark_bytes > 0 && annotated_.starts_with("\xEF\xBB\xBF");
    if (annotated_.empty()) return;
    context_.output.write(context_.first_input + batch.input, annotated_, num_records,
                          has_mark ? mark_bytes : 0);
}

/// `,"NAME":{...}`. A cluster is named after the document that stays.
std::string Remover::fate_of(const Batch& batch, size_t line, const Decision& decision) const {
    if (decision.verdict == Verdict::kKept) {
        return format(",\"{}\":{{\"kept\":true,\"cluster\":\"{}:{}\"}}", context_.annotate,
                      context_.sources[batch.input].stored_hash.hex(), batch.first_row + line);
    }
    const std::vector<Source>& sources = context_.removal_list.sources();
    const Place match = place_of(decision.match, sources);
    return format(
        ",\"{}\":{{\"kept\":false,\"reason\":\"{}\",\"jaccard\":{:.6f},\"cluster\":\"{}:{}\"}}",
        context_.annotate, decision.verdict == Verdict::kExact ? "exact" : "near", decision.jaccard,
        sources[match.input].stored_hash.hex(), match.row);
}

Decision Remover::decide(const Batch& batch, const Mark& mark) {
    const Decision decision = context_.decide(mark);
    if (decision.verdict == Verdict::kKept) return decision;
    if (decision.verdict == Verdict::kBad) {
        const auto reason = static_cast<corpus::Reason>(decision.match);
        context_.removal_list.add(decision, corpus::reason_key(reason));
        return decision;
    }
    const bool is_exact = decision.verdict == Verdict::kExact;
    Source& source = context_.sources[batch.input];
    ++(is_exact ? source.num_exact : source.num_near);
    context_.removal_list.add(decision, is_exact ? "exact" : "near");
    context_.on_removed(decision);
    return decision;
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

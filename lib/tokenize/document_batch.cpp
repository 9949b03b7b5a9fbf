// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/document_batch.h"

#include <cstring>
#include <utility>

#include "lib/corpus/document_reader.h"

namespace longhaul::tokenize {

using corpus::Reason;
using corpus::ScanResult;

void EncodedBatch::clear() {
    ids.clear();
    documents.clear();
    counts = {};
    bad = {};
    fatal.reset();
    is_cut_stream = false;
    num_lines = 0;
}

BatchEncoder::BatchEncoder(const UnitContext& context)
    : context_(context),
      encoder_(context.tokenizer, {context.job.special_text, size_t{32} << 20, true}),
      json_(corpus::Layout::kJsonLines, context.job.reader.text_field,
            context.job.reader.text_policy),
      lines_(corpus::Layout::kTextLines, "", context.job.reader.text_policy),
      file_(corpus::Layout::kTextFile, "", context.job.reader.text_policy) {}

corpus::DocumentScanner& BatchEncoder::scanner_for(corpus::Layout layout) {
    if (layout == corpus::Layout::kJsonLines) return json_;
    return layout == corpus::Layout::kTextLines ? lines_ : file_;
}

EncodedBatch BatchEncoder::encode(TextBatch& batch) {
    EncodedBatch out = std::move(batch.result);
    out.clear();
    out.segment = batch.segment;
    out.input = batch.input;
    std::string_view rest = batch.block.text();
    const bool is_whole = batch.layout == corpus::Layout::kTextFile || batch.block.is_too_long;
    uint64_t offset = batch.block.offset;
    do {
        const void* const newline =
            is_whole || rest.empty() ? nullptr : std::memchr(rest.data(), '\n', rest.size());
        const size_t size =
            newline == nullptr
                ? rest.size()
                : static_cast<size_t>(static_cast<const char*>(newline) - rest.data());
        Line line{rest.substr(0, size), out.num_lines, offset, batch.block.is_too_long,
                  newline != nullptr};
        line.is_too_long = line.is_too_long || size > context_.job.reader.max_line_bytes;
        encode_line(batch, line, out);
        ++out.num_lines;
        const size_t used = newline == nullptr ? size : size + 1;
        rest.remove_prefix(used);
        offset += used;
    } while (!rest.empty() && !out.fatal);
    out.block = std::move(batch.block);
    return out;
}

void BatchEncoder::add_bad(const TextBatch& batch, const Line& line, const ScanResult& result,
                           EncodedBatch& out) const {
    corpus::BadRecord bad =
        corpus::make_bad_record(batch.file, result, line.text, {line.row, line.offset});
    // A pipe whose writer died ends inside a line.
    out.is_cut_stream =
        batch.is_stream && batch.layout == corpus::Layout::kJsonLines && !line.has_newline &&
        !line.is_too_long &&
        (result.reason == Reason::kNotJson || result.reason == Reason::kInvalidUtf8);
    if (out.is_cut_stream || context_.job.reader.policy.fail_at_first) {
        out.fatal = std::move(bad);
    } else {
        out.bad.add(bad);
    }
}

void BatchEncoder::encode_line(const TextBatch& batch, const Line& line, EncodedBatch& out) {
    ScanResult result;
    if (line.is_too_long) {
        result.reason = Reason::kTooLong;
        result.detail = "see --max-line";
    } else {
        std::string_view text = line.text;
        static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        if (batch.begins_file && line.offset == 0 && text.starts_with(kByteOrderMark)) {
            text.remove_prefix(kByteOrderMark.size());
        }
        result = scanner_for(batch.layout).scan(text);
    }
    if (result.is_blank) {
        ++out.counts.blank_lines;
        return;
    }
    ++out.counts.records;
    out.counts.lone_surrogates += result.num_lone_surrogates;
    out.counts.replaced_utf8 += result.num_replaced;
    out.counts.raw_bytes += result.num_raw_bytes;
    if (result.reason == Reason::kNone && encode_text(result.text, line.row, out, result)) return;
    add_bad(batch, line, result, out);
}

/// @return false when the document is bad; `result` says why
bool BatchEncoder::encode_text(std::string_view text, uint64_t row, EncodedBatch& out,
                               ScanResult& result) {
    if (text.empty()) {
        ++out.counts.empty_documents;
        if (context_.job.empty_documents == EmptyDocuments::kSkip) return true;
    }
    const bool may_be_bare = context_.job.empty_documents == EmptyDocuments::kBare;
    const size_t before = out.ids.size();
    const shards::Borders& borders = context_.borders;
    out.ids.insert(out.ids.end(), borders.bos.begin(), borders.bos.end());
    const token::AddedToken* const found = result.num_raw_bytes > 0
                                               ? encoder_.encode_bytes(text, out.ids)
                                               : encoder_.encode(text, out.ids);
    if (found != nullptr) {
        out.ids.resize(before);
        result.reason = Reason::kControlText;
        result.detail = found->content.c_str();
        return false;
    }
    if (may_be_bare && out.ids.size() == before + borders.bos.size()) {
        out.ids.resize(before);
    } else {
        out.ids.insert(out.ids.end(), borders.eos.begin(), borders.eos.end());
    }
    ++out.counts.documents;
    out.counts.text_bytes += text.size();
    out.counts.tokens += out.ids.size() - before;
    out.documents.push_back({out.ids.size() - before, row});
    return true;
}

}  // namespace longhaul::tokenize

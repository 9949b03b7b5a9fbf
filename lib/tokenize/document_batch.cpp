// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/document_batch.h"

#include "lib/base/error.h"
#include "lib/corpus/document_reader.h"

namespace longhaul::tokenize {

using corpus::Reason;
using corpus::ScanResult;

BatchEncoder::BatchEncoder(const UnitContext& context)
    : context_(context),
      encoder_(context.tokenizer, {context.job.special_text, size_t{32} << 20, true}) {}

EncodedBatch BatchEncoder::encode(LineBatch& batch) {
    EncodedBatch out;
    out.input = batch.input;
    corpus::DocumentScanner scanner(batch.layout, context_.job.reader.text_field);
    out.ids.reserve(batch.bytes.size() / 3);
    for (const LineBatch::Line& line : batch.lines) encode_line(batch, line, scanner, out);
    batch.bytes = {};  // the reader may go on
    return out;
}

void BatchEncoder::add_bad(const LineBatch& batch, const LineBatch::Line& line,
                           const ScanResult& result, EncodedBatch& out) {
    const corpus::BadRecord bad = corpus::make_bad_record(
        batch.file, result, std::string_view(batch.bytes).substr(line.begin, line.size),
        {line.row, line.offset});
    if (context_.job.reader.policy.fail_at_first) throw DataError(bad.describe());
    out.bad.add(bad);
}

void BatchEncoder::encode_line(const LineBatch& batch, const LineBatch::Line& line,
                               corpus::DocumentScanner& scanner, EncodedBatch& out) {
    ScanResult result;
    if (line.is_too_long) {
        result.reason = Reason::kTooLong;
        result.detail = "see --max-line";
    } else {
        std::string_view text = std::string_view(batch.bytes).substr(line.begin, line.size);
        static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        if (batch.begins_file && line.offset == 0 && text.starts_with(kByteOrderMark))
            text.remove_prefix(3);
        result = scanner.scan(text);
    }
    if (result.is_blank) {
        ++out.counts.blank_lines;
        return;
    }
    ++out.counts.records;
    out.counts.lone_surrogates += result.num_lone_surrogates;
    if (result.reason != Reason::kNone) return add_bad(batch, line, result, out);
    if (result.text.empty()) {
        ++out.counts.empty_documents;
        if (context_.job.empty_documents == EmptyDocuments::kSkip) return;
    }
    const size_t before = out.ids.size();
    if (context_.borders.bos) out.ids.push_back(*context_.borders.bos);
    if (const token::AddedToken* found = encoder_.encode(result.text, out.ids)) {
        out.ids.resize(before);
        result.reason = Reason::kControlText;
        result.detail = found->content.c_str();
        return add_bad(batch, line, result, out);
    }
    if (context_.borders.eos) out.ids.push_back(*context_.borders.eos);
    ++out.counts.documents;
    out.counts.text_bytes += result.text.size();
    out.counts.tokens += out.ids.size() - before;
    out.documents.push_back({out.ids.size() - before, line.row});
}

}  // namespace longhaul::tokenize

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/unit_encoder.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "lib/base/error.h"
#include "lib/corpus/document_reader.h"
#include "lib/io/line_reader.h"
#include "lib/shards/shard_writer.h"
#include "lib/tokenize/document_batch.h"
#include "lib/tokenize/ordered_workers.h"
#include "lib/tokenize/range_input.h"

namespace longhaul::tokenize {

namespace {

constexpr size_t kBatchBytes = 1 << 20;
/// What a byte of text may cost while it is under way: the text, its decoded form, up to one id of
/// 4 bytes for each byte of it, and the same again while it is merged.
constexpr uint64_t kCostPerByte = 10;

using Workers = OrderedWorkers<LineBatch, EncodedBatch>;

/// Standard input or a pipe.
bool is_stream(const std::string& path) {
    return path == "-" || !std::filesystem::is_regular_file(path);
}

/// Reads the segments of a unit and hands batches to the workers.
class SegmentReader {
 public:
    SegmentReader(const UnitContext& context, Workers& workers)
        : context_(context), workers_(workers) {}

    SegmentResult read(const PlannedSegment& segment) {
        const std::string& path = context_.job.inputs[segment.input];
        const corpus::ReaderOptions& options = context_.job.reader;
        const corpus::Layout layout = corpus::parse_layout(options.layout, path);
        std::unique_ptr<io::InputStream> input;
        SegmentResult result{segment.input, segment.begin, segment.end, segment.is_whole, 0, {}};
        if (segment.is_whole) {
            input = corpus::open_documents(path, options);
        } else if (corpus::is_parquet(options, path)) {
            auto part = corpus::open_parquet_part(path, options, segment.begin, segment.end);
            result.begin = part->first_byte();
            input = std::move(part);
        } else {
            auto range = std::make_unique<RangeInput>(path, segment.begin, segment.end);
            result.begin = range->first_byte();
            input = std::move(range);
        }
        batch_ = {};
        batch_.file = input->name();
        batch_.input = segment.input;
        batch_.begins_file = segment.begin == 0;
        batch_.layout = layout;
        reported_ = 0;
        if (layout == corpus::Layout::kTextFile) {
            read_whole(*input);
            result.lines = 1;
        } else {
            result.lines = read_lines(*input);
        }
        submit(*input);
        result.end = result.begin + input->stored_bytes();
        result.xxh3_128 = input->stored_hash();
        return result;
    }

 private:
    uint64_t read_lines(io::InputStream& input) {
        io::LineReader lines(input, context_.job.reader.max_line_bytes);
        io::Line line;
        uint64_t count = 0;
        while (lines.next(line)) {
            // A line too long is known by its first bytes only; they are enough to name it.
            const std::string_view text = line.is_too_long ? line.text.substr(0, 64) : line.text;
            batch_.lines.push_back(
                {batch_.bytes.size(), text.size(), line.number - 1, line.offset, line.is_too_long});
            batch_.bytes += text;
            ++count;
            if (!line.has_newline && batch_.layout == corpus::Layout::kJsonLines) {
                check_last_line(input, line);
            }
            if (batch_.bytes.size() >= kBatchBytes || batch_.lines.size() >= 65536) submit(input);
        }
        return count;
    }

    /// A pipe whose writer died ends inside a line.
    void check_last_line(const io::InputStream& input, const io::Line& line) const {
        if (!is_stream(context_.job.inputs[batch_.input]) || line.is_too_long) return;
        corpus::DocumentScanner scanner(batch_.layout, context_.job.reader.text_field);
        const corpus::Reason reason = scanner.scan(line.text).reason;
        if (reason != corpus::Reason::kNotJson && reason != corpus::Reason::kInvalidUtf8) return;
        throw DataError(
            format("{}:{}:{}: the stream was cut: its last line has no newline and is not whole; "
                   "see why the program that writes it ended",
                   input.name(), line.number, line.offset));
    }

    void read_whole(io::InputStream& input) {
        const uint64_t limit = context_.job.reader.max_line_bytes;
        std::string block(1 << 18, '\0');
        bool is_too_long = false;
        while (const size_t got = input.read(std::as_writable_bytes(std::span(block)))) {
            is_too_long = is_too_long || batch_.bytes.size() + got > limit;
            if (!is_too_long) batch_.bytes.append(block, 0, got);
        }
        batch_.lines.push_back({0, batch_.bytes.size(), 0, 0, is_too_long});
    }

    void submit(const io::InputStream& input) {
        if (context_.on_progress) context_.on_progress(input.stored_bytes() - reported_);
        reported_ = input.stored_bytes();
        if (batch_.lines.empty()) return;
        LineBatch next;
        next.file = batch_.file;
        next.input = batch_.input;
        next.begins_file = batch_.begins_file;
        next.layout = batch_.layout;
        const uint64_t cost = std::max<uint64_t>(batch_.bytes.size(), 4096) * kCostPerByte;
        workers_.submit(std::exchange(batch_, std::move(next)), cost);
    }

    const UnitContext& context_;
    Workers& workers_;
    LineBatch batch_;
    uint64_t reported_ = 0;
};

}  // namespace

uint64_t batch_budget(const EncodeJob& job) {
    // Besides the batches a worker holds its cache (32 MiB) and merge tables.
    constexpr uint64_t kPerThread = uint64_t{64} << 20, kBase = uint64_t{128} << 20;
    const uint64_t threads = static_cast<uint64_t>(job.threads);
    const uint64_t fixed = kBase + threads * kPerThread;
    if (job.memory_bytes == 0) return (uint64_t{512} << 20) + threads * (uint64_t{32} << 20);
    if (job.memory_bytes < fixed + (uint64_t{64} << 20)) {
        throw UsageError(
            format("--memory: {} threads need {} MiB or more", job.threads, (fixed >> 20) + 64));
    }
    return job.memory_bytes - fixed;
}

void UnitCounts::add(const UnitCounts& other) {
    records += other.records;
    documents += other.documents;
    empty_documents += other.empty_documents;
    blank_lines += other.blank_lines;
    text_bytes += other.text_bytes;
    tokens += other.tokens;
    lone_surrogates += other.lone_surrogates;
}

UnitResult encode_unit(const UnitContext& context, const Unit& unit, uint64_t number) {
    UnitResult result;
    shards::ShardWriter writer({context.job.output, context.job.tmp_dir, number,
                                context.job.shard_tokens, context.token_type,
                                context.tokenizer.vocab_size(), context.tokenizer.hash()});
    const auto consume = [&](EncodedBatch& batch) {
        size_t begin = 0;
        for (const EncodedBatch::Document& document : batch.documents) {
            writer.add(std::span(batch.ids).subspan(begin, document.num_ids), batch.input,
                       document.row);
            begin += document.num_ids;
        }
        result.counts.add(batch.counts);
        result.bad.merge(batch.bad);
    };
    const auto make_work = [&context]() -> Workers::Work {
        auto encoder = std::make_shared<BatchEncoder>(context);
        return [encoder](LineBatch& batch) { return encoder->encode(batch); };
    };
    Workers workers(context.job.threads, batch_budget(context.job), make_work, consume);
    SegmentReader reader(context, workers);
    for (const PlannedSegment& segment : unit) result.segments.push_back(reader.read(segment));
    workers.finish();
    const std::string& first = context.job.inputs[unit.front().input];
    if (is_stream(first) && result.counts.records == 0) {
        throw DataError(format("{}: no documents; see why the program that writes it ended",
                               first == "-" ? "standard input" : first));
    }
    result.shards = writer.close();
    return result;
}

}  // namespace longhaul::tokenize

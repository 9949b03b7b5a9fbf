// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/unit_encoder.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "lib/base/error.h"
#include "lib/corpus/document_reader.h"
#include "lib/shards/shard_writer.h"
#include "lib/tokenize/document_batch.h"
#include "lib/tokenize/range_input.h"
#include "lib/tokenize/worker_pool.h"

namespace longhaul::tokenize {

namespace {

using Workers = WorkerPool<TextBatch, EncodedBatch>;

/// Standard input or a pipe.
bool is_stream(const std::string& path) {
    return path == "-" || !std::filesystem::is_regular_file(path);
}

/// Memory of batches that are done, for those to come: fresh pages cost more than what is done
/// with them.
class BatchMemory {
 public:
    void give(EncodedBatch&& batch) {
        constexpr size_t kKeptIds = 1 << 19;
        if (batch.ids.capacity() <= kKeptIds) spare_.push_back(std::move(batch));
    }
    void take(TextBatch& batch) {
        if (spare_.empty()) return;
        batch.result = std::move(spare_.back());
        batch.block = std::move(batch.result.block);
        spare_.pop_back();
    }

 private:
    std::vector<EncodedBatch> spare_;
};

/// Reads the segments of a unit and hands batches to the workers.
class SegmentReader {
 public:
    SegmentReader(const UnitContext& context, const io::ReadAhead& ahead, Workers::Lane& lane,
                  BatchMemory& memory, const std::function<bool()>& is_given_up)
        : context_(context), lane_(lane), memory_(memory), is_given_up_(is_given_up) {
        options_ = context.job.reader;
        options_.ahead = ahead;
    }

    /// Fills `result` but for its lines, which the consumer counts.
    void read(const PlannedSegment& segment, size_t number, SegmentResult& result) {
        const std::string& path = context_.job.inputs[segment.input];
        result = {segment.input, segment.begin, segment.end, segment.is_whole, 0, {}};
        const std::unique_ptr<io::InputStream> input = open(segment, result.begin);
        const corpus::Layout layout = corpus::parse_layout(options_.layout, path);
        BlockReader blocks(*input, layout != corpus::Layout::kTextFile, options_.max_line_bytes);
        uint64_t reported = 0;
        for (;;) {
            TextBatch batch;
            memory_.take(batch);
            const bool has_block = blocks.next(batch.block);
            if (context_.on_progress) context_.on_progress(input->stored_bytes() - reported);
            reported = input->stored_bytes();
            if (!has_block) break;
            batch.file = input->name();
            batch.segment = number;
            batch.input = segment.input;
            batch.begins_file = segment.begin == 0;
            batch.is_stream = is_stream_;
            batch.layout = layout;
            const uint64_t size = std::max<uint64_t>(batch.block.text().size(), 4096);
            lane_.submit(std::move(batch), size * MemoryPlan::kCostPerByte);
            if (is_given_up_()) throw UnitEncoder::GivenUp{};
        }
        result.end = result.begin + input->stored_bytes();
        result.xxh3_128 = input->stored_hash();
    }

 private:
    std::unique_ptr<io::InputStream> open(const PlannedSegment& segment, uint64_t& begin) {
        const std::string& path = context_.job.inputs[segment.input];
        is_stream_ = is_stream(path);
        if (segment.is_whole) return corpus::open_documents(path, options_);
        if (corpus::is_parquet(options_, path)) {
            auto part = corpus::open_parquet_part(path, options_, segment.begin, segment.end);
            begin = part->first_byte();
            return part;
        }
        auto range = std::make_unique<RangeInput>(path, segment.begin, segment.end);
        begin = range->first_byte();
        return range;
    }

    const UnitContext& context_;
    corpus::ReaderOptions options_;
    Workers::Lane& lane_;
    BatchMemory& memory_;
    const std::function<bool()>& is_given_up_;
    bool is_stream_ = false;
};

[[noreturn]] void fail_at(const EncodedBatch& batch, corpus::BadRecord bad, uint64_t first_row) {
    bad.line += first_row;
    if (!batch.is_cut_stream) throw DataError(bad.describe());
    throw DataError(
        format("{}:{}:{}: the stream was cut: its last line has no newline and is not whole; "
               "see why the program that writes it ended",
               bad.file, bad.line, bad.byte));
}

/// Writes the documents of a batch, whose turn it is, and adds up its counts.
void add_batch(const EncodedBatch& batch, shards::ShardWriter& writer, UnitResult& result) {
    SegmentResult& segment = result.segments[batch.segment];
    if (batch.fatal) fail_at(batch, *batch.fatal, segment.lines);
    size_t begin = 0;
    for (const EncodedBatch::Document& document : batch.documents) {
        writer.add(std::span(batch.ids).subspan(begin, document.num_ids), batch.input,
                   segment.lines + document.row);
        begin += document.num_ids;
    }
    result.counts.add(batch.counts);
    result.bad.merge(batch.bad, segment.lines);
    segment.lines += batch.num_lines;
}

}  // namespace

void UnitCounts::add(const UnitCounts& other) {
    records += other.records;
    documents += other.documents;
    empty_documents += other.empty_documents;
    blank_lines += other.blank_lines;
    text_bytes += other.text_bytes;
    tokens += other.tokens;
    lone_surrogates += other.lone_surrogates;
    replaced_utf8 += other.replaced_utf8;
    raw_bytes += other.raw_bytes;
    dropped_tokens += other.dropped_tokens;
}

struct UnitEncoder::State {
    State(const UnitContext& the_context, const MemoryPlan& memory)
        : context(the_context),
          workers(context.job.threads, memory.document_bytes, make_work()),
          ahead{&workers.tasks(), memory.ahead_bytes},
          // A few blocks ahead keep all workers busy; more would only leave the caches.
          max_batches(2 * static_cast<size_t>(context.job.threads) / memory.num_units + 2) {}

    std::function<Workers::Work()> make_work() const {
        return [this]() -> Workers::Work {
            auto encoder = std::make_shared<BatchEncoder>(context);
            return [encoder](TextBatch& batch) { return encoder->encode(batch); };
        };
    }

    const UnitContext& context;
    Workers workers;
    io::ReadAhead ahead;
    size_t max_batches;
};

UnitEncoder::UnitEncoder(const UnitContext& context, const MemoryPlan& memory)
    : state_(std::make_unique<State>(context, memory)) {}

UnitEncoder::~UnitEncoder() = default;

UnitResult UnitEncoder::encode(const Unit& unit, uint64_t number,
                               const std::function<bool()>& is_given_up) {
    const UnitContext& context = state_->context;
    UnitResult result;
    shards::ShardWriter writer(
        {context.job.output,
         context.job.tmp_dir,
         context.job.container,
         number,
         0,
         {context.tokenizer.hash(), context.tokenizer.vocab_size(), context.borders}});
    result.segments.resize(unit.size());
    BatchMemory memory;
    const auto consume = [&](EncodedBatch& batch) {
        add_batch(batch, writer, result);
        memory.give(std::move(batch));
    };
    Workers::Lane lane(state_->workers, consume, state_->max_batches);
    SegmentReader reader(context, state_->ahead, lane, memory, is_given_up);
    for (size_t i = 0; i < unit.size(); ++i) reader.read(unit[i], i, result.segments[i]);
    lane.finish();
    const std::string& first = context.job.inputs[unit.front().input];
    if (is_stream(first) && result.counts.records == 0) {
        throw DataError(format("{}: no documents; see why the program that writes it ended",
                               first == "-" ? "standard input" : first));
    }
    result.shards = writer.close();
    result.counts.dropped_tokens = writer.num_dropped_tokens();
    return result;
}

}  // namespace longhaul::tokenize

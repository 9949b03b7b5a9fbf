// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/sign.h"

#include <memory>
#include <utility>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/dedup/batch.h"
#include "lib/dedup/line_scan.h"
#include "lib/dedup/ordered_pipeline.h"
#include "lib/dedup/signature/minhash.h"
#include "lib/dedup/signature/shingle.h"

namespace longhaul::dedup {

namespace {

/// A batch and what a worker made of it. Ids count from 0 in the batch: those of its lines are
/// known when all before it is read.
struct SignItem {
    Batch batch;
    std::vector<ExactRecord> exact;
    std::vector<OrderKey> order;  // of the documents, unless the rule is input order
    std::vector<uint64_t> signed_ids;
    std::vector<uint64_t> keys;  // as many for each signed document as there are bands
    std::vector<std::pair<uint64_t, corpus::BadRecord>> bad;
    Source counts;
    bool is_cut = false;  // the last of `bad` is half a line at the end of a stream

    /// In the pipeline. Lines have to be paid for with a multiple of their size, results have not.
    uint64_t bytes() const {
        const uint64_t results =
            exact.size() * sizeof(ExactRecord) + order.size() * sizeof(OrderKey) +
            (signed_ids.size() + keys.size()) * sizeof(uint64_t) + bad.size() * sizeof(bad[0]);
        return batch.bytes.size() + results / MemoryPlan::kBytesPerLineByte;
    }
};

/// One thread's tools.
struct Worker {
    LineScanner scanner;
    Shingler shingler;
    std::vector<uint64_t> signature;

    explicit Worker(const Options& options)
        : scanner(options.reader),
          shingler(options.parameters),
          signature(static_cast<size_t>(options.parameters.num_hashes())) {}
};

class Signer {
 public:
    Signer(const Inputs& inputs, const Options& options, size_t num_workers)
        : inputs_(inputs),
          keep_(options.keep),
          hasher_(options.parameters),
          bands_(options.parameters.bands) {
        for (size_t i = 0; i < inputs.size(); ++i) {
            priorities_.push_back(keep_.priority_of(inputs[i].path));
        }
        for (size_t i = 0; i < num_workers; ++i) {
            workers_.push_back(std::make_unique<Worker>(options));
        }
    }

    void sign_batch(SignItem& item, size_t worker_index) {
        Worker& worker = *workers_[worker_index];
        const Input& input = inputs_[item.batch.input];
        item.counts.num_lines = item.batch.lines.size();
        for (size_t line = 0; line < item.batch.lines.size(); ++line) {
            const corpus::ScanResult result = worker.scanner.scan(item.batch, line, input.layout);
            if (result.is_blank) {
                ++item.counts.num_blank;
            } else if (result.reason != corpus::Reason::kNone) {
                ++item.counts.num_bad;
                item.bad.emplace_back(line, bad_record_of(item.batch, line, result, input.name));
                item.is_cut = is_cut_stream(input, item.batch.lines[line], result);
            } else {
                sign_document(item, line, result, worker);
            }
        }
        item.batch.bytes = Bytes();
    }

 private:
    void sign_document(SignItem& item, size_t line, const corpus::ScanResult& result,
                       Worker& worker) const {
        ++item.counts.num_documents;
        item.counts.text_bytes += result.text.size();
        item.counts.raw_bytes += item.batch.raw(line).size();
        item.counts.num_lone_surrogates += result.num_lone_surrogates;
        worker.shingler.load(result.text);
        item.exact.push_back({worker.shingler.exact_hash(), line});
        if (!keep_.is_input_order()) note_order(item, line, result.text);
        const std::span<const uint64_t> shingles = worker.shingler.shingles();
        if (shingles.empty()) {
            ++item.counts.num_short;
            return;
        }
        hasher_.sign(shingles, worker.signature);
        item.signed_ids.push_back(line);
        const size_t old_size = item.keys.size();
        item.keys.resize(old_size + static_cast<size_t>(bands_));
        hasher_.band_keys(worker.signature, std::span(item.keys).subspan(old_size));
    }

    void note_order(SignItem& item, size_t line, std::string_view text) const {
        const bool is_json = inputs_[item.batch.input].layout == corpus::Layout::kJsonLines;
        bool has_score = true;
        item.order.push_back(keep_.key(priorities_[item.batch.input],
                                       is_json ? item.batch.content(line) : "", text, has_score));
        item.counts.num_no_score += has_score ? 0 : 1;
    }

    const Inputs& inputs_;
    const KeepRule& keep_;
    std::vector<int> priorities_;  // of the inputs
    MinHasher hasher_;
    int bands_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

/// Hands on in input order.
void collect(SignItem& item, LineNumbers& numbers, const Options& options, Signed& result,
             SignSink& sink) {
    Batch& batch = item.batch;
    numbers.number(batch);
    LH_CHECK(batch.first_id + batch.lines.size() < kMaxId, "more than 2^48 lines");
    Source& source = result.sources[batch.input];
    if (batch.first_row == 0) source.first_id = batch.first_id;
    source.add_counts(item.counts);
    result.num_records += item.counts.num_documents + item.counts.num_bad;
    for (const auto& [line, bad] : item.bad) {
        if (options.reader.policy.fail_at_first) throw DataError(bad.describe());
        result.bad.add(bad);
        sink.add_bad(batch.first_id + line, bad.reason);
    }
    if (item.is_cut) fail_cut_stream(item.bad.back().second);
    for (size_t i = 0; i < item.exact.size(); ++i) {
        sink.add_document({item.exact[i].hash, batch.first_id + item.exact[i].id},
                          item.order.empty() ? OrderKey{} : item.order[i]);
    }
    for (uint64_t& id : item.signed_ids) id += batch.first_id;
    sink.add_keys(item.signed_ids, item.keys);
    if (batch.ends_input) {
        source.stored_bytes = batch.stored_bytes;
        source.stored_hash = batch.stored_hash;
    }
}

}  // namespace

void Source::add_counts(const Source& counts) {
    num_lines += counts.num_lines;
    num_documents += counts.num_documents;
    num_bad += counts.num_bad;
    num_blank += counts.num_blank;
    num_short += counts.num_short;
    num_lone_surrogates += counts.num_lone_surrogates;
    num_no_score += counts.num_no_score;
    text_bytes += counts.text_bytes;
    raw_bytes += counts.raw_bytes;
}

std::vector<corpus::Layout> layouts_of(const Inputs& inputs) {
    std::vector<corpus::Layout> layouts;
    for (size_t i = 0; i < inputs.size(); ++i) layouts.push_back(inputs[i].layout);
    return layouts;
}

SignSorters::SignSorters(int num_bands, uint64_t sort_bytes, SpillArea& area, int threads)
    : exact(area, 0), bad_ids(area, sort_bytes / 16) {
    // 14 bytes a document and band, 24 for its exact hash: shares in that proportion.
    const size_t weight = static_cast<size_t>(num_bands) * sizeof(BandRecord) + sizeof(ExactRecord);
    const size_t usable = sort_bytes - sort_bytes / 16;
    exact = ExternalSorter<ExactRecord>(area, usable * sizeof(ExactRecord) / weight, threads);
    for (int i = 0; i < num_bands; ++i) {
        bands.emplace_back(area, usable * sizeof(BandRecord) / weight, threads);
    }
}

void SignSorters::add_keys(std::span<const uint64_t> ids, std::span<const uint64_t> keys) {
    for (size_t band = 0; band < bands.size(); ++band) {
        for (size_t i = 0; i < ids.size(); ++i) {
            bands[band].add(BandRecord(keys[i * bands.size() + band], ids[i]));
        }
    }
}

void SignSorters::add_bad(uint64_t id, corpus::Reason reason) {
    bad_ids.add({id, Fate::kBad + static_cast<uint64_t>(reason)});
}

Signed sign(Inputs& inputs, const Options& options, const MemoryPlan& memory, SpillArea& area,
            SignSink& sink, const std::function<void(uint64_t)>& on_bytes) {
    Signed result{std::vector<Source>(inputs.size()), {}, 0};
    BatchReader reader([&](size_t input) { return inputs.open_first(input, area); },
                       layouts_of(inputs), options.reader.max_line_bytes, memory.batch_bytes,
                       on_bytes);
    OrderedPipeline<SignItem> pipeline(options.threads, memory.in_flight_bytes, memory.batch_bytes);
    Signer signer(inputs, options, pipeline.num_workers());
    LineNumbers numbers;
    pipeline.run({reader.num_inputs(),
                  [&](size_t input, SignItem& item, bool may_grow) {
                      return reader.next(input, item.batch, may_grow);
                  },
                  {},
                  [&](SignItem& item, size_t worker) { signer.sign_batch(item, worker); },
                  [&](SignItem& item) { collect(item, numbers, options, result, sink); },
                  [](const SignItem& item) { return item.bytes(); }});
    return result;
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/second_reading.h"

#include <memory>

#include "lib/base/error.h"
#include "lib/corpus/document_scanner.h"
#include "lib/corpus/number_member.h"
#include "lib/dedup/ordered_pipeline.h"
#include "lib/dedup/sign.h"
#include "lib/dedup/signature/shingle.h"

namespace longhaul::dedup {

namespace {

/// One thread's tools for shingle sets.
class SetMaker {
 public:
    explicit SetMaker(const Options& options)
        : json_(corpus::Layout::kJsonLines, options.reader.text_field),
          shingler_(options.parameters),
          annotate_(options.annotate) {}

    /// A second member of the same name would hide the first.
    void refuse_annotated(const Batch& batch, const std::string& name) const {
        for (size_t line = 0; line < batch.lines.size() && !annotate_.empty(); ++line) {
            if (!corpus::has_member(batch.content(line), annotate_)) continue;
            throw DataError(
                format("{}:{}: the record has a member \"{}\" already; give --annotate "
                       "another name",
                       name, batch.first_row + line + 1, annotate_));
        }
    }

    void make_sets(MarkedBatch& item, corpus::Layout layout, const std::string& name) {
        corpus::DocumentScanner plain(layout);
        for (Mark& mark : item.marks) {
            if (!mark.is_candidate) continue;
            auto& scanner = layout == corpus::Layout::kJsonLines ? json_ : plain;
            const corpus::ScanResult result = scanner.scan(item.batch.content(mark.line));
            if (result.reason != corpus::Reason::kNone) {
                throw DataError(format("{} has changed since it was read first", name));
            }
            shingler_.load(result.text);
            const std::span<const uint64_t> set = shingler_.shingle_set();
            mark.set.assign(set.begin(), set.end());
        }
    }

 private:
    corpus::DocumentScanner json_;
    Shingler shingler_;
    std::string annotate_;
};

}  // namespace

void read_again(const SecondReading& reading) {
    BatchReader reader([&](size_t input) { return reading.inputs.open_again(input); },
                       layouts_of(reading.inputs), reading.options.reader.max_line_bytes,
                       reading.memory.batch_bytes, reading.on_bytes);
    OrderedPipeline<MarkedBatch> pipeline(reading.options.threads, reading.memory.in_flight_bytes,
                                          reading.memory.batch_bytes);
    std::vector<std::unique_ptr<SetMaker>> makers;
    for (size_t i = 0; i < pipeline.num_workers(); ++i) {
        makers.push_back(std::make_unique<SetMaker>(reading.options));
    }
    LineNumbers numbers;
    pipeline.run({reader.num_inputs(),
                  [&](size_t input, MarkedBatch& item, bool may_grow) {
                      return reader.next(input, item.batch, may_grow);
                  },
                  [&](MarkedBatch& item) {
                      numbers.number(item.batch);
                      reading.attach(item);
                  },
                  [&](MarkedBatch& item, size_t worker) {
                      const Input& input = reading.inputs[item.batch.input];
                      makers[worker]->refuse_annotated(item.batch, input.name);
                      makers[worker]->make_sets(item, input.layout, input.name);
                  },
                  reading.take, [](const MarkedBatch& item) { return item.batch.bytes.size(); }},
                 reading.tasks);
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/read_ahead.h"

namespace longhaul::train {

namespace {

shards::PrefetchOptions options_of(const DataConfig& data, bool document_begins) {
    return {static_cast<uint64_t>(data.seq_len), document_begins,
            static_cast<int>(data.prefetch_threads)};
}

}  // namespace

ReadAhead::ReadAhead(const SampleReader& reader, const DataConfig& data, bool document_begins)
    : reader_(reader), batch_(data.global_batch), num_batches_(data.prefetch) {
    if (num_batches_ == 0) return;
    prefetcher_ = std::make_unique<shards::Prefetcher>(reader, options_of(data, document_begins));
}

uint64_t ReadAhead::memory_bytes(const DataConfig& data, int64_t num_samples,
                                 bool document_begins) {
    if (data.prefetch == 0) return 0;
    return shards::Prefetcher::buffer_bytes(
        options_of(data, document_begins),
        static_cast<uint64_t>(num_samples * (data.prefetch + 1)));  // with the batch of the step
}

void ReadAhead::announce(const DataCursor& cursor, const tensor::Range& mine) {
    if (prefetcher_ == nullptr) return;
    const auto ahead = cursor.peek(batch_ * (num_batches_ + 1));  // with the batch of this step
    std::vector<uint64_t> samples;
    for (int64_t batch = 0; batch <= num_batches_; ++batch) {
        const auto begin = ahead.begin() + batch * batch_ + mine.first;
        samples.insert(samples.end(), begin, begin + mine.count);
    }
    prefetcher_->announce(samples);
}

const shards::SampleProvider& ReadAhead::samples() const {
    if (prefetcher_ != nullptr) return *prefetcher_;
    return reader_;
}

}  // namespace longhaul::train

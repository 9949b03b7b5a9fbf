// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/sample_reader.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/shards/blend.h"

namespace longhaul::train {

namespace {

class BlendReader : public SampleReader {
 public:
    BlendReader(const std::vector<shards::BlendPart>& parts, uint64_t seq_len, uint64_t seed)
        : blend_(parts, seq_len, seed) {
        identity_.num_windows = blend_.num_windows();
        for (const shards::Dataset& set : blend_.sets()) {
            const shards::DatasetInfo& info = set.info();
            identity_.folders.push_back(info.folder.string());
            identity_.hashes.push_back(info.manifest_hash.hex());
            identity_.tokenizer_hash = info.tokenizer_hash.hex();
            identity_.vocab_size = info.vocab_size;
            identity_.num_tokens += info.num_tokens;
        }
    }

    const DataIdentity& identity() const override { return identity_; }

    void read(uint64_t sample, std::span<int32_t> tokens,
              std::span<int32_t> targets) const override {
        thread_local std::vector<int32_t> window;
        window.resize(tokens.size() + 1);
        with_context([&] { blend_.read(sample, window); }, "reading sample {}", sample);
        std::copy(window.begin(), window.end() - 1, tokens.begin());
        std::copy(window.begin() + 1, window.end(), targets.begin());
    }

 private:
    shards::Blend blend_;
    DataIdentity identity_;
};

std::unique_ptr<SampleReader> open_folders(const std::vector<std::string>& folders,
                                           const std::vector<double>& weights, int64_t seq_len,
                                           uint64_t seed) {
    std::vector<shards::BlendPart> parts;
    for (size_t i = 0; i < folders.size(); ++i) {
        parts.push_back({folders[i], weights.empty() ? 1.0 : weights[i]});
    }
    return std::make_unique<BlendReader>(parts, static_cast<uint64_t>(seq_len), seed);
}

}  // namespace

std::unique_ptr<SampleReader> open_training_data(const DataConfig& data, uint64_t seed) {
    return with_context(
        [&] {
            return open_folders(data.train, data.weights, data.seq_len,
                                order_seed(seed, data.phase));
        },
        "data.train");
}

std::unique_ptr<SampleReader> open_validation_data(const DataConfig& data, uint64_t seed) {
    return with_context([&] { return open_folders(data.validation, {}, data.seq_len, seed); },
                        "data.validation");
}

DataPhase phase_of(const DataConfig& data, const DataIdentity& identity, int64_t first_step) {
    DataPhase phase;
    phase.number = data.phase;
    phase.first_step = first_step;
    phase.data = identity.hashes;
    phase.tokenizer = identity.tokenizer_hash;
    phase.weights = data.weights;
    phase.seq_len = data.seq_len;
    phase.global_batch = data.global_batch;
    return phase;
}

}  // namespace longhaul::train

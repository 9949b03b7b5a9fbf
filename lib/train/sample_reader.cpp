// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/sample_reader.h"

#include "lib/base/error.h"
#include "lib/shards/blend.h"
#include "lib/shards/shard_cache.h"

namespace longhaul::train {

namespace {

class BlendReader : public SampleReader {
 public:
    BlendReader(const DataConfig& data, const std::vector<shards::BlendPart>& parts,
                const shards::BlendOptions& options)
        : cache_(make_cache(data)), blend_(parts, with_cache(options)) {
        identity_.num_windows = blend_.num_samples();
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
    void read(uint64_t sample, const shards::SampleBuffers& out) const override {
        with_context([&] { blend_.read(sample, out); }, "reading sample {}", sample);
    }
    void will_need(uint64_t sample) const override { blend_.will_need(sample); }

 private:
    static std::unique_ptr<shards::ShardCache> make_cache(const DataConfig& data) {
        if (data.cache_dir.empty()) return nullptr;
        return std::make_unique<shards::ShardCache>(data.cache_dir, cache_bytes_of(data));
    }
    shards::BlendOptions with_cache(shards::BlendOptions options) const {
        options.open.cache = cache_.get();
        return options;
    }

    std::unique_ptr<shards::ShardCache> cache_;
    shards::Blend blend_;
    DataIdentity identity_;
};

std::vector<shards::BlendPart> parts_of(const std::vector<std::string>& folders,
                                        const std::vector<double>& weights) {
    std::vector<shards::BlendPart> parts;
    for (size_t i = 0; i < folders.size(); ++i) {
        parts.push_back({folders[i], weights.empty() ? 1.0 : weights[i]});
    }
    return parts;
}

}  // namespace

shards::SampleSettings sample_settings_of(const TrainConfig& config) {
    shards::SampleWords words = config.data.samples;
    if (words.order == "megatron" && words.order_samples == 0) {
        words.order_samples = shards::default_order_samples(
            config.job.steps * config.data.global_batch, skip_ranges_of(config.data));
    }
    return shards::settings_of(words);
}

std::unique_ptr<SampleReader> open_training_data(const TrainConfig& config, int64_t blend_version) {
    const DataConfig& data = config.data;
    return with_context(
        [&] {
            shards::BlendOptions options;
            options.seq_len = static_cast<uint64_t>(data.seq_len);
            options.settings = sample_settings_of(config);
            options.seed = shards::order_seed(static_cast<uint64_t>(config.job.seed), data.phase,
                                              options.settings.order);
            options.settings.blend_version = blend_version;
            options.reads_windows = data.read_ahead;
            // What Megatron's and MDS' files do not say themselves.
            options.open.vocab_size = static_cast<uint32_t>(config.model.vocab_size);
            return std::make_unique<BlendReader>(data, parts_of(data.train, data.weights), options);
        },
        "data.train");
}

std::unique_ptr<SampleReader> open_validation_data(const TrainConfig& config) {
    return with_context(
        [&] {
            shards::BlendOptions options;
            options.seq_len = static_cast<uint64_t>(config.data.seq_len);
            options.seed = static_cast<uint64_t>(config.job.seed);
            options.settings = sample_settings_of(config);
            options.settings.order = shards::OrderKind::kFeistel;
            options.open.vocab_size = static_cast<uint32_t>(config.model.vocab_size);
            return std::make_unique<BlendReader>(config.data, parts_of(config.data.validation, {}),
                                                 options);
        },
        "data.validation");
}

DataPhase phase_of(const TrainConfig& config, const DataIdentity& identity, int64_t first_step) {
    DataPhase phase;
    phase.number = config.data.phase;
    phase.first_step = first_step;
    phase.data = identity.hashes;
    phase.tokenizer = identity.tokenizer_hash;
    phase.weights = config.data.weights;
    phase.seq_len = config.data.seq_len;
    phase.global_batch = config.data.global_batch;
    phase.samples = sample_settings_of(config);
    return phase;
}

std::vector<SkipRange> skip_ranges_of(const DataConfig& data) {
    std::vector<SkipRange> ranges;
    for (const std::string& range : data.skip) ranges.push_back(shards::parse_skip_range(range));
    return ranges;
}

}  // namespace longhaul::train

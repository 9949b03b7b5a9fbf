// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/run_data.h"

#include "lib/base/error.h"

namespace longhaul::tokenize {

namespace {

shards::SampleWords sample_words(const config::TomlValues& run) {
    shards::SampleWords words;
    const auto take = [](auto value, auto& into) {
        if (value) into = *value;
    };
    take(run.text("data.order"), words.order);
    take(run.integer("data.order_block"), words.order_block);
    take(run.integer("data.order_window"), words.order_window);
    take(run.integer("data.order_samples"), words.order_samples);
    take(run.text("data.packing"), words.packing);
    take(run.text("data.attention"), words.attention);
    take(run.boolean("data.mask_boundaries"), words.mask_boundaries);
    take(run.texts("data.mask_ids"), words.mask_ids);
    take(run.texts("data.loss_between"), words.loss_between);
    return words;
}

}  // namespace

RunData read_run_data(const config::TomlValues& run, const std::string& source) {
    const auto folders = run.texts("data.train");
    const auto seq_len = run.integer("data.seq_len");
    if (!folders) throw DataError(source + ": data.train is missing");
    if (!seq_len || *seq_len < 1) {
        throw DataError(source + ": data.seq_len is missing, or below 1");
    }
    RunData data;
    const auto weights = run.numbers("data.weights").value_or(std::vector<double>{});
    if (!weights.empty() && weights.size() != folders->size()) {
        throw DataError(format("{}: {} data.weights for {} folders of data.train", source,
                               weights.size(), folders->size()));
    }
    for (size_t i = 0; i < folders->size(); ++i) {
        data.parts.push_back({(*folders)[i], i < weights.size() ? weights[i] : 1.0});
    }
    data.phase = run.integer("data.phase").value_or(0);
    data.global_batch = run.integer("data.global_batch").value_or(data.global_batch);
    data.micro_batch = run.integer("data.micro_batch").value_or(data.micro_batch);
    data.steps = run.integer("job.steps").value_or(0);
    data.options.seq_len = static_cast<uint64_t>(*seq_len);
    shards::SampleWords words = sample_words(run);
    for (const std::string& range : run.texts("data.skip").value_or(std::vector<std::string>{})) {
        data.skip.push_back(shards::parse_skip_range(range));
    }
    if (words.order == "megatron" && words.order_samples == 0) {
        words.order_samples =
            shards::default_order_samples(data.steps * data.global_batch, data.skip);
    }
    data.options.settings = shards::settings_of(words);
    data.options.seed =
        shards::order_seed(static_cast<uint64_t>(run.integer("job.seed").value_or(0)), data.phase,
                           data.options.settings.order);
    return data;
}

shards::Blend open_blend(const RunData& data, const std::string& source) {
    if (source.empty()) return {data.parts, data.options};
    return with_context([&] { return shards::Blend(data.parts, data.options); },
                        "{}: data.train, seen from this folder", source);
}

}  // namespace longhaul::tokenize

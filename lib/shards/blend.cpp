// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/blend.h"

#include "lib/base/error.h"
#include "lib/shards/megatron_order.h"

namespace longhaul::shards {

namespace {

std::vector<double> weights_of(const std::vector<BlendPart>& parts) {
    std::vector<double> weights;
    weights.reserve(parts.size());
    for (const BlendPart& part : parts) weights.push_back(part.weight);
    return weights;
}

[[noreturn]] void refuse_mixture(const DatasetInfo& one, const DatasetInfo& other) {
    const bool is_unknown = one.tokenizer_hash == Hash128{};
    if (!is_unknown && other.tokenizer_hash != Hash128{}) {
        throw UsageError(format("{} was made by another tokenizer than {}", one.folder.string(),
                                other.folder.string()));
    }
    const std::string silent = (is_unknown ? one : other).folder.string();
    throw UsageError(
        format("{} does not say its tokenizer, {} does: convert the first with its tokenizer "
               "named (tok-shard convert -t)",
               silent, (is_unknown ? other : one).folder.string()));
}

/// An id that no token can have would mask nothing, unnoticed.
void check_ids(const SampleSettings& settings, const DatasetInfo& set) {
    if (set.vocab_size == 0) return;  // not known
    const auto check = [&](const char* key, const std::vector<uint32_t>& ids) {
        for (const uint32_t id : ids) {
            if (id < set.vocab_size) continue;
            throw UsageError(format("data.{}: {} is outside the vocabulary of {} ids ({})", key, id,
                                    set.vocab_size, set.folder.string()));
        }
    };
    check("mask_ids", settings.mask_ids);
    check("loss_between", settings.loss_spans);
}

}  // namespace

Blend::Blend(const std::vector<BlendPart>& parts, const BlendOptions& options)
    : options_(options), maker_(options.seq_len, options.settings) {
    if (parts.empty()) throw UsageError("no data set is given");
    windows_ = std::make_unique<std::atomic<uint64_t>[]>(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) windows_[i] = ~uint64_t{0};
    options_.open.maps = true;  // packed documents are small and lie anywhere
    for (const BlendPart& part : parts) {
        const DatasetInfo& info = sets_.emplace_back(part.folder, options_.open).info();
        const DatasetInfo& first = sets_.front().info();
        if (info.tokenizer_hash != first.tokenizer_hash) {
            refuse_mixture(info, first);
        }
    }
    check_ids(options.settings, sets_.front().info());
    if (options.settings.order == OrderKind::kMegatron) {
        order_megatron(parts);
        return;
    }
    order_ = make_blend_order(weights_of(parts), options.settings.blend_version);
    for (const Dataset& set : sets_) {
        with_context(
            [&] {
                samples_.push_back(
                    make_set_samples(set, options_.seq_len, options_.seed, options_.settings, 0));
            },
            "data {}", set.info().folder.string());
    }
}

/// Each set is built for its part of the run's samples, and the blend shows a few more than that.
void Blend::order_megatron(const std::vector<BlendPart>& parts) {
    constexpr size_t kMostSets = 32766;  // BlendedDataset's indices have 16 bits
    if (parts.size() > kMostSets) throw UsageError(format("more than {} data sets", kMostSets));
    const uint64_t wanted = options_.settings.order_samples;
    if (wanted == 0) {
        throw UsageError("data.order = \"megatron\" needs data.order_samples, those of the run");
    }
    std::vector<uint64_t> built = {wanted};
    if (parts.size() == 1) {
        order_ = make_blend_order(std::vector<double>{1}, kExactBlend);
    } else {
        const std::vector<double> weights = megatron_normalise(weights_of(parts));
        const MegatronSizes sizes = megatron_sizes(weights, wanted);
        uint64_t shown = 0;
        for (const uint64_t size : sizes.shown) shown += size;
        // The builder and BlendedDataset normalise one after the other.
        order_ = make_megatron_blend(megatron_normalise(weights), shown);
        built = sizes.built;
    }
    for (size_t set = 0; set < sets_.size(); ++set) {
        samples_.push_back(make_set_samples(sets_[set], options_.seq_len, options_.seed,
                                            options_.settings, built[set]));
        if (parts.size() > 1 && order_->shares()[set] > samples_[set]->num_samples()) {
            throw UsageError(format("{}: the blend shows {} of its {} samples; Megatron refuses it",
                                    parts[set].folder.string(), order_->shares()[set],
                                    samples_[set]->num_samples()));
        }
    }
}

uint64_t Blend::num_samples() const {
    uint64_t total = 0;
    for (const auto& samples : samples_) total += samples->num_samples();
    return total;
}

SampleSource Blend::locate(uint64_t sample) const {
    const BlendPlace place = order_->locate(sample);
    const SetSamples& samples = *samples_[place.set];
    SampleSource source{place.set, place.own, samples.epoch(place.own), {}};
    samples.append_pieces(place.own, source.pieces);
    return source;
}

void Blend::read(uint64_t sample, const SampleBuffers& out) const {
    const BlendPlace place = order_->locate(sample);
    thread_local std::vector<Piece> pieces;
    pieces.clear();
    samples_[place.set]->append_pieces(place.own, pieces);
    maker_.make(sets_[place.set], pieces, out);
}

void Blend::will_need(uint64_t sample) const {
    const BlendPlace place = order_->locate(sample);
    const SetSamples& samples = *samples_[place.set];
    const Dataset& set = sets_[place.set];
    if (options_.reads_windows && options_.settings.order == OrderKind::kBlock) {
        const uint64_t window = samples.window(place.own);
        if (windows_[place.set].exchange(window) == window) return;
        for (const TokenRange& range : samples.window_tokens(place.own)) {
            set.will_need(range.first, range.count);
        }
        return;
    }
    for (const Piece& piece : locate(sample).pieces) set.will_need(piece.first_token, piece.count);
}

}  // namespace longhaul::shards

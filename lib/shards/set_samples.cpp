// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/set_samples.h"

#include "lib/shards/best_fit.h"
#include "lib/shards/megatron_order.h"
#include "lib/shards/order.h"

namespace longhaul::shards {

namespace {

/// Windows of the stream, or packed documents, in an order with epochs.
class OrderedSamples : public SetSamples {
 public:
    OrderedSamples(uint64_t num_items, uint64_t seed, Hash128 data, const SampleSettings& settings)
        : order_(num_items, seed, data, settings) {}

    uint64_t num_samples() const override { return order_.num_items(); }
    uint64_t epoch(uint64_t sample) const override { return order_.epoch(sample); }
    uint64_t window(uint64_t sample) const override {
        const uint64_t a_epoch =
            (order_.num_items() + order_.window_samples() - 1) / order_.window_samples();
        return order_.epoch(sample) * a_epoch +
               sample % order_.num_items() / order_.window_samples();
    }
    void append_pieces(uint64_t sample, std::vector<Piece>& out) const override {
        append_item(order_.item(sample), out);
    }
    std::vector<TokenRange> window_tokens(uint64_t sample) const override {
        std::vector<TokenRange> ranges;
        for (const ItemRange& items : order_.window_items(sample)) append_tokens(items, ranges);
        return ranges;
    }

 private:
    virtual void append_item(uint64_t item, std::vector<Piece>& out) const = 0;
    virtual void append_tokens(const ItemRange& items, std::vector<TokenRange>& out) const = 0;

    SampleOrder order_;
};

class StreamSamples : public OrderedSamples {
 public:
    StreamSamples(const DatasetInfo& info, uint64_t seq_len, uint64_t seed,
                  const SampleSettings& settings)
        : OrderedSamples(num_windows(info.num_tokens, seq_len), seed, info.manifest_hash, settings),
          seq_len_(seq_len) {}

 private:
    void append_item(uint64_t item, std::vector<Piece>& out) const override {
        out.push_back({item * seq_len_, static_cast<uint32_t>(seq_len_ + 1), false});
    }
    void append_tokens(const ItemRange& items, std::vector<TokenRange>& out) const override {
        out.push_back({items.first * seq_len_, items.count * seq_len_ + 1});
    }

    uint64_t seq_len_;
};

class PackedSamples : public OrderedSamples {
 public:
    PackedSamples(BestFitPlan plan, const DatasetInfo& info, uint64_t seed,
                  const SampleSettings& settings)
        : OrderedSamples(plan.num_samples(), seed, info.manifest_hash, settings),
          plan_(std::move(plan)) {}

 private:
    void append_item(uint64_t item, std::vector<Piece>& out) const override {
        plan_.append_pieces(item, out);
    }
    void append_tokens(const ItemRange& items, std::vector<TokenRange>& out) const override {
        std::vector<Piece> pieces;
        for (uint64_t i = 0; i < items.count; ++i) plan_.append_pieces(items.first + i, pieces);
        for (const Piece& piece : pieces) out.push_back({piece.first_token, piece.count});
    }

    BestFitPlan plan_;
};

class MegatronSamples : public SetSamples {
 public:
    explicit MegatronSamples(MegatronOrder order) : order_(std::move(order)) {}

    uint64_t num_samples() const override { return order_.num_samples(); }
    uint64_t epoch(uint64_t) const override { return 0; }  // windows cross epochs
    uint64_t window(uint64_t) const override { return 0; }
    void append_pieces(uint64_t sample, std::vector<Piece>& out) const override {
        order_.append_pieces(sample, out);
    }
    std::vector<TokenRange> window_tokens(uint64_t) const override { return {}; }

 private:
    MegatronOrder order_;
};

}  // namespace

std::unique_ptr<SetSamples> make_set_samples(const Dataset& set, uint64_t seq_len, uint64_t seed,
                                             const SampleSettings& settings, uint64_t num_samples) {
    if (settings.order == OrderKind::kMegatron) {
        return std::make_unique<MegatronSamples>(
            MegatronOrder(set.document_offsets(), seq_len, seed, num_samples));
    }
    if (settings.packing == Packing::kBestFit) {
        return std::make_unique<PackedSamples>(BestFitPlan(set.document_offsets(), seq_len),
                                               set.info(), seed, settings);
    }
    return std::make_unique<StreamSamples>(set.info(), seq_len, seed, settings);
}

}  // namespace longhaul::shards

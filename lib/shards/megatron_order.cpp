// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/megatron_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "lib/base/check.h"
#include "lib/base/error.h"

namespace longhaul::shards {

namespace {

constexpr uint64_t kMostIndex = std::numeric_limits<int32_t>::max();

/// numpy.sum of contiguous doubles: eight running sums in blocks of 128, halves added in pairs.
/// Source: numpy/core/src/umath/loops_utils.h.src (pairwise_sum).
double numpy_sum(std::span<const double> values) {
    if (values.size() < 8) return std::accumulate(values.begin(), values.end(), 0.0);
    if (values.size() > 128) {
        const size_t half = values.size() / 2 - values.size() / 2 % 8;
        return numpy_sum(values.first(half)) + numpy_sum(values.subspan(half));
    }
    double sums[8];
    std::copy_n(values.begin(), 8, sums);
    size_t i = 8;
    for (; i + 8 <= values.size(); i += 8) {
        for (size_t k = 0; k < 8; ++k) sums[k] += values[i + k];
    }
    double sum =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < values.size(); ++i) sum += values[i];
    return sum;
}

[[noreturn]] void refuse(std::string text) {
    throw UsageError("data.order = \"megatron\": " + std::move(text));
}

}  // namespace

uint64_t NumpyShuffle::draw_up_to(uint64_t most) {
    const uint64_t mask = std::bit_ceil(most + 1) - 1;
    uint64_t value = 0;
    do {
        value = engine_();
        if (mask > std::numeric_limits<uint32_t>::max()) value = value << 32 | engine_();
        value &= mask;
    } while (value > most);
    return value;
}

void NumpyShuffle::operator()(std::span<uint32_t> values) {
    for (uint64_t i = values.size(); i-- > 1;) std::swap(values[i], values[draw_up_to(i)]);
}

std::vector<double> megatron_normalise(std::span<const double> weights) {
    const double sum = numpy_sum(weights);
    std::vector<double> shares;
    for (const double weight : weights) shares.push_back(weight / sum);
    return shares;
}

MegatronSizes megatron_sizes(std::span<const double> weights, uint64_t num_samples) {
    constexpr double kSurplus = 0.005;  // mid_level_dataset_surplus
    MegatronSizes sizes;
    for (const double weight : weights) {
        const double shown = std::ceil(static_cast<double>(num_samples) * weight);
        sizes.shown.push_back(static_cast<uint64_t>(shown));
        sizes.built.push_back(static_cast<uint64_t>(std::ceil(shown * (1 + kSurplus))));
    }
    return sizes;
}

MegatronOrder::MegatronOrder(std::vector<uint64_t> offsets, uint64_t seq_len, uint64_t seed,
                             uint64_t num_samples)
    : offsets_(std::move(offsets)), seq_len_(seq_len) {
    LH_CHECK(!offsets_.empty() && seq_len >= 1, "{} offsets", offsets_.size());
    if (seed > std::numeric_limits<uint32_t>::max()) {
        refuse(format("the seed {} does not fit numpy's 32 bits", seed));
    }
    if (offsets_.size() - 1 > kMostIndex) {
        refuse(format("{} documents; Megatron counts them with 32 bits", offsets_.size() - 1));
    }
    for (size_t i = 0; i + 1 < offsets_.size(); ++i) {
        if (offsets_[i + 1] - offsets_[i] <= kMostIndex) continue;
        refuse(format("document {} has {} tokens; Megatron counts them with 32 bits", i,
                      offsets_[i + 1] - offsets_[i]));
    }
    count_epochs(num_samples);
    NumpyShuffle shuffle(static_cast<uint32_t>(seed));
    build_documents(shuffle);
    build_windows();
    build_shuffle(shuffle);
}

void MegatronOrder::count_epochs(uint64_t num_samples) {
    const uint64_t tokens = offsets_.back() - offsets_.front();
    if (tokens < 2) refuse(format("the data set has {} tokens", tokens));
    const uint64_t wanted = num_samples * seq_len_ + 1;
    num_epochs_ = std::max<uint64_t>(1, (wanted + tokens - 1) / tokens);
    if (num_epochs_ > kMostIndex / 2 ||
        num_epochs_ > std::numeric_limits<int64_t>::max() / tokens) {
        refuse(format("{} samples are {} epochs", num_samples, num_epochs_));
    }
    if (num_epochs_ == 1) return;
    // The last epoch is shuffled by itself when less than 80 % of it are shown.
    whole_epoch_samples_ = ((num_epochs_ - 1) * tokens - 1) / seq_len_;
    const uint64_t in_last = num_samples - whole_epoch_samples_;
    const uint64_t epoch_samples = (tokens - 1) / seq_len_;
    const double of_epoch = 0.80 * static_cast<double>(epoch_samples);
    separates_last_epoch_ = in_last < static_cast<uint64_t>(of_epoch);
}

void MegatronOrder::build_documents(NumpyShuffle& shuffle) {
    const size_t count = offsets_.size() - 1;
    documents_.resize(count * num_epochs_);
    for (size_t i = 0; i < documents_.size(); ++i) documents_[i] = static_cast<uint32_t>(i % count);
    const size_t first = separates_last_epoch_ ? documents_.size() - count : documents_.size();
    shuffle(std::span(documents_).first(first));
    shuffle(std::span(documents_).subspan(first));
}

uint64_t MegatronOrder::length(uint64_t place) const {
    const uint32_t document = documents_[place];
    return offsets_[document + 1] - offsets_[document];
}

void MegatronOrder::build_windows() {
    const uint64_t tokens = offsets_.back() - offsets_.front();
    const uint64_t windows = (num_epochs_ * tokens - 1) / seq_len_;
    if (windows == 0) refuse(format("{} tokens are no sample of {}", tokens, seq_len_ + 1));
    if (windows >= std::numeric_limits<uint32_t>::max() - 1) refuse(format("{} samples", windows));
    window_places_.reserve(windows + 1);
    window_offsets_.reserve(windows + 1);
    uint64_t place = 0, before = 0;  // tokens of the documents before `place`
    for (uint64_t i = 0; i <= windows; ++i) {
        // A window begins in the document that holds the last target of the window before it, and
        // the first one at the first place, whose document may be empty.
        while (i > 0 && before + length(place) <= i * seq_len_) before += length(place++);
        window_places_.push_back(place);
        window_offsets_.push_back(static_cast<uint32_t>(i * seq_len_ - before));
    }
}

void MegatronOrder::build_shuffle(NumpyShuffle& shuffle) {
    shuffle_.resize(window_places_.size() - 1);
    std::iota(shuffle_.begin(), shuffle_.end(), 0);
    const size_t first = separates_last_epoch_ ? whole_epoch_samples_ : shuffle_.size();
    shuffle(std::span(shuffle_).first(first));
    shuffle(std::span(shuffle_).subspan(first));
}

std::pair<uint64_t, uint32_t> MegatronOrder::window_begin(uint64_t i) const {
    LH_CHECK(i < window_places_.size(), "window {} of {}", i, window_places_.size());
    return {window_places_[i], window_offsets_[i]};
}

void MegatronOrder::append_pieces(uint64_t sample, std::vector<Piece>& out) const {
    if (sample >= shuffle_.size()) {
        refuse(format("sample {} lies beyond the {} that were ordered (data.order_samples)", sample,
                      shuffle_.size()));
    }
    const uint64_t window = shuffle_[sample];
    uint64_t left = seq_len_ + 1, offset = window_offsets_[window];
    for (uint64_t place = window_places_[window]; left > 0; ++place, offset = 0) {
        const uint64_t count = std::min(left, length(place) - offset);
        if (count == 0) continue;
        out.push_back({offsets_[documents_[place]] + offset, static_cast<uint32_t>(count), false,
                       true, offset > 0});
        left -= count;
    }
}

}  // namespace longhaul::shards

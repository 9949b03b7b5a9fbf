// SPDX-License-Identifier: BSD-3-Clause
#include "lib/model/rope_table.h"

#include <cmath>
#include <numbers>

namespace longhaul::model {
namespace {

/// Llama 3.1: wavelengths beyond the trained context are stretched by `factor`, short ones kept,
/// those between blended. Source: transformers, modeling_rope_utils, _compute_llama3_parameters.
double scale_frequency(double frequency, const RopeScaling& scaling) {
    const auto context = static_cast<double>(scaling.original_max_seq_len);
    const double wavelength = 2 * std::numbers::pi / frequency;
    if (wavelength > context / scaling.low_freq_factor) return frequency / scaling.factor;
    if (wavelength < context / scaling.high_freq_factor) return frequency;
    const double smooth = (context / wavelength - scaling.low_freq_factor) /
                          (scaling.high_freq_factor - scaling.low_freq_factor);
    return (1 - smooth) * frequency / scaling.factor + smooth * frequency;
}

template <class A>
void fill_table(const RopeTable& table, const std::vector<double>& frequencies) {
    const std::span<A> cosines = table.cosines.as<A>();
    const std::span<A> sines = table.sines.as<A>();
    for (size_t i = 0; i < cosines.size(); ++i) {
        const auto position = static_cast<double>(i / frequencies.size());
        const double angle = position * frequencies[i % frequencies.size()];
        cosines[i] = static_cast<A>(std::cos(angle));
        sines[i] = static_cast<A>(std::sin(angle));
    }
}

}  // namespace

std::vector<double> rope_frequencies(const ModelConfig& config) {
    std::vector<double> frequencies(static_cast<size_t>(config.head_dim / 2));
    for (size_t i = 0; i < frequencies.size(); ++i) {
        const double exponent =
            -2.0 * static_cast<double>(i) / static_cast<double>(config.head_dim);
        frequencies[i] = std::pow(config.rope_theta, exponent);
        if (config.rope_scaling.is_on()) {
            frequencies[i] = scale_frequency(frequencies[i], config.rope_scaling);
        }
    }
    return frequencies;
}

RopeTable make_rope_table(const ModelConfig& config, int64_t positions, tensor::DType accumulator,
                          tensor::Alloc& alloc) {
    RopeTable table;
    if (config.family != Family::kLlama) return table;
    const int64_t count = positions * (config.head_dim / 2);
    table.cosines = alloc.get(tensor::MemoryClass::kHost, count, accumulator, "rope cosines");
    table.sines = alloc.get(tensor::MemoryClass::kHost, count, accumulator, "rope sines");
    if (alloc.is_counting()) return table;
    const std::vector<double> frequencies = rope_frequencies(config);
    if (accumulator == tensor::DType::kF64) {
        fill_table<double>(table, frequencies);
    } else {
        fill_table<float>(table, frequencies);
    }
    return table;
}

}  // namespace longhaul::model

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A Transformer with memory, weights and gradients of its own, for tests.

#include <functional>
#include <memory>
#include <vector>

#include "lib/base/check.h"
#include "lib/model/transformer.h"
#include "tests/support/typed_values.h"

namespace longhaul::test {

class TestModel {
 public:
    TestModel(const model::ModelConfig& config, const model::TransformerOptions& options) {
        tensor::CountingAlloc counting;
        const model::Transformer counted(config, options, counting);
        alloc_ = std::make_unique<tensor::ArenaAlloc>(counting.used());
        transformer_ = std::make_unique<model::Transformer>(config, options, *alloc_);
        LH_CHECK(alloc_->used() == counting.used(), "the counted memory is not the used one");
        const tensor::DType accumulator = model::accumulator_dtype(options.compute);
        for (const parallel::ParamSpec& spec : transformer_->params()) {
            const int64_t count = tensor::num_elements(spec.shape);
            weights_.push_back(std::make_unique<TypedValues>(options.compute, count));
            gradients_.push_back(std::make_unique<TypedValues>(accumulator, count));
            transformer_->bind(static_cast<int>(weights_.size()) - 1,
                               {weights_.back()->data(), count, options.compute},
                               {gradients_.back()->data(), count, accumulator});
        }
    }

    model::Transformer& operator*() { return *transformer_; }
    model::Transformer* operator->() { return transformer_.get(); }
    size_t num_params() const { return weights_.size(); }
    const parallel::ParamSpec& spec(size_t i) const { return transformer_->params()[i]; }
    TypedValues& weight(size_t i) { return *weights_[i]; }
    TypedValues& gradient(size_t i) { return *gradients_[i]; }
    void zero_gradients() {
        for (auto& gradient : gradients_) {
            for (size_t i = 0; i < gradient->count(); ++i) gradient->set(i, 0);
        }
    }

    /// The tensors of the checkpoint inside parameter `i`, one after the other.
    std::vector<double> gather(
        size_t i, const std::function<std::vector<double>(const std::string&)>& tensor) const {
        if (spec(i).parts.empty()) return tensor(spec(i).hf_name);
        std::vector<double> all;
        for (const parallel::HfPart& part : spec(i).parts) {
            const std::vector<double> values = tensor(part.hf_name);
            all.insert(all.end(), values.begin(), values.end());
        }
        return all;
    }
    void set_weight(size_t i, const std::vector<double>& values) {
        LH_CHECK(values.size() == weights_[i]->count(), "{}: {} values", spec(i).name,
                 values.size());
        for (size_t j = 0; j < values.size(); ++j) weights_[i]->set(j, values[j]);
    }
    /// Fixed random weights that exercise every part: matrices scaled by the width they sum over.
    void randomise() {
        for (size_t i = 0; i < num_params(); ++i) {
            const bool matrix = spec(i).shape.size() == 2;
            const double scale =
                matrix ? 2 / std::sqrt(static_cast<double>(spec(i).shape.back())) : 0.3;
            std::vector<double> values =
                random_values(static_cast<int64_t>(weights_[i]->count()), 100 + i, scale);
            if (spec(i).init.law == parallel::Init::Law::kOnes) {
                for (double& value : values) value += 1;
            }
            set_weight(i, values);
        }
    }

 private:
    std::unique_ptr<tensor::ArenaAlloc> alloc_;
    std::unique_ptr<model::Transformer> transformer_;
    std::vector<std::unique_ptr<TypedValues>> weights_, gradients_;
};

}  // namespace longhaul::test

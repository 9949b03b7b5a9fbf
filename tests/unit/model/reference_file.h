// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads the dumps of tests/data/model/make_reference.py (safetensors: 8-byte length, JSON, data).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/model/config.h"

namespace longhaul::test {

struct ReferenceOptimizer {
    double lr, beta1, beta2, eps, weight_decay;
};

class ReferenceFile {
 public:
    /// @param name "gpt2", "llama", ...: a file in tests/data/model.
    explicit ReferenceFile(const std::string& name);

    const model::ModelConfig& config() const { return config_; }
    const ReferenceOptimizer& optimizer() const { return optimizer_; }
    /// Any tensor as f64. @throws when there is none of that name.
    const std::vector<double>& at(const std::string& name) const { return tensors_.at(name); }
    bool has(const std::string& name) const { return tensors_.contains(name); }
    int64_t num_steps() const { return num_steps_; }
    int64_t batch() const { return batch_; }
    int64_t seq_len() const { return seq_len_; }
    /// Tokens or targets of one step, (batch, seq_len).
    std::vector<int32_t> ids(const std::string& name, int64_t step) const;

 private:
    model::ModelConfig config_;
    ReferenceOptimizer optimizer_{};
    int64_t num_steps_ = 0, batch_ = 0, seq_len_ = 0;
    std::map<std::string, std::vector<double>> tensors_;
};

}  // namespace longhaul::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checks and builds a Bpe out of the string tokens and merges that files hold.

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/token/bpe.h"

namespace longhaul::token {

/// Collects vocabulary and merges in the notation of the byte alphabet (lib/token/byte_level.h).
class BpeBuilder {
 public:
    /// @param source file and place for messages, "FILE: model".
    explicit BpeBuilder(std::string source) : source_(std::move(source)) {}

    /// @param id as the file says; any number. @throws DataError: out of range, clash.
    void add_token(const std::string& content, int64_t id);
    /// The next merge in rank order. @param place "merges[3]" or "line 4" for messages.
    void add_merge(std::string_view left, std::string_view right, const std::string& place);
    /// Id of a token by its content in the file, or kNoToken.
    uint32_t find(std::string_view content) const;
    uint32_t num_tokens() const { return static_cast<uint32_t>(ids_.size()); }

    /// Without an unknown token, bytes that have no token are dropped, as HF tokenizers does; that
    /// is a warning. @throws DataError when common text would get lost.
    std::unique_ptr<Bpe> build(const Bpe::Options& options, std::vector<std::string>& warnings);

 private:
    std::string source_;
    std::unordered_map<std::string, uint32_t> ids_;
    Vocabulary vocabulary_;
    MergeTable merges_;
    uint32_t next_rank_ = 0;
};

}  // namespace longhaul::token

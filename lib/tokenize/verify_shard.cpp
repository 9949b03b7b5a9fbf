// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/verify_shard.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "lib/base/format.h"

namespace longhaul::tokenize {

namespace {

constexpr uint64_t kBlock = 1 << 16;

/// Walks the documents of a shard block by block, with their tokens.
class ShardChecker {
 public:
    ShardChecker(const shards::ShardFile& shard, const shards::ShardEntry& entry,
                 const shards::ShardDetails& details, const token::Tokenizer* tokenizer)
        : shard_(shard), entry_(entry), details_(details), tokenizer_(tokenizer) {}

    std::string run() {
        std::string wrong = shard_.check_container();
        if (wrong.empty()) wrong = check_ids();
        if (wrong.empty()) wrong = check_documents();
        return wrong;
    }

 private:
    std::string check_ids() {
        std::vector<uint32_t> ids(kBlock);
        uint32_t largest = 0;
        for (uint64_t first = 0; first < shard_.num_tokens(); first += kBlock) {
            const auto part = std::span(ids).first(std::min(kBlock, shard_.num_tokens() - first));
            shard_.read_tokens(first, part);
            for (size_t i = 0; i < part.size(); ++i) {
                largest = std::max(largest, part[i]);
                const bool is_known = tokenizer_ == nullptr || tokenizer_->is_token(part[i]);
                const bool is_below = part[i] < details_.vocab_size || details_.vocab_size == 0;
                if (is_below && is_known) continue;
                return format("token {}: id {} is no token of a vocabulary of {}", first + i,
                              part[i], details_.vocab_size);
            }
        }
        if (largest == entry_.max_id || details_.is_foreign) return "";
        return format("largest id {}, the manifest says {}", largest, entry_.max_id);
    }

    std::string check_documents() {
        std::vector<uint64_t> offsets(kBlock + 1), sources(kBlock * 2);
        uint64_t previous_input = 0, previous_record = 0;
        for (uint64_t first = 0; first < shard_.num_documents(); first += kBlock) {
            const uint64_t count = std::min(kBlock, shard_.num_documents() - first);
            shard_.read_offsets(first, std::span(offsets).first(count + 1));
            shard_.read_sources(first, std::span(sources).first(count * 2));
            for (uint64_t i = 0; i < count; ++i) {
                std::string wrong = check_document(first + i, offsets[i], offsets[i + 1]);
                const uint64_t input = sources[2 * i], record = sources[2 * i + 1];
                const bool is_first = first + i == 0;
                const bool is_later =
                    input > previous_input || (input == previous_input && record > previous_record);
                if (wrong.empty() && input >= details_.inputs.size()) {
                    wrong = format("input {} of {}", input, details_.inputs.size());
                } else if (wrong.empty() && !is_first && !is_later) {
                    wrong = format("input {}, record {} comes after input {}, record {}", input,
                                   record, previous_input, previous_record);
                }
                if (!wrong.empty()) return format("document {}: {}", first + i, wrong);
                previous_input = input;
                previous_record = record;
            }
        }
        return "";
    }

    std::string check_document(uint64_t index, uint64_t begin, uint64_t end) const {
        if (index == 0 && begin != 0) return format("begins at token {}, not 0", begin);
        if (begin > end || end > shard_.num_tokens()) {
            return format("tokens {} to {} of {}", begin, end, shard_.num_tokens());
        }
        if (index + 1 == shard_.num_documents() && end != shard_.num_tokens()) {
            return format("the last one ends at token {} of {}", end, shard_.num_tokens());
        }
        const bool are_samples = details_.is_foreign && details_.sample_tokens > 0;
        if (are_samples || (begin == end && details_.has_bare_documents)) return "";
        // Samples of fixed length cut the first and the last document of a shard.
        const bool is_packed = details_.sample_tokens > 0;
        const bool is_cut_before = is_packed && index == 0;
        const bool is_cut_after = is_packed && index + 1 == shard_.num_documents();
        std::span<const uint32_t> bos(details_.borders.bos), eos(details_.borders.eos);
        const uint64_t size = end - begin;
        // Of a cut end there may be a part.
        if (is_cut_before) bos = {};
        if (is_cut_before && eos.size() > size) eos = eos.last(size);
        if (is_cut_after) eos = {};
        if (is_cut_after && bos.size() > size) bos = bos.first(size);
        if (size < bos.size() + eos.size()) {
            return format("{} tokens, less than its BOS and EOS are", size);
        }
        std::string wrong = check_border("BOS", bos, begin);
        if (wrong.empty()) wrong = check_border("EOS", eos, end - eos.size());
        return wrong;
    }

    /// @param at the token at which the border begins
    std::string check_border(const char* what, std::span<const uint32_t> wanted,
                             uint64_t at) const {
        if (wanted.empty()) return "";
        std::array<uint32_t, shards::kMostBorders> room;
        const auto ids = std::span(room).first(wanted.size());
        shard_.read_tokens(at, ids);
        if (std::equal(ids.begin(), ids.end(), wanted.begin())) return "";
        const auto text = [](std::span<const uint32_t> list) {
            return shards::ids_to_text({list.begin(), list.end()});
        };
        return format("id{} {} in the place of its {} {}", ids.size() > 1 ? "s" : "", text(ids),
                      what, text(wanted));
    }

    const shards::ShardFile& shard_;
    const shards::ShardEntry& entry_;
    const shards::ShardDetails& details_;
    const token::Tokenizer* tokenizer_;
};

}  // namespace

std::string check_shard_content(const shards::ShardFile& shard, const shards::ShardEntry& entry,
                                const shards::ShardDetails& details,
                                const token::Tokenizer* tokenizer) {
    return ShardChecker(shard, entry, details, tokenizer).run();
}

}  // namespace longhaul::tokenize

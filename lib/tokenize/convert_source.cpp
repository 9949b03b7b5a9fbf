// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/convert_source.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/shards/open_files.h"

namespace longhaul::tokenize {

namespace {

size_t part_of(const std::vector<uint64_t>& firsts, uint64_t index) {
    const auto after = std::upper_bound(firsts.begin(), firsts.end(), index);
    return static_cast<size_t>(after - firsts.begin()) - 1;
}

}  // namespace

SetReader::SetReader(const shards::ShardSet& set) : vocab_size_(set.details.vocab_size) {
    const std::vector<shards::ShardEntry>& entries = set.details.shards;
    shards::allow_open_files(entries.size() * 3);
    for (size_t i = 0; i < entries.size(); ++i) {
        shards_.push_back(shards::open_shard(set.folder, set.details, i));
        const shards::ShardFile& shard = *shards_.back();
        if (units_.empty() || units_.back().unit != entries[i].unit) {
            units_.push_back({entries[i].unit, num_documents(), 0, num_tokens(), 0});
        }
        units_.back().num_documents += shard.num_documents();
        units_.back().num_tokens += shard.num_tokens();
        first_document_.push_back(num_documents() + shard.num_documents());
        first_token_.push_back(num_tokens() + shard.num_tokens());
    }
}

void SetReader::read_offsets(uint64_t first, std::span<uint64_t> out) const {
    while (!out.empty()) {
        if (first == num_documents()) {
            out[0] = num_tokens();
            return;
        }
        const size_t i = part_of(first_document_, first);
        const size_t count = std::min<uint64_t>(out.size(), first_document_[i + 1] - first);
        shards_[i]->read_offsets(first - first_document_[i], out.first(count));
        for (uint64_t& offset : out.first(count)) offset += first_token_[i];
        out = out.subspan(count);
        first += count;
    }
}

void SetReader::read_sources(uint64_t first, std::span<uint64_t> out) const {
    while (!out.empty()) {
        const size_t i = part_of(first_document_, first);
        const size_t count = std::min<uint64_t>(out.size() / 2, first_document_[i + 1] - first);
        shards_[i]->read_sources(first - first_document_[i], out.first(2 * count));
        out = out.subspan(2 * count);
        first += count;
    }
}

void SetReader::read_tokens(uint64_t first, std::span<uint32_t> out) const {
    while (!out.empty()) {
        const size_t i = part_of(first_token_, first);
        const size_t count = std::min<uint64_t>(out.size(), first_token_[i + 1] - first);
        const uint64_t inside = first - first_token_[i];
        const auto part = out.first(count);
        shards_[i]->read_tokens(inside, part);
        const auto wrong = std::find_if(part.begin(), part.end(),
                                        [this](uint32_t id) { return id >= vocab_size_; });
        if (wrong != part.end()) {
            throw DataError(
                format("{}: token {}: id {} is no token of a vocabulary of {}", shards_[i]->name(),
                       inside + static_cast<uint64_t>(wrong - part.begin()), *wrong, vocab_size_));
        }
        out = out.subspan(count);
        first += count;
    }
}

DocumentCursor::DocumentCursor(const SetReader& reader, uint64_t first, uint64_t count)
    : reader_(reader), next_(first), end_(first + count) {}

bool DocumentCursor::next(Document& document) {
    if (next_ == end_) return false;
    if (next_ >= block_end_) {
        block_begin_ = next_;
        block_end_ = std::min(end_, next_ + kBlock);
        offsets_.resize(block_end_ - block_begin_ + 1);
        sources_.resize(2 * (block_end_ - block_begin_));
        reader_.read_offsets(block_begin_, offsets_);
        reader_.read_sources(block_begin_, sources_);
    }
    const uint64_t i = next_++ - block_begin_;
    if (offsets_[i] > offsets_[i + 1]) {
        throw DataError(format("document {} begins at token {}, the next one at {}", next_ - 1,
                               offsets_[i], offsets_[i + 1]));
    }
    document = {offsets_[i], offsets_[i + 1] - offsets_[i], sources_[2 * i], sources_[2 * i + 1]};
    return true;
}

std::span<const uint32_t> TokenCursor::next(uint64_t count) {
    if (used_ == block_.size()) {
        block_.resize(std::min(kBlock, end_ - next_));
        reader_.read_tokens(next_, block_);
        next_ += block_.size();
        used_ = 0;
    }
    const auto part = std::span<const uint32_t>(block_).subspan(
        used_, std::min<uint64_t>(count, block_.size() - used_));
    used_ += part.size();
    return part;
}

}  // namespace longhaul::tokenize

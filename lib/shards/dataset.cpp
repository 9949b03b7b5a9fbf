// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/dataset.h"

#include <algorithm>

#include "lib/base/check.h"
#include "lib/shards/format.h"
#include "lib/shards/open_files.h"
#include "lib/shards/shard_cache.h"
#include "lib/shards/shard_file.h"
#include "lib/shards/shard_set.h"

namespace longhaul::shards {

struct Dataset::Impl {
    DatasetInfo info;
    ShardDetails details;
    std::vector<std::unique_ptr<ShardFile>> shards;
    std::vector<uint64_t> first_token, first_document;  // of each shard, and the totals at the end

    size_t shard_of(const std::vector<uint64_t>& firsts, uint64_t index) const {
        const auto after = std::upper_bound(firsts.begin(), firsts.end(), index);
        return static_cast<size_t>(after - firsts.begin()) - 1;
    }

    template <class Out>
    void read(uint64_t first, std::span<Out> out) const {
        if (first > info.num_tokens || out.size() > info.num_tokens - first) {
            throw DataError(format("{}: tokens {} to {} asked, it has {}", info.folder.string(),
                                   first, first + out.size(), info.num_tokens));
        }
        while (!out.empty()) {
            const size_t shard = shard_of(first_token, first);
            const uint64_t inside = first - first_token[shard];
            const size_t count = std::min<uint64_t>(out.size(), first_token[shard + 1] - first);
            shards[shard]->read_tokens(inside, out.first(count));
            out = out.subspan(count);
            first += count;
        }
    }

    uint64_t first_record(uint64_t unit, uint64_t input) const {
        for (const Segment& segment : details.segments) {
            if (segment.unit == unit && segment.input == input) return segment.first_record;
        }
        throw DataError(format("{}: manifest.json: no segment for unit {}, input {}",
                               info.folder.string(), unit, input));
    }
};

namespace {

/// The folder in which each shard is opened: copies of the cache, or where they are.
std::vector<std::filesystem::path> places_of(const ShardSet& set, const ShardDetails& details,
                                             ShardCache* cache) {
    if (cache == nullptr) return std::vector(details.shards.size(), set.folder);
    const std::vector<CachedShard> copies = cached_shards(set.folder, details);
    cache->fill(set.folder, copies);
    std::vector<std::filesystem::path> places;
    places.reserve(copies.size());
    for (const CachedShard& copy : copies) places.push_back(cache->folder_of(set.folder, copy));
    if (!details.merged.empty()) return std::vector(details.shards.size(), places.front());
    return places;
}

}  // namespace

Dataset::Dataset(const std::filesystem::path& path, const OpenOptions& options)
    : impl_(std::make_unique<Impl>()) {
    Impl& self = *impl_;
    ShardSet set = open_shard_set(path, options);
    self.details = std::move(set.details);
    const ShardDetails& details = self.details;
    self.info = {path,
                 details.num_tokens,
                 details.num_documents,
                 details.token_type,
                 details.vocab_size,
                 details.borders,
                 details.tokenizer_hash,
                 set.hash};
    allow_open_files(details.shards.size() * 2);
    const auto places = places_of(set, details, options.cache);
    uint64_t tokens = 0, documents = 0;
    for (size_t i = 0; i < details.shards.size(); ++i) {
        self.first_token.push_back(tokens);
        self.first_document.push_back(documents);
        self.shards.push_back(open_shard(places[i], details, i));
        if (options.maps) self.shards.back()->map();
        tokens += details.shards[i].num_tokens;
        documents += details.shards[i].num_documents;
    }
    self.first_token.push_back(tokens);
    self.first_document.push_back(documents);
    if (tokens != details.num_tokens || documents != details.num_documents) {
        throw DataError(
            format("{}: manifest.json: the shards have {} tokens and {} documents, the "
                   "totals say {} and {}",
                   path.string(), tokens, documents, details.num_tokens, details.num_documents));
    }
}

Dataset::Dataset(Dataset&&) noexcept = default;
Dataset& Dataset::operator=(Dataset&&) noexcept = default;
Dataset::~Dataset() = default;

const DatasetInfo& Dataset::info() const {
    return impl_->info;
}
const std::vector<std::string>& Dataset::input_paths() const {
    return impl_->details.inputs;
}

void Dataset::read(uint64_t first, std::span<uint32_t> out) const {
    impl_->read(first, out);
}
void Dataset::read(uint64_t first, std::span<int32_t> out) const {
    impl_->read(first, out);
}

void Dataset::append_document_starts(uint64_t first, uint64_t count,
                                     std::vector<uint64_t>& out) const {
    const uint64_t end = std::min(first + count, info().num_tokens);
    while (first < end) {
        const size_t shard = impl_->shard_of(impl_->first_token, first);
        const uint64_t base = impl_->first_token[shard];
        const uint64_t stop = std::min(end, impl_->first_token[shard + 1]);
        impl_->shards[shard]->append_starts(first - base, stop - base, base, out);
        first = stop;
    }
}

std::vector<uint64_t> Dataset::document_starts(uint64_t first, uint64_t count) const {
    std::vector<uint64_t> starts;
    append_document_starts(first, count, starts);
    return starts;
}

std::vector<uint64_t> Dataset::document_offsets() const {
    std::vector<uint64_t> offsets(info().num_documents + 1);
    for (size_t i = 0; i < impl_->shards.size(); ++i) {
        const ShardFile& file = *impl_->shards[i];
        const auto part =
            std::span(offsets).subspan(impl_->first_document[i], file.num_documents());
        file.read_offsets(0, part);
        uint64_t before = 0;
        for (uint64_t& offset : part) {
            if (offset < before || offset > file.num_tokens()) {
                throw DataError(format("{}: doc_offsets are out of order", file.name()));
            }
            before = offset;
            offset += impl_->first_token[i];
        }
    }
    offsets.back() = info().num_tokens;
    return offsets;
}

void Dataset::will_need(uint64_t first, uint64_t count) const {
    const uint64_t end = std::min(first + count, info().num_tokens);
    while (first < end) {
        const size_t shard = impl_->shard_of(impl_->first_token, first);
        const uint64_t base = impl_->first_token[shard];
        const uint64_t stop = std::min(end, impl_->first_token[shard + 1]);
        impl_->shards[shard]->will_need(first - base, stop - first);
        first = stop;
    }
}

const std::byte* Dataset::mapped(uint64_t first, uint64_t count) const {
    if (count == 0 || first >= info().num_tokens) return nullptr;
    const size_t shard = impl_->shard_of(impl_->first_token, first);
    if (count > impl_->first_token[shard + 1] - first) return nullptr;
    return impl_->shards[shard]->mapped(first - impl_->first_token[shard], count);
}

uint64_t Dataset::document_begin(uint64_t token) const {
    LH_CHECK(token < info().num_tokens, "token {} of {}", token, info().num_tokens);
    const size_t shard = impl_->shard_of(impl_->first_token, token);
    const ShardFile& file = *impl_->shards[shard];
    const uint64_t base = impl_->first_token[shard];
    uint64_t offset = 0;
    file.read_offsets(file.find_document(token - base), {&offset, 1});
    return base + offset;
}

DocumentRef Dataset::document_at(uint64_t token) const {
    LH_CHECK(token < info().num_tokens, "token {} of {}", token, info().num_tokens);
    const size_t shard = impl_->shard_of(impl_->first_token, token);
    const uint64_t inside = impl_->shards[shard]->find_document(token - impl_->first_token[shard]);
    return document(impl_->first_document[shard] + inside);
}

DocumentRef Dataset::document(uint64_t index) const {
    LH_CHECK(index < info().num_documents, "document {} of {}", index, info().num_documents);
    const size_t shard = impl_->shard_of(impl_->first_document, index);
    const ShardFile& file = *impl_->shards[shard];
    const uint64_t inside = index - impl_->first_document[shard];
    uint64_t offsets[2], source[2];
    file.read_offsets(inside, offsets);
    file.read_sources(inside, source);
    if (offsets[0] > offsets[1] || offsets[1] > file.num_tokens()) {
        throw DataError(format("{}: doc_offsets[{}] is out of order", file.name(), inside));
    }
    const uint64_t unit = impl_->details.shards[shard].unit;
    return {index, impl_->first_token[shard] + offsets[0], offsets[1] - offsets[0],
            static_cast<uint32_t>(source[0]), source[1] + impl_->first_record(unit, source[0])};
}

}  // namespace longhaul::shards

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/convert_plan.h"

#include <algorithm>

#include "lib/shards/shard_cutter.h"

namespace longhaul::tokenize {

namespace {

ConvertPlan copy_cuts(const std::vector<shards::ShardEntry>& entries) {
    ConvertPlan plan;
    PlannedShard next;
    for (const shards::ShardEntry& entry : entries) {
        const bool is_same_unit = !plan.shards.empty() && plan.shards.back().unit == entry.unit;
        next.number = is_same_unit ? plan.shards.back().number + 1 : 0;
        next.unit = entry.unit;
        next.num_documents = entry.num_documents;
        next.num_tokens = entry.num_tokens;
        plan.shards.push_back(next);
        next.first_document += entry.num_documents;
        next.first_token += entry.num_tokens;
    }
    return plan;
}

/// Calls visit(first tokens of documents [first, ...), first) block by block.
template <class Visit>
void for_each_block(const SetReader& reader, const UnitRange& unit, Visit&& visit) {
    constexpr uint64_t kBlock = 1 << 16;
    std::vector<uint64_t> offsets(kBlock + 1);
    for (uint64_t done = 0; done < unit.num_documents; done += kBlock) {
        const uint64_t count = std::min(kBlock, unit.num_documents - done);
        const auto part = std::span(offsets).first(count + 1);
        reader.read_offsets(unit.first_document + done, part);
        visit(part, unit.first_document + done);
    }
}

void cut_documents(const SetReader& reader, const UnitRange& unit, shards::ShardCutter cutter,
                   ConvertPlan& plan) {
    PlannedShard shard{unit.unit, 0, unit.first_document, 0, unit.first_token, 0};
    for_each_block(reader, unit, [&](std::span<const uint64_t> offsets, uint64_t) {
        for (size_t i = 0; i + 1 < offsets.size(); ++i) {
            const uint64_t length = offsets[i + 1] - offsets[i];
            if (cutter.add(length)) {
                plan.shards.push_back(shard);
                shard = {unit.unit, shard.number + 1, shard.first_document + shard.num_documents,
                         0,         offsets[i],       0};
            }
            ++shard.num_documents;
            shard.num_tokens += length;
        }
    });
    if (shard.num_documents > 0) plan.shards.push_back(shard);
}

/// Samples in a row: a document belongs to each shard that holds some of it, an empty one to that
/// of its place.
void cut_samples(const SetReader& reader, const UnitRange& unit, uint64_t sample_tokens,
                 uint64_t samples_per_shard, ConvertPlan& plan) {
    const uint64_t kept = unit.num_tokens / sample_tokens * sample_tokens;
    plan.dropped_tokens += unit.num_tokens - kept;
    const uint64_t end = unit.first_token + kept, shard_tokens = samples_per_shard * sample_tokens;
    PlannedShard shard{
        unit.unit, 0, unit.first_document, 0, unit.first_token, std::min(shard_tokens, kept)};
    if (kept == 0) return;
    for_each_block(reader, unit, [&](std::span<const uint64_t> offsets, uint64_t first) {
        for (size_t i = 0; i + 1 < offsets.size(); ++i) {
            const uint64_t document = first + i;
            const uint64_t begin = offsets[i], stop = offsets[i + 1];
            while (shard.num_tokens > 0 && begin >= shard.first_token + shard.num_tokens) {
                plan.shards.push_back(shard);
                const uint64_t next = shard.first_token + shard.num_tokens;
                shard = {unit.unit, shard.number + 1,
                         document,  0,
                         next,      std::min(shard_tokens, end - next)};
            }
            if (shard.num_tokens == 0) return;  // what is left fills no sample
            ++shard.num_documents;
            while (shard.num_tokens > 0 && stop > shard.first_token + shard.num_tokens) {
                plan.shards.push_back(shard);
                const uint64_t next = shard.first_token + shard.num_tokens;
                const uint64_t rest = std::min(shard_tokens, end - next);
                shard = {unit.unit, shard.number + 1, document, rest > 0 ? 1u : 0u, next, rest};
            }
        }
    });
    if (shard.num_tokens > 0) plan.shards.push_back(shard);
}

}  // namespace

ConvertPlan plan_conversion(const SetReader& reader, const shards::Container& container,
                            uint32_t vocab_size, const std::vector<shards::ShardEntry>* entries) {
    if (entries != nullptr) return copy_cuts(*entries);
    ConvertPlan plan;
    const shards::ShardCutter cutter(container, vocab_size);
    for (const UnitRange& unit : reader.units()) {
        if (container.sample_tokens > 0) {
            cut_samples(reader, unit, container.sample_tokens, cutter.samples_per_shard(), plan);
        } else {
            cut_documents(reader, unit, cutter, plan);
        }
    }
    return plan;
}

}  // namespace longhaul::tokenize

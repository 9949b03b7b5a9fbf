// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How samples are cut out of token shards and in which order they are shown: the [data] keys that a
// run must not change within a phase.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/io/json_fwd.h"

namespace longhaul::shards {

enum class OrderKind : uint8_t {
    kFeistel,     // every sample of an epoch anywhere
    kSequential,  // as stored
    kBlock,       // blocks of neighbours anywhere, samples shuffled within a window of blocks
    kMegatron,    // GPTDataset's and BlendedDataset's order
};
enum class Packing : uint8_t {
    kStream,   // windows of the stream of all tokens
    kBestFit,  // whole documents packed into samples; only longer ones are cut
};

/// The order of blended sets before version 2 kept their shares at the ends of blocks only.
inline constexpr int64_t kOldBlend = 1;
inline constexpr int64_t kExactBlend = 2;

/// Checked values. Equal settings and data give equal samples.
struct SampleSettings {
    OrderKind order = OrderKind::kFeistel;
    uint64_t order_block = 256;  // kBlock: samples that lie together
    uint64_t order_window = 16;  // kBlock: blocks that are shuffled into each other
    uint64_t order_samples = 0;  // kMegatron: samples of the whole run
    Packing packing = Packing::kStream;
    bool attends_document = false;     // attention and positions end at document boundaries
    bool masks_boundaries = false;     // no loss on the first token of a document
    std::vector<uint32_t> mask_ids;    // no loss on these ids
    std::vector<uint32_t> loss_spans;  // {from, to}: loss only after `from` up to and with `to`
    int64_t blend_version = kExactBlend;

    bool operator==(const SampleSettings&) const = default;
    bool has_mask() const { return masks_boundaries || !mask_ids.empty() || !loss_spans.empty(); }
};

/// The same as people write it: keys of [data] in run.toml and options of `tok-shard loader`.
struct SampleWords {
    std::string order = "feistel";
    int64_t order_block = 256, order_window = 16, order_samples = 0;
    std::string packing = "stream";
    std::string attention = "causal";
    bool mask_boundaries = false;
    std::vector<std::string> mask_ids, loss_between;
};
/// Words that may be chosen from, for declarations.
std::vector<std::string> order_names();      // feistel, sequential, block, megatron
std::vector<std::string> packing_names();    // stream, best-fit
std::vector<std::string> attention_names();  // causal, document

/// @throws UsageError naming data.KEY.
SampleSettings settings_of(const SampleWords& words);

/// Members "order", "packing", ... of a data phase in a checkpoint.
void add_to_json(io::Json& json, const SampleSettings& settings);
/// Absent members are those of a run before they existed. @throws DataError naming `source`.
SampleSettings settings_from_json(const io::Json& json, const std::string& source);
/// The first key that differs, "data.order = block, but it was feistel"; "" when none does.
std::string difference(const SampleSettings& there, const SampleSettings& here);

}  // namespace longhaul::shards

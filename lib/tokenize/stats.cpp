// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/stats.h"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "lib/base/units.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/shards/shard_file.h"
#include "lib/token/load.h"

namespace longhaul::tokenize {

namespace {

struct Stats {
    uint64_t text_bytes = 0;                 // of what the tokens stand for, without control tokens
    std::vector<uint64_t> by_id;             // occurrences
    std::map<unsigned, uint64_t> by_length;  // documents of 2^(k-1) to 2^k - 1 tokens; 0: none
    uint64_t shortest = ~uint64_t{0}, longest = 0;
};

void add_shard(const shards::ShardFile& shard, Stats& stats) {
    constexpr uint64_t kBlock = 1 << 16;
    std::vector<uint32_t> ids(kBlock);
    for (uint64_t first = 0; first < shard.num_tokens(); first += kBlock) {
        const auto part = std::span(ids).first(std::min(kBlock, shard.num_tokens() - first));
        shard.read_tokens(first, part);
        for (const uint32_t id : part) {
            if (id >= stats.by_id.size()) stats.by_id.resize(id + size_t{1});  // size not known
            ++stats.by_id[id];
        }
    }
    std::vector<uint64_t> offsets(kBlock + 1);
    for (uint64_t first = 0; first < shard.num_documents(); first += kBlock) {
        const uint64_t count = std::min(kBlock, shard.num_documents() - first);
        shard.read_offsets(first, std::span(offsets).first(count + 1));
        for (uint64_t i = 0; i < count; ++i) {
            const uint64_t length = offsets[i + 1] - offsets[i];
            ++stats.by_length[static_cast<unsigned>(std::bit_width(length))];
            stats.shortest = std::min(stats.shortest, length);
            stats.longest = std::max(stats.longest, length);
        }
    }
}

uint64_t bucket_begin(unsigned bucket) {
    return bucket == 0 ? 0 : uint64_t{1} << (bucket - 1);
}

io::Json to_json(const shards::ShardDetails& details, const token::Tokenizer* tokenizer,
                 const Stats& stats) {
    io::Json json{{"schema", 1},
                  {"documents", details.num_documents},
                  {"tokens", details.num_tokens},
                  {"text_bytes", stats.text_bytes},
                  {"vocab_size", details.vocab_size},
                  {"distinct_tokens", static_cast<ptrdiff_t>(stats.by_id.size()) -
                                          std::count(stats.by_id.begin(), stats.by_id.end(), 0u)},
                  {"shards", details.shards.size()},
                  {"token_type", shards::token_type_name(details.token_type)},
                  {"shortest_document_tokens", details.num_documents > 0 ? stats.shortest : 0},
                  {"longest_document_tokens", stats.longest},
                  {"bos_ids", details.borders.bos},
                  {"eos_ids", details.borders.eos},
                  {"documents_by_tokens", io::Json::array()},
                  {"control_tokens", io::Json::object()},
                  {"counts", io::Json::parse(details.counts_json)}};
    for (const auto& [bucket, count] : stats.by_length) {
        json["documents_by_tokens"].push_back(
            {{"from_tokens", bucket_begin(bucket)}, {"documents", count}});
    }
    for (uint32_t id = 0; id < stats.by_id.size(); ++id) {
        const bool is_control = tokenizer != nullptr && tokenizer->is_special(id);
        if (stats.by_id[id] == 0 || !is_control) continue;
        json["control_tokens"][std::string(tokenizer->token_bytes(id))] = stats.by_id[id];
    }
    return json;
}

void print_text(const shards::ShardDetails& details, const io::Json& json, const Stats& stats,
                bool has_text) {
    const auto ratio = [](uint64_t a, uint64_t b) {
        return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
    };
    cli::print_line("documents        {}", details.num_documents);
    cli::print_line("tokens           {}  ({} in {} shards)", details.num_tokens,
                    shards::token_type_name(details.token_type), details.shards.size());
    if (has_text) {
        cli::print_line("text             {}", human_bytes(stats.text_bytes));
        cli::print_line("bytes/token      {:.3f}", ratio(stats.text_bytes, details.num_tokens));
    }
    cli::print_line("tokens/document  {:.1f} (shortest {}, longest {})",
                    ratio(details.num_tokens, details.num_documents),
                    json.at("shortest_document_tokens").get<uint64_t>(), stats.longest);
    cli::print_line("vocabulary       {} of {} ids occur",
                    json.at("distinct_tokens").get<uint64_t>(),
                    details.vocab_size == 0 ? "?" : std::to_string(details.vocab_size));
    const auto print_border = [](const char* label, const std::vector<uint32_t>& ids) {
        if (!ids.empty()) cli::print_line("{} {}", label, shards::ids_to_text(ids));
    };
    print_border("documents begin ", details.borders.bos);
    print_border("documents end   ", details.borders.eos);
    for (const auto& [content, count] : json.at("control_tokens").items()) {
        cli::print_line("control token    {} {}", content, count.get<uint64_t>());
    }
    cli::print_line("documents by length in tokens:");
    uint64_t most = 1;
    for (const auto& [bucket, count] : stats.by_length) most = std::max(most, count);
    for (const auto& [bucket, count] : stats.by_length) {
        const std::string bar(static_cast<size_t>(40 * ratio(count, most)), '#');
        cli::print_line("{:>12}+ {:>10} {}", bucket_begin(bucket), count, bar);
    }
}

}  // namespace

ExitCode run_stats(const DataSource& source, bool as_json) {
    const OpenedData data = open_data(source);
    const shards::ShardDetails& details = data.set.details;
    const token::Tokenizer* const tokenizer = data.tokenizer.get();
    Stats stats;
    stats.by_id.resize(details.vocab_size);
    for (size_t i = 0; i < details.shards.size(); ++i) {
        add_shard(*shards::open_shard(data.set.folder, details, i), stats);
    }
    for (uint32_t id = 0; tokenizer != nullptr && id < stats.by_id.size(); ++id) {
        if (stats.by_id[id] != 0 && !tokenizer->is_special(id)) {
            stats.text_bytes += stats.by_id[id] * tokenizer->decoded_bytes(id);
        }
    }
    const io::Json json = to_json(details, tokenizer, stats);
    if (as_json) {
        cli::print_line("{}", io::to_line(json));
    } else {
        print_text(details, json, stats, tokenizer != nullptr);
    }
    return ExitCode::kOk;
}

}  // namespace longhaul::tokenize

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A folder of token shards made for a test.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/format.h"
#include "lib/record/manifest.h"
#include "lib/shards/format.h"
#include "lib/shards/shard_writer.h"

namespace longhaul::test {

/// Documents in two shards; removed at the end.
class ShardFolder {
 public:
    ShardFolder(const std::string& name, const std::vector<std::vector<uint32_t>>& documents,
                const shards::Borders& borders = {{}, {1}})
        : path(std::filesystem::temp_directory_path() / format("lh-{}-{}", name, ::getpid())) {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path);
        shards::ShardDetails details;
        details.vocab_size = 60000;
        details.borders = borders;
        details.tokenizer_hash = {1, 2};
        details.inputs = {"a.jsonl"};
        uint64_t total = 0;
        for (const auto& ids : documents) total += ids.size();
        shards::Container container;
        container.max_tokens = std::max<uint64_t>(total / 2, 1);
        shards::ShardWriter writer({path, path, container, 0, 0, shards::identity_of(details)});
        for (size_t i = 0; i < documents.size(); ++i) writer.add(documents[i], 0, i);
        details.shards = writer.close();
        details.segments.push_back({0, 0, 0, 1, 0});
        details.num_tokens = total;
        details.num_documents = documents.size();
        record::Manifest manifest;
        manifest.tool = "tok-shard";
        manifest.version = "0";
        manifest.kind = shards::kManifestKind;
        manifest.details_json = shards::details_to_json(details);
        record::write_manifest(path / "manifest.json", manifest);
    }
    ~ShardFolder() { std::filesystem::remove_all(path); }
    ShardFolder(const ShardFolder&) = delete;
    ShardFolder& operator=(const ShardFolder&) = delete;

    std::filesystem::path path;
};

}  // namespace longhaul::test

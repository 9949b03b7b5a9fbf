// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/ckpt/cast.h"
#include "lib/ckpt/commit.h"
#include "lib/ckpt/hf.h"
#include "lib/ckpt/hf_model.h"
#include "lib/ckpt/hf_shapes.h"
#include "lib/ckpt/replaceable.h"
#include "lib/ckpt/safetensors.h"
#include "lib/ckpt/tokenizer_folder.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/io/json.h"

namespace longhaul::ckpt {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kBlockElements = 4 << 20;

struct Shard {
    std::string file;
    std::vector<SafeTensor> tensors;
};

std::vector<std::string> master_names(const Manifest& manifest) {
    std::vector<std::string> names;
    for (const TensorEntry& tensor : manifest.tensors) {
        if (tensor.kind == Kind::kMaster) names.push_back(tensor.name);
    }
    return names;
}

TensorShapes master_shapes(const Manifest& manifest) {
    TensorShapes shapes;
    for (const TensorEntry& tensor : manifest.tensors) {
        if (tensor.kind == Kind::kMaster) shapes.emplace(tensor.name, tensor.shape);
    }
    return shapes;
}

uint64_t bytes_in(const TensorEntry& tensor, tensor::DType dtype) {
    return static_cast<uint64_t>(tensor::num_elements(tensor.shape)) * tensor::size_of(dtype);
}

/// Greedy in order of name, as huggingface_hub does; a tensor above the limit is alone.
std::vector<Shard> cut_shards(const Manifest& manifest, std::optional<tensor::DType> dtype,
                              uint64_t max_bytes) {
    std::vector<Shard> shards(1);
    uint64_t bytes = 0;
    for (const TensorEntry& tensor : manifest.tensors) {
        if (tensor.kind != Kind::kMaster) continue;
        const tensor::DType out = dtype.value_or(tensor.dtype);
        if (!can_cast(tensor.dtype, out)) {
            throw UsageError(format("tensor {} is {} and can not be exported as {}", tensor.name,
                                    tensor::name_of(tensor.dtype), tensor::name_of(out)));
        }
        const uint64_t size = bytes_in(tensor, out);
        if (bytes > 0 && bytes + size > max_bytes) {
            shards.emplace_back();
            bytes = 0;
        }
        bytes += size;
        shards.back().tensors.push_back(
            {tensor.name, std::string(safetensors_name(out)), tensor.shape});
    }
    for (size_t i = 0; i < shards.size(); ++i) {
        shards[i].file = shards.size() == 1
                             ? "model.safetensors"
                             : format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
        lay_out_safetensors(shards[i].tensors);
    }
    return shards;
}

void write_tensor(const Checkpoint& source, const SafeTensor& tensor, io::AtomicFile& file,
                  const HfExportOptions& options) {
    const TensorEntry& entry = *source.find(tensor.name, Kind::kMaster);
    const tensor::DType out = *dtype_of_safetensors(tensor.dtype);
    const int64_t total = tensor::num_elements(entry.shape);
    const tensor::Box whole = tensor::Box::whole(entry.shape);
    for (int64_t at = 0; at < total; at += kBlockElements) {
        const tensor::Slice block{whole, at, std::min(kBlockElements, total - at)};
        const auto count = static_cast<size_t>(block.count);
        std::vector<std::byte> values(count * tensor::size_of(entry.dtype));
        source.read(entry.name, entry.kind, block, entry.dtype, values);
        if (out != entry.dtype) {
            std::vector<std::byte> converted(count * tensor::size_of(out));
            cast(entry.dtype, values, out, converted);
            values = std::move(converted);
        }
        file.write(values);
        if (options.on_progress) options.on_progress(values.size());
    }
}

void write_shards(const Checkpoint& source, const std::vector<Shard>& shards,
                  const fs::path& folder, const HfExportOptions& options) {
    io::Json map = io::Json::object();
    uint64_t total = 0;
    for (const Shard& shard : shards) {
        io::AtomicFile file(folder / shard.file);
        file.write(safetensors_prefix(shard.tensors, {{"format", "pt"}}));
        for (const SafeTensor& tensor : shard.tensors) {
            write_tensor(source, tensor, file, options);
            map[tensor.name] = shard.file;
            total += tensor.end - tensor.begin;
        }
        file.commit();
    }
    if (shards.size() == 1) return;
    const io::Json index{{"metadata", {{"total_size", total}}}, {"weight_map", map}};
    io::write_file_atomically(folder / "model.safetensors.index.json", io::to_pretty(index));
}

/// The token that ends a document: "<|endoftext|>", else the only special token there is.
struct EndToken {
    int64_t id = 0;
    std::string content;
};

std::optional<EndToken> end_token(const fs::path& folder) {
    const fs::path file = folder / "tokenizer.json";
    if (!fs::exists(file)) return std::nullopt;
    const io::Json tokenizer = io::read_json_file(file);
    std::vector<EndToken> special;
    const auto added = tokenizer.find("added_tokens");
    if (added == tokenizer.end() || !added->is_array()) return std::nullopt;
    for (const io::Json& token : *added) {
        const EndToken end{io::require<int64_t>(token, "id", file.string()),
                           io::require<std::string>(token, "content", file.string())};
        if (end.content == "<|endoftext|>") return end;
        if (token.value("special", false)) special.push_back(end);
    }
    return special.size() == 1 ? std::optional(special[0]) : std::nullopt;
}

/// config.json with the type that was written and, where the model does not say, the end token.
std::string config_text(io::Json config, std::optional<tensor::DType> dtype,
                        const std::optional<EndToken>& end) {
    if (dtype) {
        const bool has_new_key = config.contains("dtype") && !config.contains("torch_dtype");
        config[has_new_key ? "dtype" : "torch_dtype"] = torch_name(*dtype);
    }
    for (const char* key : {"bos_token_id", "eos_token_id"}) {
        const auto found = config.find(key);
        if (end && found != config.end() && found->is_null()) *found = end->id;
    }
    return io::to_pretty(config);
}

void copy_tokenizer(const fs::path& from, const fs::path& to) {
    if (!fs::is_directory(from)) {
        throw UsageError(format("tokenizer folder {} does not exist", from.string()));
    }
    const bool is_pure = fs::exists(from / "source.json");  // else a model may lie in it too
    for (const auto& entry : fs::directory_iterator(from)) {
        const std::string name = entry.path().filename().string();
        const bool is_wanted = entry.is_regular_file() && name[0] != '.' &&
                               name.find("safetensors") == std::string::npos &&
                               !name.ends_with(".bin") && name != "config.json" &&
                               name != "manifest.json" && name != "source.json" &&
                               (is_pure || is_tokenizer_file(name));
        if (is_wanted) io::write_file_atomically(to / name, io::read_text_file(entry.path()));
    }
    // transformers finds the class of a bare tokenizer.json by this file only.
    if (fs::exists(to / "tokenizer.json") && !fs::exists(to / "tokenizer_config.json")) {
        io::Json config{{"tokenizer_class", "PreTrainedTokenizerFast"}};
        if (const auto end = end_token(to)) {
            config["bos_token"] = end->content;
            config["eos_token"] = end->content;
        }
        io::write_file_atomically(to / "tokenizer_config.json", io::to_pretty(config));
    }
}

}  // namespace

HfExportResult export_hf(const Checkpoint& source, const fs::path& destination,
                         const HfExportOptions& options) {
    const fs::path folder =
        check_destination(source.directory(), destination, Output::kModel, options.force);
    const Header& header = source.header();
    const std::string name = source.directory().string();
    if (header.hf_config_json.empty()) {
        throw UsageError(format("{}: the checkpoint does not say what model it is", name));
    }
    const io::Json config = io::parse_json(header.hf_config_json, name + ": hf_config");
    const HfModel model = hf_model(config, name + ": hf_config");
    check_shapes(config, model, master_shapes(source.manifest()), name + ": hf_config");
    const std::string gap = name_difference(tensor_names(model), master_names(source.manifest()));
    if (!gap.empty()) throw DataError(format("{}: {}", name, gap));
    if (fs::exists(folder) && !options.force) {
        throw UsageError(format("{} exists; give --force to replace it", folder.string()));
    }
    auto dtype = options.dtype;
    if (!dtype) dtype = dtype_of_torch(model.torch_dtype);
    const std::vector<Shard> shards = cut_shards(source.manifest(), dtype, options.max_shard_bytes);

    HfExportResult result;
    result.num_files = shards.size();
    result.tokenizer = options.tokenizer.empty() ? tokenizer_folder(source).value_or(fs::path())
                                                 : fs::path(options.tokenizer);
    const fs::path temporary = make_temporary(folder);
    try {
        write_shards(source, shards, temporary, options);
        if (!result.tokenizer.empty()) copy_tokenizer(result.tokenizer, temporary);
        io::write_file_atomically(temporary / "config.json",
                                  config_text(config, dtype, end_token(temporary)));
    } catch (...) {
        remove_directory(temporary);
        throw;
    }
    publish_directory(temporary, folder);
    for (const Shard& shard : shards) {
        result.bytes += shard.tensors.empty() ? 0 : shard.tensors.back().end;
    }
    return result;
}

}  // namespace longhaul::ckpt

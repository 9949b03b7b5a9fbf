// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>

#include <algorithm>
#include <map>

#include "lib/base/error.h"
#include "lib/ckpt/cast.h"
#include "lib/ckpt/commit.h"
#include "lib/ckpt/container.h"
#include "lib/ckpt/hf.h"
#include "lib/ckpt/hf_model.h"
#include "lib/ckpt/hf_shapes.h"
#include "lib/ckpt/replaceable.h"
#include "lib/ckpt/safetensors.h"
#include "lib/ckpt/save_plan.h"
#include "lib/io/file.h"
#include "lib/io/json.h"

namespace longhaul::ckpt {
namespace fs = std::filesystem;
namespace {

/// A tensor to import and where its bytes lie.
struct Source {
    fs::path file;
    uint64_t byte_offset = 0;
    tensor::DType dtype = tensor::DType::kF32;
    tensor::Shape shape;
};
using Sources = std::map<std::string, Source>;  // by canonical name

/// The safetensors files of a folder, by its index or the single file.
std::vector<fs::path> model_files(const fs::path& folder) {
    const fs::path index = folder / "model.safetensors.index.json";
    if (!fs::exists(index)) {
        const fs::path single = folder / "model.safetensors";
        if (fs::exists(single)) return {single};
        throw UsageError(
            format("{}: neither model.safetensors nor model.safetensors.index.json; "
                   "other formats must be converted with transformers first",
                   folder.string()));
    }
    const io::Json json = io::read_json_file(index);
    const auto map =
        io::require<std::map<std::string, std::string>>(json, "weight_map", index.string());
    std::vector<fs::path> files;
    for (const auto& [tensor, file] : map) {
        if (file.empty() || file.find('/') != std::string::npos) {
            throw DataError(format("{}: tensor {} in a file outside of the folder: {}",
                                   index.string(), tensor, file));
        }
        const fs::path path = folder / file;
        if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
    }
    for (const fs::path& file : files) {
        if (!fs::exists(file)) {
            throw DataError(format("{}: the shard {} is missing", index.string(), file.string()));
        }
    }
    return files;
}

Sources collect(const fs::path& folder, const HfModel& model) {
    Sources sources;
    for (const fs::path& file : model_files(folder)) {
        const SafetensorsHeader header = read_safetensors_header(file);
        for (const SafeTensor& tensor : header.tensors) {
            const std::string name = canonical_name(model, tensor.name);
            if (is_buffer(model, name)) continue;
            const auto dtype = dtype_of_safetensors(tensor.dtype);
            if (!dtype) {
                throw DataError(format("{}: tensor {} has type {}, which Longhaul does not have",
                                       file.string(), tensor.name, tensor.dtype));
            }
            const Source source{file, header.data_offset + tensor.begin, *dtype, tensor.shape};
            if (!sources.emplace(name, source).second) {
                throw DataError(format("{}: tensor {} is there twice", file.string(), name));
            }
        }
    }
    return sources;
}

std::vector<std::byte> read_bytes(const Source& source, uint64_t at, uint64_t bytes) {
    std::vector<std::byte> values(bytes);
    const io::UniqueFd fd = io::open_file(source.file, O_RDONLY);
    io::pread_exact(fd.get(), values, source.byte_offset + at, source.file.string());
    return values;
}

uint64_t bytes_of(const Source& source) {
    return static_cast<uint64_t>(tensor::num_elements(source.shape)) *
           tensor::size_of(source.dtype);
}

/// A tied model may still store its head: it must be the embedding, and is not kept.
void drop_tied_head(Sources& sources, const HfModel& model) {
    const auto head = sources.find(kHeadName);
    const auto embedding = sources.find(embedding_name(model));
    if (!model.is_tied || head == sources.end() || embedding == sources.end()) return;
    const uint64_t bytes = bytes_of(head->second);
    bool is_same = bytes == bytes_of(embedding->second);
    for (uint64_t at = 0; is_same && at < bytes; at += kMaxSliceBytes) {
        const uint64_t n = std::min(kMaxSliceBytes, bytes - at);
        is_same = read_bytes(head->second, at, n) == read_bytes(embedding->second, at, n);
    }
    if (!is_same) {
        throw DataError(format("{}: {} differs from {}, but config.json says that they are tied",
                               head->second.file.string(), kHeadName, embedding->first));
    }
    sources.erase(head);
}

/// One container with everything, cut like a save.
class Importer {
 public:
    Importer(const Sources& sources, const HfImportOptions& options) : options_(options) {
        for (const auto& [name, source] : sources) add(name, source);
    }

    void write(const fs::path& directory, Manifest& manifest) {
        const std::string name = container_name(0);
        ContainerWriter container(directory / name, specs_);
        for (size_t i = 0; i < pieces_.size(); ++i) {
            SliceEntry entry = copy_piece(container, i);
            manifest_.slices.push_back(entry);
        }
        manifest.files = {{name, container.close()}};
        manifest.tensors = std::move(manifest_.tensors);
        manifest.slices = std::move(manifest_.slices);
        canonicalize(manifest);
    }

 private:
    struct Piece {
        const Source* source;
        uint32_t tensor;
        tensor::Slice slice;
    };

    void add(const std::string& name, const Source& source) {
        const tensor::DType dtype = options_.dtype.value_or(source.dtype);
        if (!can_cast(source.dtype, dtype)) {
            throw UsageError(format("tensor {} is {} and can not be imported as {}", name,
                                    tensor::name_of(source.dtype), tensor::name_of(dtype)));
        }
        const auto number = static_cast<uint32_t>(manifest_.tensors.size());
        manifest_.tensors.push_back({name, Kind::kMaster, dtype, source.shape, {}});
        const auto whole = tensor::Slice::whole(tensor::Box::whole(source.shape));
        for (const tensor::Slice& slice : cut_slice(whole, dtype)) {
            pieces_.push_back({&source, number, slice});
            specs_.push_back({name, Kind::kMaster, dtype, slice.count});
        }
    }

    SliceEntry copy_piece(const ContainerWriter& container, size_t i) {
        const Piece& piece = pieces_[i];
        TensorEntry& tensor = manifest_.tensors[piece.tensor];
        const tensor::DType from = piece.source->dtype;
        const auto first = static_cast<uint64_t>(piece.slice.first);
        const auto count = static_cast<uint64_t>(piece.slice.count);
        std::vector<std::byte> values =
            read_bytes(*piece.source, first * tensor::size_of(from), count * tensor::size_of(from));
        if (from != tensor.dtype) {
            std::vector<std::byte> converted(count * tensor::size_of(tensor.dtype));
            cast(from, values, tensor.dtype, converted);
            values = std::move(converted);
        }
        container.write(i, 0, values);
        tensor.fingerprint += fingerprint(tensor.shape, piece.slice, tensor.dtype, values);
        if (options_.on_progress) options_.on_progress(values.size());
        return {piece.tensor, piece.slice, 0, container.byte_offset(i), xxh3_128(values)};
    }

    const HfImportOptions& options_;
    Manifest manifest_;
    std::vector<Piece> pieces_;
    std::vector<PieceSpec> specs_;
};

}  // namespace

Hash128 import_hf(const fs::path& folder, const fs::path& destination,
                  const HfImportOptions& options) {
    const fs::path directory =
        check_destination(folder, destination, Output::kCheckpoint, options.force);
    const fs::path config_file = folder / "config.json";
    const io::Json config = io::read_json_file(config_file);
    const HfModel model = hf_model(config, config_file.string());
    Sources sources = collect(folder, model);
    drop_tied_head(sources, model);
    TensorShapes shapes;
    std::vector<std::string> there;
    for (const auto& [name, source] : sources) {
        shapes.emplace(name, source.shape);
        there.push_back(name);
    }
    check_shapes(config, model, shapes, config_file.string());
    const std::string gap = name_difference(tensor_names(model), there);
    if (!gap.empty()) throw DataError(format("{}: {}", folder.string(), gap));
    if (fs::exists(directory) && !options.force) {
        throw UsageError(format("{} exists; give --force to replace it", directory.string()));
    }
    Manifest manifest;
    manifest.header.step = options.step;
    manifest.header.checkpoint_class = "import";
    manifest.header.writer = format("ckpt-reshard {}", LH_VERSION);
    manifest.header.hf_config_json = io::to_line(config);
    manifest.header.parent = {folder.string(), xxh3_128(io::read_text_file(config_file))};
    const fs::path temporary = make_temporary(directory);
    try {
        Importer(sources, options).write(temporary, manifest);
    } catch (...) {
        remove_directory(temporary);
        throw;
    }
    commit_directory(temporary, directory, manifest);
    return manifest.self;
}

}  // namespace longhaul::ckpt

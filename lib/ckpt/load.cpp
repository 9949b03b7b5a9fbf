// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/load.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/ckpt/commit.h"
#include "lib/ckpt/slice_index.h"
#include "lib/io/file.h"

namespace longhaul::ckpt {
namespace fs = std::filesystem;

namespace {

/// Read, hash and copy in steps that stay in the cache.
constexpr size_t kChunkBytes = 1 << 20;

std::vector<SliceIndex> index_slices(const Manifest& manifest, std::vector<uint32_t>& begins) {
    std::vector<SliceIndex> indices;
    size_t i = 0;
    for (uint32_t t = 0; t < manifest.tensors.size(); ++t) {
        begins.push_back(static_cast<uint32_t>(i));
        std::vector<tensor::Slice> slices;
        for (; i < manifest.slices.size() && manifest.slices[i].tensor == t; ++i) {
            slices.push_back(manifest.slices[i].slice);
        }
        indices.emplace_back(slices);
    }
    return indices;
}

}  // namespace

struct Checkpoint::Impl {
    fs::path directory;
    Manifest manifest;
    std::vector<uint32_t> begins;     // first slice of each tensor in manifest.slices
    std::vector<SliceIndex> indices;  // of each tensor; numbers count from its begin

    std::string place(const SliceEntry& entry) const {
        const TensorEntry& tensor = manifest.tensors[entry.tensor];
        return format("tensor {} ({}) in {} at byte {}", tensor.name, name_of(tensor.kind),
                      (directory / manifest.files[entry.file].name).string(), entry.byte_offset);
    }

    /// Reads a stored slice in pieces, each into `buffer_for(byte, bytes left)` and then handed to
    /// `take(byte, piece)`; checks the hash at the end.
    template <class BufferFor, class Take>
    void stream(const SliceEntry& entry, BufferFor buffer_for, Take take) const;
    int64_t copy_overlap(const SliceEntry& entry, const tensor::Slice& wanted,
                         std::span<std::byte> out) const;
};

template <class BufferFor, class Take>
void Checkpoint::Impl::stream(const SliceEntry& entry, BufferFor buffer_for, Take take) const {
    const fs::path file = directory / manifest.files[entry.file].name;
    const uint64_t total = slice_bytes(manifest, entry);
    Hasher128 hasher;
    with_context(
        [&] {
            const io::UniqueFd fd = io::open_file(file, O_RDONLY);
            for (uint64_t at = 0; at < total;) {
                const std::span<std::byte> piece = buffer_for(at, total - at);
                io::pread_exact(fd.get(), piece, entry.byte_offset + at, file.string());
                hasher.update(piece);
                take(at, piece);
                at += piece.size();
            }
        },
        "reading {}", place(entry));
    if (hasher.digest() != entry.hash) {
        throw DataError(
            format("{}: {} bytes hash to {}, the manifest says {}: the data was damaged",
                   place(entry), total, hasher.digest().hex(), entry.hash.hex()));
    }
}

/// Copies what `entry` holds of `wanted` into `out`. @return elements copied.
int64_t Checkpoint::Impl::copy_overlap(const SliceEntry& entry, const tensor::Slice& wanted,
                                       std::span<std::byte> out) const {
    const size_t element = tensor::size_of(manifest.tensors[entry.tensor].dtype);
    if (entry.slice == wanted) {  // straight into place
        stream(
            entry,
            [&](uint64_t at, uint64_t left) {
                return out.subspan(at, std::min<uint64_t>(left, kChunkBytes));
            },
            [](uint64_t, std::span<std::byte>) {});
        return wanted.count;
    }
    std::vector<std::byte> buffer(std::min<uint64_t>(kChunkBytes, slice_bytes(manifest, entry)));
    int64_t copied = 0;
    stream(
        entry,
        [&](uint64_t, uint64_t left) {
            return std::span(buffer).first(std::min<uint64_t>(left, buffer.size()));
        },
        [&](uint64_t at, std::span<std::byte> piece) {
            const tensor::Slice part{entry.slice.box,
                                     entry.slice.first + static_cast<int64_t>(at / element),
                                     static_cast<int64_t>(piece.size() / element)};
            tensor::for_each_copy_run(part, wanted, [&](const tensor::CopyRun& run) {
                std::memcpy(out.data() + static_cast<size_t>(run.destination_index) * element,
                            piece.data() + static_cast<size_t>(run.source_index) * element,
                            static_cast<size_t>(run.count) * element);
                copied += run.count;
            });
        });
    return copied;
}

Checkpoint Checkpoint::open(const fs::path& directory) {
    auto impl = std::make_shared<Impl>();
    impl->directory = directory;
    impl->manifest = read_manifest(directory);
    if (const auto reason = missing_content(directory, impl->manifest)) throw DataError(*reason);
    impl->indices = index_slices(impl->manifest, impl->begins);
    return Checkpoint(std::move(impl));
}

const fs::path& Checkpoint::directory() const {
    return impl_->directory;
}
const Manifest& Checkpoint::manifest() const {
    return impl_->manifest;
}

const TensorEntry* Checkpoint::find(const std::string& tensor, Kind kind) const {
    const auto& tensors = impl_->manifest.tensors;
    const auto found = std::lower_bound(
        tensors.begin(), tensors.end(), kind, [&](const TensorEntry& entry, Kind wanted) {
            return std::tie(entry.name, entry.kind) < std::tie(tensor, wanted);
        });
    if (found == tensors.end() || found->name != tensor || found->kind != kind) return nullptr;
    return &*found;
}

std::vector<uint32_t> Checkpoint::overlapping(uint32_t tensor, const tensor::Slice& wanted) const {
    std::vector<uint32_t> numbers;
    impl_->indices[tensor].overlapping(
        wanted, [&](uint32_t number) { numbers.push_back(impl_->begins[tensor] + number); });
    return numbers;
}

void Checkpoint::read_stored(uint32_t slice_number, std::span<std::byte> out) const {
    const SliceEntry& entry = impl_->manifest.slices[slice_number];
    LH_CHECK(out.size() == slice_bytes(impl_->manifest, entry), "buffer of {} bytes", out.size());
    impl_->copy_overlap(entry, entry.slice, out);
}

void Checkpoint::stream_stored(uint32_t slice_number, const Visit& visit) const {
    const SliceEntry& entry = impl_->manifest.slices[slice_number];
    std::vector<std::byte> buffer(
        std::min<uint64_t>(kChunkBytes, slice_bytes(impl_->manifest, entry)));
    impl_->stream(
        entry,
        [&](uint64_t, uint64_t left) {
            return std::span(buffer).first(std::min<uint64_t>(left, buffer.size()));
        },
        [&](uint64_t at, std::span<std::byte> piece) { visit(at, piece); });
}

void Checkpoint::read(const std::string& tensor, Kind kind, const tensor::Slice& slice,
                      tensor::DType dtype, std::span<std::byte> out) const {
    const TensorEntry* entry = find(tensor, kind);
    if (entry == nullptr) {
        throw DataError(
            format("{}: no tensor {} ({})", directory().string(), tensor, name_of(kind)));
    }
    if (entry->dtype != dtype) {
        throw DataError(format("{}: tensor {} ({}) is {}, not {}", directory().string(), tensor,
                               name_of(kind), tensor::name_of(entry->dtype),
                               tensor::name_of(dtype)));
    }
    if (slice.box.offset.size() != entry->shape.size()) {
        throw DataError(format("{}: tensor {} ({}) has {} dimensions, {} asked",
                               directory().string(), tensor, name_of(kind), entry->shape.size(),
                               slice.box.offset.size()));
    }
    LH_CHECK(out.size() == static_cast<size_t>(slice.count) * tensor::size_of(dtype),
             "buffer of {} bytes for {} elements", out.size(), slice.count);
    const auto number = static_cast<uint32_t>(entry - impl_->manifest.tensors.data());
    int64_t copied = 0;
    for (const uint32_t stored : overlapping(number, slice)) {
        copied += impl_->copy_overlap(impl_->manifest.slices[stored], slice, out);
    }
    if (copied != slice.count) {
        throw DataError(format("{}: tensor {} ({}): only {} of {} elements asked are stored",
                               directory().string(), tensor, name_of(kind), copied, slice.count));
    }
}

}  // namespace longhaul::ckpt

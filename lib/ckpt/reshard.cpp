// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/reshard.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "lib/base/error.h"
#include "lib/ckpt/cast.h"
#include "lib/ckpt/commit.h"
#include "lib/ckpt/container.h"
#include "lib/ckpt/replaceable.h"
#include "lib/ckpt/reshard_state.h"
#include "lib/ckpt/save_plan.h"
#include "lib/ckpt/slice_cache.h"
#include "lib/ckpt/workers.h"
#include "lib/io/atomic_file.h"
#include "lib/log/log.h"

namespace longhaul::ckpt {
namespace fs = std::filesystem;
namespace {

using Bytes = std::vector<std::byte>;

constexpr uint64_t kBlockBytes = 1 << 20;

/// All containers stay open while slices are written across them.
void allow_many_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Deterministic, so that a second run finds the first one's work.
fs::path temporary_of(const fs::path& destination) {
    return destination.parent_path() / format(".{}.tmp-reshard", destination.filename().string());
}

/// Names source, layout, type and cut: what a resumed run must agree on.
std::string plan_name(const Checkpoint& source, const ReshardPlan& plan, const Layout& layout) {
    std::string text = source.manifest().self.hex() + layout_text(layout);
    for (const TargetSlice& target : plan.slices) {
        text += format(" {}:{}:{}:{}", target.file, target.piece, target.slice.first,
                       target.slice.count);
    }
    for (const TensorEntry& tensor : plan.tensors) text += tensor::name_of(tensor.dtype);
    return xxh3_128(text).hex();
}

/// What an attempt with another plan left.
void remove_containers(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".h5") fs::remove(entry.path());
    }
}

class Resharder {
 public:
    Resharder(const Checkpoint& source, const fs::path& destination, const ReshardOptions& options)
        : source_(source),
          destination_(destination),
          options_(options),
          shares_(share_memory(options.memory_bytes, options.threads)),
          plan_(plan_reshard(source.manifest(),
                             {options.layout, options.master_dtype, shares_.max_slice_bytes})),
          cache_(source, shares_.cache_bytes),
          temporary_(temporary_of(destination)),
          done_(plan_.slices.size()) {}

    ReshardResult run();

 private:
    void open_containers(bool is_resumed);
    void take_over_finished(const ReshardState& state);
    void write_slice(size_t i, ReshardState& state);
    bool is_cacheable(const TargetSlice& target) const;
    void gather(uint32_t number_of_tensor, const tensor::Slice& block, std::span<std::byte> out);
    void check_fingerprints();
    Manifest make_manifest();
    uint64_t target_bytes(const TargetSlice& target) const {
        return static_cast<uint64_t>(target.slice.count) *
               tensor::size_of(plan_.tensors[target.tensor].dtype);
    }

    const Checkpoint& source_;
    fs::path destination_;
    const ReshardOptions& options_;
    MemoryShares shares_;
    ReshardPlan plan_;
    SliceCache cache_;
    fs::path temporary_;
    std::vector<ContainerWriter> containers_;
    std::vector<std::optional<DoneSlice>> done_;  // by target slice; each written by one thread
    ReshardResult result_;
};

void Resharder::open_containers(bool is_resumed) {
    for (const TargetFile& file : plan_.files) {
        const fs::path path = temporary_ / file.name;
        if (is_resumed) {
            if (auto found = ContainerWriter::reopen(path, file.pieces)) {
                containers_.push_back(std::move(*found));
                continue;
            }
        }
        fs::remove(path);
        containers_.emplace_back(path, file.pieces);
    }
}

/// Keeps slices whose bytes on disk have the recorded hash.
void Resharder::take_over_finished(const ReshardState& state) {
    Bytes buffer;
    for (const auto& [i, done] : state.done()) {
        if (i >= plan_.slices.size()) continue;
        const TargetSlice& target = plan_.slices[i];
        buffer.resize(target_bytes(target));
        const fs::path path = temporary_ / plan_.files[target.file].name;
        const io::UniqueFd fd = io::open_file(path, O_RDONLY);
        io::pread_exact(fd.get(), buffer, containers_[target.file].byte_offset(target.piece),
                        path.string());
        if (xxh3_128(buffer) != done.hash) continue;
        done_[i] = done;
        result_.bytes_resumed += buffer.size();
        if (options_.on_progress) options_.on_progress(buffer.size());
    }
}

bool Resharder::is_cacheable(const TargetSlice& target) const {
    const auto numbers = source_.overlapping(target.tensor, target.slice);
    return std::all_of(numbers.begin(), numbers.end(), [&](uint32_t number) {
        return slice_bytes(source_.manifest(), source_.manifest().slices[number]) <=
               shares_.max_cached_slice_bytes;
    });
}

/// Copies `block`, a part of a target slice, out of cached source slices.
void Resharder::gather(uint32_t number_of_tensor, const tensor::Slice& block,
                       std::span<std::byte> out) {
    const Manifest& manifest = source_.manifest();
    const TensorEntry& tensor = manifest.tensors[number_of_tensor];
    const size_t element = tensor::size_of(tensor.dtype);
    int64_t copied = 0;
    for (const uint32_t number : source_.overlapping(number_of_tensor, block)) {
        const SliceCache::Bytes stored = cache_.get(number);
        tensor::for_each_copy_run(
            manifest.slices[number].slice, block, [&](const tensor::CopyRun& run) {
                std::memcpy(out.data() + static_cast<size_t>(run.destination_index) * element,
                            stored->data() + static_cast<size_t>(run.source_index) * element,
                            static_cast<size_t>(run.count) * element);
                copied += run.count;
            });
    }
    if (copied != block.count) {
        throw DataError(format("{}: tensor {} ({}): only {} of {} elements of a slice are stored",
                               source_.directory().string(), tensor.name, name_of(tensor.kind),
                               copied, block.count));
    }
}

/// In blocks that stay in the processor's cache from the copy to the write.
void Resharder::write_slice(size_t i, ReshardState& state) {
    const TargetSlice& target = plan_.slices[i];
    const TensorEntry& from = source_.manifest().tensors[target.tensor];
    const TensorEntry& to = plan_.tensors[target.tensor];
    const size_t from_bytes = tensor::size_of(from.dtype);
    const size_t to_bytes = tensor::size_of(to.dtype);
    Bytes whole;  // only when the sources are too long for the cache
    if (!is_cacheable(target)) {
        whole.resize(static_cast<size_t>(target.slice.count) * from_bytes);
        source_.read(from.name, from.kind, target.slice, from.dtype, whole);
    }
    Bytes values;
    Bytes converted;
    Hasher128 hasher;
    DoneSlice done;
    for (const tensor::Slice& block : cut_slice(target.slice, from.dtype, kBlockBytes)) {
        const auto at = static_cast<size_t>(block.first - target.slice.first);
        const auto count = static_cast<size_t>(block.count);
        std::span<std::byte> out;
        if (whole.empty()) {
            values.resize(count * from_bytes);
            gather(target.tensor, block, values);
            out = values;
        } else {
            out = std::span(whole).subspan(at * from_bytes, count * from_bytes);
        }
        if (from.dtype != to.dtype) {
            converted.resize(count * to_bytes);
            cast(from.dtype, out, to.dtype, converted);
            out = converted;
        }
        hasher.update(out);
        done.fingerprint += fingerprint(to.shape, block, to.dtype, out);
        containers_[target.file].write(target.piece, at * to_bytes, out);
    }
    done.hash = hasher.digest();
    state.add(i, done);
    done_[i] = done;
    if (options_.on_progress) options_.on_progress(target_bytes(target));
}

/// Sums of the written slices must equal what the source's manifest says, where no cast changed
/// the values; where one did, the sums become the new fingerprints.
void Resharder::check_fingerprints() {
    std::vector<Fingerprint> sums(plan_.tensors.size());
    for (size_t i = 0; i < plan_.slices.size(); ++i) {
        sums[plan_.slices[i].tensor] += done_[i]->fingerprint;
    }
    for (size_t t = 0; t < sums.size(); ++t) {
        const TensorEntry& from = source_.manifest().tensors[t];
        if (plan_.tensors[t].dtype == from.dtype && sums[t] != from.fingerprint) {
            throw DataError(
                format("tensor {} ({}): written values have fingerprint {}, the "
                       "manifest of {} says {}: the source was damaged before it was "
                       "hashed",
                       from.name, name_of(from.kind), sums[t].hex(), source_.directory().string(),
                       from.fingerprint.hex()));
        }
        plan_.tensors[t].fingerprint = sums[t];
    }
}

Manifest Resharder::make_manifest() {
    Manifest manifest;
    manifest.header = source_.header();
    manifest.header.layout = options_.layout;
    manifest.header.writer = format("ckpt-reshard {}", LH_VERSION);
    manifest.header.parent = {source_.directory().filename().string(), source_.manifest().self};
    manifest.tensors = plan_.tensors;
    for (size_t f = 0; f < plan_.files.size(); ++f) {
        manifest.files.push_back({plan_.files[f].name, containers_[f].close()});
    }
    for (size_t i = 0; i < plan_.slices.size(); ++i) {
        const TargetSlice& target = plan_.slices[i];
        manifest.slices.push_back({target.tensor, target.slice, target.file,
                                   containers_[target.file].byte_offset(target.piece),
                                   done_[i]->hash});
    }
    canonicalize(manifest);
    return manifest;
}

ReshardResult Resharder::run() {
    const auto begin = std::chrono::steady_clock::now();
    allow_many_files();
    io::create_directories(temporary_);
    {
        ReshardState state(temporary_, plan_name(source_, plan_, options_.layout));
        if (!state.is_resumed()) remove_containers(temporary_);
        open_containers(state.is_resumed());
        if (state.is_resumed()) take_over_finished(state);
        for_each_parallel(plan_.slices.size(), options_.threads, [&](size_t i) {
            if (!done_[i]) write_slice(i, state);
        });
        check_fingerprints();
        state.remove();
    }
    Manifest manifest = make_manifest();
    commit_directory(temporary_, destination_, manifest);
    result_.self = manifest.self;
    result_.bytes_written = total_bytes(manifest) - result_.bytes_resumed;
    result_.bytes_read = cache_.bytes_read();
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result_;
}

/// What tells an existing destination from the one asked for; nothing when they are the same.
std::optional<std::string> difference(const Checkpoint& source, const Manifest& there,
                                      const ReshardOptions& options) {
    if (there.header.parent.self != source.manifest().self) {
        return format("it was made of another checkpoint (manifest {})",
                      there.header.parent.self.hex());
    }
    if (there.header.layout != options.layout) {
        return format("its layout is {}, asked is {}", layout_text(there.header.layout),
                      layout_text(options.layout));
    }
    for (size_t t = 0; t < there.tensors.size(); ++t) {
        const TensorEntry& from = source.manifest().tensors.at(t);
        const bool is_cast = options.master_dtype && from.kind == Kind::kMaster;
        const tensor::DType wanted = is_cast ? *options.master_dtype : from.dtype;
        if (there.tensors[t].dtype != wanted) {
            return format("tensor {} is {}, asked is {}", from.name,
                          tensor::name_of(there.tensors[t].dtype), tensor::name_of(wanted));
        }
    }
    return std::nullopt;
}

}  // namespace

MemoryShares share_memory(uint64_t memory_bytes, int threads) {
    const auto t = static_cast<uint64_t>(std::max(1, threads));
    // Half for the cache; a quarter for slices that threads still use after they fell out; a
    // quarter for the slices under construction, twice because of casts.
    const uint64_t slice = std::clamp<uint64_t>(memory_bytes / (8 * t), 64 << 10, 64 << 20);
    return {slice, memory_bytes / 2, memory_bytes / (4 * t)};
}

ReshardResult reshard(const Checkpoint& source, const fs::path& destination,
                      const ReshardOptions& options) {
    const fs::path target =
        check_destination(source.directory(), destination, Output::kCheckpoint, options.force);
    if (fs::exists(target / kManifestName) && !options.force) {
        const Manifest there = read_manifest(target);
        if (const auto what = difference(source, there, options)) {
            throw UsageError(
                format("{} exists: {}; give --force to replace it", target.string(), *what));
        }
        if (const auto reason = missing_content(target, there)) throw DataError(*reason);
        return {.self = there.self, .was_complete = true};
    }
    if (fs::exists(target) && !fs::exists(target / kManifestName) && !options.force) {
        throw UsageError(
            format("{} exists and is no checkpoint; give --force to replace it", target.string()));
    }
    return with_context([&] { return Resharder(source, target, options).run(); },
                        "resharding {} to {}", source.directory().string(), target.string());
}

}  // namespace longhaul::ckpt

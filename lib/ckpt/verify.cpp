// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/verify.h"

#include <map>
#include <mutex>

#include "lib/base/error.h"
#include "lib/ckpt/commit.h"
#include "lib/ckpt/slice_index.h"
#include "lib/ckpt/workers.h"
#include "lib/store/h5.h"

namespace longhaul::ckpt {
namespace fs = std::filesystem;
namespace {

using record::Finding;
using record::Status;
using Findings = std::vector<Finding>;

constexpr const char* kUseOlder = "load an older checkpoint (ckpt-reshard ls RUN/ckpt)";

/// Adds a fail finding with what `body` throws.
void attempt(Findings& findings, const char* code, const std::string& subject, const char* remedy,
             const std::function<void()>& body) {
    try {
        body();
    } catch (const Error& error) {
        findings.push_back({Status::kFail, code, subject, error.describe(), remedy});
    }
}

/// A directory that has no manifest: an interrupted save, or something else.
Finding no_manifest(const fs::path& directory) {
    size_t containers = 0;
    std::error_code error;
    for (fs::directory_iterator it(directory, error), end; !error && it != end;
         it.increment(error)) {
        containers += it->path().extension() == ".h5";
    }
    const std::string evidence =
        containers == 0
            ? format("no {} and no containers in it", kManifestName)
            : format("{} containers but no {}: the save was interrupted before its commit",
                     containers, kManifestName);
    return {Status::kFail, "ckpt.manifest.missing", directory.string(), evidence, kUseOlder};
}

void check_files(Findings& findings, const fs::path& directory, const Manifest& manifest) {
    for (const FileEntry& file : manifest.files) {
        const std::string path = (directory / file.name).string();
        std::error_code error;
        const uint64_t bytes = fs::file_size(path, error);
        if (error) {
            findings.push_back(
                {Status::kFail, "ckpt.file.missing", path, error.message(), kUseOlder});
        } else if (bytes != file.bytes) {
            findings.push_back({Status::kFail, "ckpt.file.size", path,
                                format("{} bytes, the manifest says {}", bytes, file.bytes),
                                kUseOlder});
        }
    }
}

void check_tensors(Findings& findings, const std::string& subject, const Manifest& manifest) {
    size_t i = 0;
    for (uint32_t t = 0; t < manifest.tensors.size(); ++t) {
        std::vector<tensor::Slice> slices;
        for (; i < manifest.slices.size() && manifest.slices[i].tensor == t; ++i) {
            slices.push_back(manifest.slices[i].slice);
        }
        attempt(findings, "ckpt.cover", subject, kUseOlder, [&] {
            const TensorEntry& tensor = manifest.tensors[t];
            check_cover(format("{} ({})", tensor.name, name_of(tensor.kind)), tensor.shape,
                        SliceIndex(slices));
        });
    }
}

/// The datasets of a container must be the manifest's slices in it: same places, types, sizes.
void check_container(const fs::path& path, uint32_t file, const Manifest& manifest) {
    const store::H5Reader reader(path);
    std::map<uint64_t, const store::DatasetInfo*> by_offset;
    for (const store::DatasetInfo& info : reader.datasets()) by_offset[info.byte_offset] = &info;
    size_t slices = 0;
    for (const SliceEntry& slice : manifest.slices) {
        if (slice.file != file) continue;
        ++slices;
        const TensorEntry& tensor = manifest.tensors[slice.tensor];
        const auto found = by_offset.find(slice.byte_offset);
        const std::string prefix = format("/{}/{}/", name_of(tensor.kind), tensor.name);
        if (found == by_offset.end() || !found->second->path.starts_with(prefix) ||
            found->second->dtype != tensor.dtype ||
            found->second->bytes != slice_bytes(manifest, slice)) {
            throw DataError(format("{}: no dataset {}N of {} bytes at byte {}", path.string(),
                                   prefix, slice_bytes(manifest, slice), slice.byte_offset));
        }
    }
    if (slices != reader.datasets().size()) {
        throw DataError(format("{}: {} datasets, the manifest has {} slices in it", path.string(),
                               reader.datasets().size(), slices));
    }
}

}  // namespace

std::vector<Finding> diagnose(const fs::path& directory) {
    Findings findings;
    const std::string subject = directory.string();
    if (!fs::is_directory(directory)) {
        return {{Status::kFail, "ckpt.missing", subject, "no such directory",
                 "name a step-* directory"}};
    }
    if (!fs::exists(directory / kManifestName)) return {no_manifest(directory)};
    Manifest manifest;
    attempt(findings, "ckpt.manifest.damaged", subject, kUseOlder,
            [&] { manifest = read_manifest(directory); });
    if (!findings.empty()) return findings;
    check_files(findings, directory, manifest);
    check_tensors(findings, subject, manifest);
    if (findings.empty()) {
        for (uint32_t f = 0; f < manifest.files.size(); ++f) {
            attempt(findings, "ckpt.container", subject, kUseOlder,
                    [&] { check_container(directory / manifest.files[f].name, f, manifest); });
        }
    }
    if (final_name_of_temporary(directory.filename().string())) {
        findings.push_back({Status::kWarn, "ckpt.temporary", subject,
                            "complete, but its last rename did not happen",
                            "resume the run: it finishes the commit"});
    }
    if (findings.empty()) {
        findings.push_back({Status::kOk, "ckpt.loadable", subject,
                            format("step {}, {} tensors in {} files", manifest.header.step,
                                   manifest.tensors.size(), manifest.files.size()),
                            ""});
    }
    return findings;
}

std::vector<Finding> verify_payload(const Checkpoint& checkpoint, const VerifyOptions& options) {
    const Manifest& manifest = checkpoint.manifest();
    Findings findings;
    std::vector<Fingerprint> sums(manifest.tensors.size());
    std::vector<bool> is_damaged(manifest.tensors.size(), false);
    std::mutex mutex;
    for_each_parallel(manifest.slices.size(), options.threads, [&](size_t i) {
        const SliceEntry& slice = manifest.slices[i];
        const TensorEntry& tensor = manifest.tensors[slice.tensor];
        const auto element = static_cast<int64_t>(tensor::size_of(tensor.dtype));
        Fingerprint print;
        const auto add = [&](uint64_t byte, std::span<const std::byte> piece) {
            const tensor::Slice part{slice.slice.box,
                                     slice.slice.first + static_cast<int64_t>(byte) / element,
                                     static_cast<int64_t>(piece.size()) / element};
            print += fingerprint(tensor.shape, part, tensor.dtype, piece);
        };
        Findings mine;
        attempt(mine, "ckpt.damaged", checkpoint.directory().string(), kUseOlder,
                [&] { checkpoint.stream_stored(static_cast<uint32_t>(i), add); });
        const std::lock_guard lock(mutex);
        sums[slice.tensor] += print;
        if (!mine.empty()) is_damaged[slice.tensor] = true;
        findings.insert(findings.end(), mine.begin(), mine.end());
        if (options.on_progress) options.on_progress(slice_bytes(manifest, slice));
    });
    for (size_t t = 0; t < sums.size(); ++t) {
        const TensorEntry& tensor = manifest.tensors[t];
        if (is_damaged[t] || sums[t] == tensor.fingerprint) continue;
        findings.push_back(
            {Status::kFail, "ckpt.fingerprint", checkpoint.directory().string(),
             format("tensor {} ({}): values have fingerprint {}, the manifest says "
                    "{}: damaged before it was hashed",
                    tensor.name, name_of(tensor.kind), sums[t].hex(), tensor.fingerprint.hex()),
             kUseOlder});
    }
    return findings;
}

}  // namespace longhaul::ckpt

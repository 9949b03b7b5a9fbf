// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/container.h"

#include <fcntl.h>

#include <algorithm>
#include <map>

#include "lib/base/error.h"
#include "lib/store/h5.h"

namespace longhaul::ckpt {
namespace {

void check_name(const std::string& tensor) {
    const bool is_usable = !tensor.empty() && tensor != "." && tensor != ".." &&
                           tensor.find('/') == std::string::npos &&
                           tensor.find('\0') == std::string::npos;
    if (!is_usable) throw DataError(format("tensor name '{}' can not be stored", tensor));
}

/// Reserves what HDF5 left as holes. File systems without fallocate show a full disk at write.
void reserve(int fd, const std::filesystem::path& file) {
    const uint64_t bytes = io::file_size(file);
    if (bytes == 0) return;
    if (::fallocate(fd, 0, 0, static_cast<off_t>(bytes)) == 0) return;
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINTR) return;
    throw IoError(format("cannot reserve {} bytes for {}", bytes, file.string()));
}

}  // namespace

std::string container_name(int64_t rank) {
    return format("rank-{:05}.h5", rank);
}

std::vector<std::string> dataset_paths(const std::vector<PieceSpec>& pieces) {
    std::map<std::pair<std::string, Kind>, size_t> next_ordinal;
    std::vector<std::string> paths;
    for (const PieceSpec& piece : pieces) {
        paths.push_back(
            dataset_path(piece.kind, piece.tensor, next_ordinal[{piece.tensor, piece.kind}]++));
    }
    return paths;
}

ContainerWriter::ContainerWriter(std::filesystem::path file, const std::vector<PieceSpec>& pieces)
    : file_(std::move(file)) {
    const std::vector<std::string> paths = dataset_paths(pieces);
    std::vector<store::DatasetSpec> datasets;
    for (size_t i = 0; i < pieces.size(); ++i) {
        check_name(pieces[i].tensor);
        datasets.push_back({paths[i], pieces[i].dtype, static_cast<uint64_t>(pieces[i].count)});
    }
    offsets_ = store::create_contiguous(file_, datasets,
                                        {{{"format", "longhaul-checkpoint"}}, {{"version", 1}}});
    fd_ = io::open_file(file_, O_WRONLY);
    reserve(fd_.get(), file_);
}

std::optional<ContainerWriter> ContainerWriter::reopen(const std::filesystem::path& file,
                                                       const std::vector<PieceSpec>& pieces) {
    ContainerWriter writer;
    writer.file_ = file;
    const std::vector<std::string> paths = dataset_paths(pieces);
    try {
        const store::H5Reader reader(file);
        if (reader.datasets().size() != pieces.size()) return std::nullopt;
        for (size_t i = 0; i < pieces.size(); ++i) {
            const store::DatasetInfo* info = reader.find(paths[i]);
            const std::vector<uint64_t> shape{static_cast<uint64_t>(pieces[i].count)};
            if (info == nullptr || info->dtype != pieces[i].dtype || info->shape != shape) {
                return std::nullopt;
            }
            writer.offsets_.push_back(info->byte_offset);
        }
        writer.fd_ = io::open_file(file, O_WRONLY);
    } catch (const Error&) {
        return std::nullopt;  // missing, or cut while it was created
    }
    return writer;
}

void ContainerWriter::write(size_t piece, uint64_t at, std::span<const std::byte> bytes) const {
    io::pwrite_full(fd_.get(), bytes, offsets_[piece] + at, file_.string());
}

Hash128 ContainerWriter::write_hashed(size_t piece, std::span<const std::byte> bytes) const {
    constexpr size_t kStep = 1 << 20;
    Hasher128 hasher;
    for (size_t at = 0; at < bytes.size(); at += kStep) {
        const auto part = bytes.subspan(at, std::min(kStep, bytes.size() - at));
        hasher.update(part);
        write(piece, at, part);
    }
    return hasher.digest();
}

uint64_t ContainerWriter::close() {
    const uint64_t bytes = io::file_size(file_);
    io::sync_and_close(std::move(fd_), file_.string());
    return bytes;
}

}  // namespace longhaul::ckpt

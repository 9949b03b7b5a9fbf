// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files of shards, and what all containers share.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "lib/base/error.h"
#include "lib/io/hash_file.h"
#include "lib/shards/shard_containers.h"
#include "lib/store/h5.h"

namespace longhaul::shards {

namespace {

constexpr size_t kBlockBytes = 1 << 20;

}  // namespace

ContainerFile::ContainerFile(std::filesystem::path target)
    : target_(std::move(target)),
      temporary_(
          (target_.parent_path() / format(".{}.tmp-{}", target_.filename().string(), ::getpid()))
              .string()) {
    std::filesystem::remove(temporary_);
}

ContainerFile::~ContainerFile() {
    ::unlink(temporary_.c_str());  // not there any more after commit()
}

SideFile ContainerFile::commit(io::UniqueFd fd, const std::optional<Hash128>& hash) {
    io::sync_and_close(std::move(fd), temporary_);
    SideFile file{target_.filename().string(), io::file_size(temporary_),
                  hash ? *hash : io::hash_file(temporary_)};
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
        throw IoError(format("cannot rename {} to {}", temporary_, target_.string()));
    }
    io::sync_directory(target_.parent_path());
    return file;
}

void BlockWriter::write(std::span<const std::byte> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() >= kBlockBytes) flush();
}

void BlockWriter::flush() {
    io::write_full(fd_, std::span<const std::byte>(buffer_), name_);
    buffer_.clear();
}

namespace {

/// Fills a file that HDF5 laid out, and hashes its bytes from begin to end on the way, so that it
/// need not be read again.
class HashedFilling {
 public:
    HashedFilling(int fd, const std::string& name) : fd_(fd), name_(name) {}

    void add(Spool& spool, uint64_t offset) {
        is_in_order_ = is_in_order_ && offset >= at_;
        if (is_in_order_) hash_up_to(offset);
        spool.copy_to(fd_, offset, name_, is_in_order_ ? &hasher_ : nullptr);
        at_ = offset + spool.size();
    }
    /// Nothing when the parts did not come in the order of the file.
    std::optional<Hash128> finish() {
        if (!is_in_order_) return std::nullopt;
        hash_up_to(io::file_size(name_));
        return hasher_.digest();
    }

 private:
    void hash_up_to(uint64_t end) {
        std::vector<std::byte> block(std::min<uint64_t>(kBlockBytes, end - at_));
        while (at_ < end) {
            const auto part = std::span(block).first(std::min<uint64_t>(block.size(), end - at_));
            io::pread_exact(fd_, part, at_, name_);
            hasher_.update(std::span<const std::byte>(part));
            at_ += part.size();
        }
    }

    int fd_;
    const std::string& name_;
    uint64_t at_ = 0;  // hashed so far
    bool is_in_order_ = true;
    Hasher128 hasher_;
};

store::Attributes attributes_of(const ShardContent& content) {
    const SetIdentity& identity = content.identity;
    store::Attributes attributes{
        {{"format", kShardFormat}, {"tokenizer", identity.tokenizer_hash.hex()}},
        {{"version", shard_version(identity.borders)}, {"vocab_size", identity.vocab_size}}};
    if (shard_version(identity.borders) == kShardVersion) return attributes;
    const auto add = [&](const char* name, const std::vector<uint32_t>& ids) {
        if (!ids.empty()) attributes.text[name] = ids_to_text(ids);  // HDF5 has no empty text
    };
    add("bos_ids", identity.borders.bos);
    add("eos_ids", identity.borders.eos);
    return attributes;
}

}  // namespace

ShardEntry write_hdf5_shard(const ShardContent& content) {
    ContainerFile target(content.folder / shard_name(content.unit, content.number));
    const bool is_narrow = content.token_type == TokenType::kU16;
    const auto at = store::create_contiguous(
        target.temporary(),
        {{kTokensPath, is_narrow ? tensor::DType::kU16 : tensor::DType::kU32, content.num_tokens},
         {kOffsetsPath, tensor::DType::kU64, content.num_documents + 1},
         {kSourcePath, tensor::DType::kU64, content.num_documents * 2}},
        attributes_of(content));
    io::UniqueFd fd = io::open_file(target.temporary(), O_RDWR);
    HashedFilling filling(fd.get(), target.temporary());
    filling.add(content.tokens, at[0]);
    filling.add(content.offsets, at[1]);
    filling.add(content.sources, at[2]);
    const std::optional<Hash128> hash = filling.finish();
    const SideFile file = target.commit(std::move(fd), hash);
    return {file.file,  content.unit,   content.num_tokens, content.num_documents,
            file.bytes, content.max_id, file.xxh3_128};
}

SideFile write_documents_file(const ShardContent& content, bool with_offsets) {
    ContainerFile target(content.folder / documents_name(content.unit, content.number));
    std::vector<store::DatasetSpec> datasets{
        {kSourcePath, tensor::DType::kU64, content.num_documents * 2}};
    if (with_offsets) {
        datasets.push_back({kOffsetsPath, tensor::DType::kU64, content.num_documents + 1});
    }
    const auto at = store::create_contiguous(target.temporary(), datasets, attributes_of(content));
    io::UniqueFd fd = io::open_file(target.temporary(), O_RDWR);
    content.sources.copy_to(fd.get(), at[0], target.temporary());
    if (with_offsets) content.offsets.copy_to(fd.get(), at[1], target.temporary());
    return target.commit(std::move(fd));
}

}  // namespace longhaul::shards

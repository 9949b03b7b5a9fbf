// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/shard_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/store/h5.h"

namespace longhaul::shards {

namespace {

constexpr size_t kBlockBytes = 1 << 20;

Hash128 hash_file(const std::string& path) {
    const io::UniqueFd fd = io::open_file(path, O_RDONLY);
    std::vector<std::byte> block(kBlockBytes);
    Hasher128 hasher;
    while (const size_t got = io::read_full(fd.get(), block, path)) {
        hasher.update(std::span(block).first(got));
    }
    return hasher.digest();
}

}  // namespace

/// An unnamed temporary file, written in blocks: nothing is left behind when the program is killed.
struct ShardWriter::Spool {
    explicit Spool(const std::filesystem::path& tmp_dir) : name(tmp_dir.string() + " (spool)") {
        std::string path = (tmp_dir / "longhaul-spool-XXXXXX").string();
        fd = io::UniqueFd(::mkostemp(path.data(), O_CLOEXEC));
        if (!fd) throw IoError("cannot create a temporary file in " + tmp_dir.string());
        ::unlink(path.c_str());
    }

    void write(std::span<const std::byte> bytes) {
        size += bytes.size();
        buffer.insert(buffer.end(), bytes.begin(), bytes.end());
        if (buffer.size() >= kBlockBytes) flush();
    }
    void flush() {
        io::write_full(fd.get(), std::span<const std::byte>(buffer), name);
        buffer.clear();
    }
    /// Copies everything to `target` at `offset`, and empties the spool.
    void move_to(int target, uint64_t offset, const std::string& target_name) {
        flush();
        std::vector<std::byte> block(kBlockBytes);
        for (uint64_t done = 0; done < size;) {
            const auto part = std::span(block).first(std::min<uint64_t>(kBlockBytes, size - done));
            io::pread_exact(fd.get(), part, done, name);
            io::pwrite_full(target, part, offset + done, target_name);
            done += part.size();
        }
        if (::ftruncate(fd.get(), 0) != 0 || ::lseek(fd.get(), 0, SEEK_SET) != 0) {
            throw IoError("cannot empty " + name);
        }
        size = 0;
    }

    std::string name;
    io::UniqueFd fd;
    std::vector<std::byte> buffer;
    uint64_t size = 0;
};

ShardWriter::ShardWriter(const ShardWriterOptions& options)
    : options_(options),
      tokens_(std::make_unique<Spool>(options.tmp_dir)),
      offsets_(std::make_unique<Spool>(options.tmp_dir)),
      sources_(std::make_unique<Spool>(options.tmp_dir)) {}

ShardWriter::~ShardWriter() = default;

void ShardWriter::add(std::span<const uint32_t> ids, uint32_t input, uint64_t record) {
    if (num_documents_ > 0 && num_tokens_ + ids.size() > options_.max_tokens) finish_shard();
    offsets_->write(std::as_bytes(std::span(&num_tokens_, 1)));
    const uint64_t source[2] = {input, record};
    sources_->write(std::as_bytes(std::span(source)));
    for (const uint32_t id : ids) max_id_ = std::max(max_id_, id);
    LH_CHECK(ids.empty() || max_id_ < options_.vocab_size, "id {} in a vocabulary of {}", max_id_,
             options_.vocab_size);
    if (options_.token_type == TokenType::kU16) {
        narrow_.assign(ids.begin(), ids.end());
        tokens_->write(std::as_bytes(std::span(narrow_)));
    } else {
        tokens_->write(std::as_bytes(ids));
    }
    num_tokens_ += ids.size();
    ++num_documents_;
}

void ShardWriter::finish_shard() {
    ShardEntry entry;
    entry.file = shard_name(options_.unit, done_.size());
    entry.unit = options_.unit;
    entry.num_tokens = num_tokens_;
    entry.num_documents = num_documents_;
    entry.max_id = max_id_;
    const std::filesystem::path target = options_.folder / entry.file;
    const std::string temporary =
        (options_.folder / format(".{}.tmp-{}", entry.file, ::getpid())).string();
    std::filesystem::remove(temporary);
    try {
        offsets_->write(std::as_bytes(std::span(&num_tokens_, 1)));
        const bool is_narrow = options_.token_type == TokenType::kU16;
        const auto dtype = is_narrow ? tensor::DType::kU16 : tensor::DType::kU32;
        const auto offsets = store::create_contiguous(
            temporary,
            {{kTokensPath, dtype, num_tokens_},
             {kOffsetsPath, tensor::DType::kU64, num_documents_ + 1},
             {kSourcePath, tensor::DType::kU64, num_documents_ * 2}},
            {{{"format", kShardFormat}, {"tokenizer", options_.tokenizer_hash.hex()}},
             {{"version", kShardVersion}, {"vocab_size", options_.vocab_size}}});
        io::UniqueFd fd = io::open_file(temporary, O_RDWR);
        tokens_->move_to(fd.get(), offsets[0], temporary);
        offsets_->move_to(fd.get(), offsets[1], temporary);
        sources_->move_to(fd.get(), offsets[2], temporary);
        io::sync_and_close(std::move(fd), temporary);
        entry.bytes = io::file_size(temporary);
        entry.xxh3_128 = hash_file(temporary);
        if (::rename(temporary.c_str(), target.c_str()) != 0) {
            throw IoError(format("cannot rename {} to {}", temporary, target.string()));
        }
        io::sync_directory(options_.folder);
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
    done_.push_back(entry);
    num_tokens_ = num_documents_ = 0;
    max_id_ = 0;
}

std::vector<ShardEntry> ShardWriter::close() {
    if (num_documents_ > 0) finish_shard();
    return std::move(done_);
}

}  // namespace longhaul::shards

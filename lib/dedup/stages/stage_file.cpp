// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/stage_file.h"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "lib/base/check.h"
#include "lib/base/error.h"

namespace longhaul::dedup {

namespace {

static_assert(std::endian::native == std::endian::little, "stage files are little-endian");

constexpr std::array<char, 8> kHeaderMagic{'L', 'H', 'D', 'E', 'D', 'U', 'P', 'W'};
constexpr std::array<char, 8> kFooterMagic{'L', 'H', 'D', 'E', 'D', 'U', 'P', 'E'};

/// The first bytes of a file.
struct Header {
    std::array<char, 8> magic = kHeaderMagic;
    uint32_t version = kStageFormatVersion;
    uint32_t stage = 0;
    uint64_t unit = 0;
    std::array<char, 16> scheme{};
    uint64_t parameters_high = 0, parameters_low = 0;
    uint64_t plan_high = 0, plan_low = 0;
    std::array<uint64_t, 3> reserved{};
};
static_assert(sizeof(Header) == 96);

/// The last bytes of a file.
struct Footer {
    uint64_t directory_offset = 0;
    uint64_t directory_bytes = 0;
    uint64_t rows = 0;  // of all sections
    uint64_t hash_high = 0, hash_low = 0;
    std::array<char, 8> magic = kFooterMagic;
};
static_assert(sizeof(Footer) == 48);

/// Of a section in the directory; its extents follow.
struct DirectoryEntry {
    uint64_t rows = 0, bytes = 0;
    uint64_t hash_high = 0, hash_low = 0;
    uint64_t num_extents = 0;
};

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

Header header_of(const StageIdentity& identity) {
    Header header;
    header.stage = static_cast<uint32_t>(identity.stage);
    header.unit = identity.unit;
    LH_CHECK(identity.scheme.size() < header.scheme.size(), "scheme {}", identity.scheme);
    std::copy(identity.scheme.begin(), identity.scheme.end(), header.scheme.begin());
    header.parameters_high = identity.parameters_hash.high;
    header.parameters_low = identity.parameters_hash.low;
    header.plan_high = identity.plan_hash.high;
    header.plan_low = identity.plan_hash.low;
    return header;
}

/// Takes values off the front of bytes.
class Parser {
 public:
    explicit Parser(std::span<const std::byte> bytes) : bytes_(bytes) {}
    template <class T>
    bool take(T& value) {
        if (bytes_.size() < sizeof(T)) return false;
        std::memcpy(&value, bytes_.data(), sizeof(T));
        bytes_ = bytes_.subspan(sizeof(T));
        return true;
    }
    size_t left() const { return bytes_.size(); }

 private:
    std::span<const std::byte> bytes_;
};

}  // namespace

const char* stage_name(Stage stage) {
    constexpr std::array kNames{"?", "sign", "exact", "group", "shingles", "cluster", "apply"};
    const auto index = static_cast<size_t>(stage);
    return index < kNames.size() ? kNames[index] : "?";
}

StageWriter::StageWriter(const std::filesystem::path& path, const StageIdentity& identity,
                         size_t num_sections, uint64_t memory_bytes)
    : file_(path),
      block_bytes_(std::clamp<uint64_t>(memory_bytes / std::max<size_t>(num_sections, 1),
                                        uint64_t{4} << 10, uint64_t{4} << 20)),
      sections_(num_sections),
      hashers_(num_sections),
      buffers_(num_sections) {
    const Header header = header_of(identity);
    frame_.update(bytes_of(header));
    write(bytes_of(header));
}

void StageWriter::write(std::span<const std::byte> bytes) {
    file_.write(bytes);
    size_ += bytes.size();
}

void StageWriter::flush(size_t index) {
    std::vector<std::byte>& buffer = buffers_[index];
    if (buffer.empty()) return;
    StageSection& section = sections_[index];
    const bool is_next = !section.extents.empty() &&
                         section.extents.back().offset + section.extents.back().bytes == size_;
    if (is_next) {
        section.extents.back().bytes += buffer.size();
    } else {
        section.extents.push_back({size_, buffer.size()});
    }
    section.bytes += buffer.size();
    hashers_[index].update(buffer);
    write(buffer);
    buffer.clear();
}

void StageWriter::add_bytes(size_t index, std::span<const std::byte> bytes, uint64_t rows) {
    std::vector<std::byte>& buffer = buffers_[index];
    if (buffer.size() + bytes.size() > block_bytes_) {
        flush(index);
        if (buffer.capacity() == 0) buffer.reserve(block_bytes_);
    }
    buffer.insert(buffer.end(), bytes.begin(), bytes.end());
    sections_[index].rows += rows;
    if (buffer.size() >= block_bytes_) flush(index);
}

void StageWriter::commit() {
    for (size_t i = 0; i < sections_.size(); ++i) flush(i);
    Footer footer;
    footer.directory_offset = size_;
    std::vector<std::byte> directory;
    const auto append = [&](std::span<const std::byte> bytes) {
        directory.insert(directory.end(), bytes.begin(), bytes.end());
    };
    for (size_t i = 0; i < sections_.size(); ++i) {
        const Hash128 hash = hashers_[i].digest();
        const StageSection& section = sections_[i];
        append(bytes_of(DirectoryEntry{section.rows, section.bytes, hash.high, hash.low,
                                       section.extents.size()}));
        append(std::as_bytes(std::span(section.extents)));
        footer.rows += section.rows;
    }
    footer.directory_bytes = directory.size();
    frame_.update(directory);
    const Hash128 hash = frame_.digest();
    footer.hash_high = hash.high;
    footer.hash_low = hash.low;
    write(directory);
    write(bytes_of(footer));
    file_.commit();
}

StageReader::StageReader(const std::filesystem::path& path, const StageIdentity& expected)
    : path_(path),
      found_(expected),
      fd_(io::open_file(path, O_RDONLY)),
      size_(io::file_size(path)),
      expected_stage_(expected.stage) {
    uint64_t directory_offset = 0, directory_bytes = 0;
    read_footer(directory_offset, directory_bytes);
    read_directory(directory_offset, directory_bytes);
    check_identity(expected);
}

void StageReader::refuse(const std::string& what) const {
    throw DataError(format("{}: {}; remove the file and run \"dedup-minhash {} {}\" again",
                           path_.string(), what, stage_name(expected_stage_),
                           path_.parent_path().parent_path().string()));
}

void StageReader::read_footer(uint64_t& directory_offset, uint64_t& directory_bytes) {
    if (size_ < sizeof(Header) + sizeof(Footer)) {
        refuse(format("cut: {} bytes are less than header and footer", size_));
    }
    io::pread_exact(fd_.get(), header_, 0, path_.string());
    Header header;
    std::memcpy(&header, header_.data(), sizeof header);
    if (header.magic != kHeaderMagic) refuse("no stage file of dedup-minhash");
    if (header.version != kStageFormatVersion) {
        refuse(format("format version {}, but this program knows {}", header.version,
                      kStageFormatVersion));
    }
    Footer footer;
    io::pread_exact(fd_.get(), std::as_writable_bytes(std::span(&footer, 1)), size_ - sizeof footer,
                    path_.string());
    directory_offset = footer.directory_offset;
    directory_bytes = footer.directory_bytes;
    rows_ = footer.rows;
    hash_ = {footer.hash_high, footer.hash_low};
    const bool is_whole = footer.magic == kFooterMagic && directory_offset >= sizeof(Header) &&
                          directory_offset <= size_ - sizeof footer &&
                          directory_bytes == size_ - sizeof footer - directory_offset;
    if (!is_whole) refuse("cut or damaged: it does not end with a footer");
}

void StageReader::read_directory(uint64_t offset, uint64_t bytes) {
    std::vector<std::byte> directory(bytes);
    io::pread_exact(fd_.get(), directory, offset, path_.string());
    Hasher128 hasher;
    hasher.update(header_);
    hasher.update(directory);
    if (hasher.digest() != hash_) refuse("damaged: header or directory do not match the footer");
    uint64_t rows = 0;
    uint64_t room = offset - sizeof(Header);  // extents do not overlap
    Parser parser(directory);
    for (DirectoryEntry entry; parser.left() > 0;) {
        if (!parser.take(entry) || entry.num_extents > parser.left() / sizeof(StageExtent)) {
            refuse("damaged: its directory is cut");
        }
        StageSection section{entry.rows, entry.bytes, {entry.hash_high, entry.hash_low}, {}};
        uint64_t total = 0;
        for (uint64_t i = 0; i < entry.num_extents; ++i) {
            StageExtent extent;
            parser.take(extent);
            const bool is_inside = extent.offset >= sizeof(Header) && extent.offset <= offset &&
                                   extent.bytes <= offset - extent.offset && extent.bytes <= room;
            if (!is_inside) refuse("damaged: a section lies outside of the file");
            room -= extent.bytes;
            total += extent.bytes;
            section.extents.push_back(extent);
        }
        if (total != section.bytes) refuse("damaged: a section's parts do not add up");
        rows += section.rows;
        sections_.push_back(std::move(section));
    }
    if (rows != rows_) refuse("damaged: the footer counts other rows than the directory");
}

void StageReader::check_identity(const StageIdentity& expected) const {
    Header found;
    std::memcpy(&found, header_.data(), sizeof found);
    const Header asked = header_of(expected);
    if (found.stage != asked.stage) {
        refuse(format("a file of stage {}, not {}", stage_name(static_cast<Stage>(found.stage)),
                      stage_name(expected.stage)));
    }
    if (found.unit != asked.unit) {
        refuse(format("holds unit {}, not {}", found.unit, asked.unit));
    }
    if (found.scheme != asked.scheme || found.parameters_high != asked.parameters_high ||
        found.parameters_low != asked.parameters_low) {
        refuse(format(
            "made with other parameters (scheme \"{}\")",
            std::string(found.scheme.data(), ::strnlen(found.scheme.data(), found.scheme.size()))));
    }
    if (found.plan_high != asked.plan_high || found.plan_low != asked.plan_low) {
        refuse(format("belongs to another plan ({}, this one is {})",
                      Hash128{found.plan_high, found.plan_low}.hex(), expected.plan_hash.hex()));
    }
}

void StageReader::read_at(size_t index, uint64_t position, std::span<std::byte> bytes) const {
    const StageSection& at = section(index);
    if (position > at.bytes || bytes.size() > at.bytes - position) {
        refuse(format("section {} ends before byte {}", index, position + bytes.size()));
    }
    // Records are read in order, so extents are passed one after the other; there are few of them.
    uint64_t begin = 0;
    for (const StageExtent& extent : at.extents) {
        if (bytes.empty()) return;
        if (position < begin + extent.bytes) {
            const uint64_t inside = position - begin;
            const size_t n = std::min<uint64_t>(bytes.size(), extent.bytes - inside);
            io::pread_exact(fd_.get(), bytes.first(n), extent.offset + inside, path_.string());
            bytes = bytes.subspan(n);
            position += n;
        }
        begin += extent.bytes;
    }
}

void StageReader::for_each_block(
    size_t index, const std::function<void(std::span<const std::byte>)>& take) const {
    std::vector<std::byte> buffer(1 << 20);
    Hasher128 hasher;
    const uint64_t total = section(index).bytes;
    for (uint64_t position = 0; position < total;) {
        const auto block =
            std::span(buffer).first(std::min<uint64_t>(buffer.size(), total - position));
        read_at(index, position, block);
        hasher.update(block);
        take(block);
        position += block.size();
    }
    if (hasher.digest() != section(index).hash) refuse(format("section {} is damaged", index));
}

std::string StageReader::read_text(size_t index) const {
    std::string text(section(index).bytes, '\0');
    read_at(index, 0, std::as_writable_bytes(std::span(text)));
    if (xxh3_128(text) != section(index).hash) refuse(format("section {} is damaged", index));
    return text;
}

}  // namespace longhaul::dedup

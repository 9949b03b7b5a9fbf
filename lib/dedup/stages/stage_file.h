// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Files that hand the work of one stage to the next (longhaul-dedup-work.5): a header that says
// what the file belongs to, sections of fixed-size records, a directory with the hash of each
// section, and a footer with the number of rows and the hash of header and directory. A file is
// written under a temporary name; what has the right name is complete.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lib/base/format.h"
#include "lib/base/hash.h"
#include "lib/io/atomic_file.h"

namespace longhaul::dedup {

enum class Stage : uint32_t { kSign = 1, kExact, kGroup, kShingles, kCluster, kApply };
/// The sub-command that makes it: "sign".
const char* stage_name(Stage stage);

/// What a file belongs to.
struct StageIdentity {
    Stage stage = Stage::kSign;
    uint64_t unit = 0;
    std::string scheme;       // how shingles are hashed; at most 15 characters
    Hash128 parameters_hash;  // of everything that decides keys
    Hash128 plan_hash;
};

inline constexpr uint32_t kStageFormatVersion = 1;

/// Part of a section: sections grow side by side, so each lies in pieces.
struct StageExtent {
    uint64_t offset = 0;
    uint64_t bytes = 0;
};
struct StageSection {
    uint64_t rows = 0;
    uint64_t bytes = 0;
    Hash128 hash;  // XXH3-128 of its bytes
    std::vector<StageExtent> extents;
};

/// Writes one stage file. Not thread-safe.
class StageWriter {
 public:
    /// @param memory_bytes for buffers of the sections
    StageWriter(const std::filesystem::path& path, const StageIdentity& identity,
                size_t num_sections, uint64_t memory_bytes);

    template <class Record>
    void add(size_t section, const Record& record) {
        add_bytes(section, std::as_bytes(std::span(&record, 1)), 1);
    }
    template <class Record>
    void add_all(size_t section, std::span<const Record> records) {
        add_bytes(section, std::as_bytes(records), records.size());
    }
    void add_text(size_t section, std::string_view text, uint64_t rows) {
        add_bytes(section, std::as_bytes(std::span(text)), rows);
    }
    uint64_t bytes(size_t section) const {
        return sections_[section].bytes + buffers_[section].size();
    }
    /// Writes directory and footer, and makes the file visible. @throws IoError
    void commit();

 private:
    void add_bytes(size_t section, std::span<const std::byte> bytes, uint64_t rows);
    void flush(size_t section);
    void write(std::span<const std::byte> bytes);

    io::AtomicFile file_;
    Hasher128 frame_;  // of header and directory
    uint64_t size_ = 0;
    size_t block_bytes_;
    std::vector<StageSection> sections_;
    std::vector<Hasher128> hashers_;
    std::vector<std::vector<std::byte>> buffers_;
};

/// Opens a stage file and checks what frames it; sections are checked as they are read.
class StageReader {
 public:
    /// @throws IoError; DataError naming file, fault and remedy when it is cut, damaged, of another
    ///         version or plan, or not the file that `expected` says
    StageReader(const std::filesystem::path& path, const StageIdentity& expected);

    const std::filesystem::path& path() const { return path_; }
    size_t num_sections() const { return sections_.size(); }
    const StageSection& section(size_t index) const { return sections_.at(index); }
    uint64_t rows() const { return rows_; }
    /// Hash of header and directory, which names the content.
    const Hash128& hash() const { return hash_; }

    /// A whole section, checked. For small ones.
    std::string read_text(size_t section) const;
    /// A whole section in blocks, checked after the last.
    void for_each_block(size_t section,
                        const std::function<void(std::span<const std::byte>)>& take) const;
    /// Bytes of a section from `position` on; not checked. @throws DataError beyond its end
    void read_at(size_t section, uint64_t position, std::span<std::byte> bytes) const;
    /// "PATH: what; remedy".
    [[noreturn]] void refuse(const std::string& what) const;

 private:
    void read_footer(uint64_t& directory_offset, uint64_t& directory_bytes);
    void read_directory(uint64_t offset, uint64_t bytes);
    void check_identity(const StageIdentity& expected) const;

    std::filesystem::path path_;
    StageIdentity found_;
    io::UniqueFd fd_;
    uint64_t size_ = 0;
    uint64_t rows_ = 0;
    Hash128 hash_;
    std::array<std::byte, 96> header_{};
    std::vector<StageSection> sections_;
    Stage expected_stage_;
};

/// Reads the records of one section in order; at its end the section is checked.
template <class Record>
class RecordReader {
    static_assert(std::is_trivially_copyable_v<Record>);

 public:
    /// @param reader must outlive this
    RecordReader(const StageReader& reader, size_t section, size_t buffer_bytes = 1 << 18)
        : reader_(&reader),
          section_(section),
          num_rows_(reader.section(section).bytes / sizeof(Record)),
          capacity_(std::max<size_t>(buffer_bytes / sizeof(Record), 1)) {
        if (reader.section(section).bytes % sizeof(Record) != 0) {
            reader.refuse(format("section {} does not hold whole records", section));
        }
    }

    uint64_t num_rows() const { return num_rows_; }
    /// @return false at the end. @throws DataError when the section is damaged
    bool next(Record& record) {
        if (at_ == buffer_.size() && !fill()) return false;
        record = buffer_[at_++];
        return true;
    }

 private:
    bool fill() {
        if (taken_ == num_rows_) {
            if (!is_checked_ && hasher_.digest() != reader_->section(section_).hash) {
                reader_->refuse(format("section {} is damaged", section_));
            }
            is_checked_ = true;
            return false;
        }
        buffer_.resize(std::min<uint64_t>(num_rows_ - taken_, capacity_));
        const auto bytes = std::as_writable_bytes(std::span(buffer_));
        reader_->read_at(section_, taken_ * sizeof(Record), bytes);
        hasher_.update(bytes);
        taken_ += buffer_.size();
        at_ = 0;
        return true;
    }

    const StageReader* reader_;
    size_t section_;
    uint64_t num_rows_;
    size_t capacity_;
    std::vector<Record> buffer_;
    size_t at_ = 0;
    uint64_t taken_ = 0;
    bool is_checked_ = false;
    Hasher128 hasher_;
};

}  // namespace longhaul::dedup

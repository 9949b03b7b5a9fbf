// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/mds_shard.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "lib/base/error.h"
#include "lib/io/json.h"
#include "lib/io/stream.h"
#include "lib/shards/spool.h"
#include "lib/shards/token_io.h"

namespace longhaul::shards {

namespace {

constexpr uint64_t kMark = 64;  // samples

uint32_t read_u32(const ReadFile& file, uint64_t offset) {
    uint32_t value = 0;
    file.read(offset, std::as_writable_bytes(std::span(&value, 1)));
    return value;
}

}  // namespace

MdsShard::MdsShard(const std::filesystem::path& folder, const ShardDetails& details, size_t index)
    : ShardFile((folder / details.shards[index].file).string(), 0, 0),
      columns_(details.is_foreign ? details.columns
                                  : token_columns(details.token_type, details.sample_tokens)),
      encoding_(parse_token_encoding(columns_.encodings[columns_.tokens], name_)) {
    const ShardEntry& entry = details.shards[index];
    for (const uint64_t size : columns_.sizes) {
        head_bytes_ += size == 0 ? 4 : 0;
        fixed_bytes_ += size;
    }
    is_only_open_ = encoding_.sample_tokens == 0 && head_bytes_ == 4;
    open(folder, entry);
    num_samples_ = read_u32(file_, 0);
    scan_offsets();
    num_documents_ = num_samples_;
    if (details.is_foreign) {
        if (num_samples_ != entry.num_documents) {
            throw DataError(format("{}: {} samples, index.json says {}", name_, num_samples_,
                                   entry.num_documents));
        }
        for (size_t i = 0; i < index; ++i) first_record_ += details.shards[i].num_documents;
        return;
    }
    has_document_offsets_ = details.sample_tokens > 0;
    if (has_document_offsets_) num_documents_ = entry.num_documents;
    if (num_tokens_ != entry.num_tokens || num_documents_ != entry.num_documents) {
        throw DataError(format("{}: {} tokens and {} documents, the manifest says {} and {}", name_,
                               num_tokens_, num_documents_, entry.num_tokens, entry.num_documents));
    }
    if (const SideFile* const file = entry.documents_file()) {
        table_ = std::make_unique<DocumentTable>((folder / file->file).string(), num_documents_,
                                                 identity_of(details));
    } else if (has_document_offsets_) {
        throw DataError(format("{}: the manifest lists no .docs.h5 of it", name_));
    }
}

void MdsShard::open(const std::filesystem::path& folder, const ShardEntry& entry) {
    if (entry.zip_file.empty() || std::filesystem::exists(name_)) {
        file_ = ReadFile(io::open_file(name_, O_RDONLY), name_);
        file_bytes_ = io::file_size(name_);
    } else {
        const std::string zip = (folder / entry.zip_file).string();
        const auto input = io::open_input(zip);
        Spool spool(default_spool_folder());
        std::vector<std::byte> block(1 << 18);
        while (const size_t got = input->read(block)) {
            if (spool.size() + got > entry.bytes) {
                throw DataError(format("{}: unpacks to more than the {} bytes of index.json", zip,
                                       entry.bytes));
            }
            spool.write(std::span<const std::byte>(block).first(got));
        }
        file_bytes_ = spool.size();
        name_ = zip;
        file_ = ReadFile(spool.release(), name_);
    }
    if (file_bytes_ != entry.bytes) {
        throw DataError(format("{}: {} bytes, {} are listed: cut or replaced", name_, file_bytes_,
                               entry.bytes));
    }
    if (file_bytes_ < 8 || file_bytes_ > kMdsMaxShardBytes) {
        throw DataError(format("{}: {} bytes are no shard of MDS", name_, file_bytes_));
    }
}

void MdsShard::check_config(uint64_t end_of_offsets, uint64_t begin_of_samples) const {
    constexpr uint64_t kMaxConfig = 1 << 20;
    if (begin_of_samples < end_of_offsets || begin_of_samples - end_of_offsets > kMaxConfig) {
        throw DataError(name_, 4, format("the first sample begins at byte {}", begin_of_samples));
    }
    std::string text(begin_of_samples - end_of_offsets, '\0');
    file_.read(end_of_offsets, std::as_writable_bytes(std::span(text)));
    const io::Json config = io::parse_json(text, name_);
    const auto encodings = io::require<std::vector<std::string>>(config, "column_encodings", name_);
    const auto names = io::require<std::vector<std::string>>(config, "column_names", name_);
    if (names == columns_.names && encodings == columns_.encodings) return;
    throw DataError(format("{}: columns {} as {}, expected {} as {}", name_,
                           io::to_line(io::Json(names)), io::to_line(io::Json(encodings)),
                           io::to_line(io::Json(columns_.names)),
                           io::to_line(io::Json(columns_.encodings))));
}

void MdsShard::scan_offsets() {
    const uint64_t end_of_offsets = 4 * (num_samples_ + 2);
    if (end_of_offsets > file_bytes_) {
        throw DataError(name_, 0,
                        format("{} samples do not fit into {} bytes", num_samples_, file_bytes_));
    }
    check_config(end_of_offsets, read_u32(file_, 4));
    const uint64_t end = read_u32(file_, 4 + 4 * num_samples_);
    if (end != file_bytes_) {
        throw DataError(name_, 4 + 4 * num_samples_,
                        format("the samples end at byte {} of {}", end, file_bytes_));
    }
    std::array<Array, 1024> arrays;
    for (uint64_t first = 0; first < num_samples_; first += arrays.size()) {
        const auto part =
            std::span(arrays).first(std::min<uint64_t>(arrays.size(), num_samples_ - first));
        locate(first, part);
        for (size_t i = 0; i < part.size(); ++i) {
            const bool is_mark = encoding_.sample_tokens == 0 && (first + i) % kMark == 0;
            if (is_mark) marks_.push_back(num_tokens_);
            num_tokens_ += part[i].num_tokens;
        }
    }
}

void MdsShard::locate(uint64_t first, std::span<Array> out) const {
    std::vector<uint32_t> offsets(out.size() + 1);
    file_.read(4 + 4 * first, std::as_writable_bytes(std::span(offsets)));
    for (size_t i = 0; i < out.size(); ++i) {
        const uint64_t begin = offsets[i], end = offsets[i + 1];
        if (begin > end || end > file_bytes_) {
            throw DataError(name_, 4 + 4 * (first + i),
                            format("sample {} lies at bytes {} to {} of {}", first + i, begin, end,
                                   file_bytes_));
        }
        out[i] = with_context([&] { return locate_one(begin, end); }, "sample {}", first + i);
    }
}

MdsShard::Array MdsShard::locate_one(uint64_t begin, uint64_t end) const {
    const uint64_t bytes = end - begin;
    if (bytes < head_bytes_ + fixed_bytes_) {
        throw DataError(name_, begin, format("{} bytes are too few for its columns", bytes));
    }
    Array array{begin + head_bytes_, 0, encoding_.sample_tokens};
    uint64_t open_bytes = bytes - head_bytes_ - fixed_bytes_, head = begin;
    for (size_t column = 0; column < columns_.sizes.size(); ++column) {
        uint64_t size = columns_.sizes[column];
        if (size == 0) {
            size = is_only_open_ ? open_bytes : read_u32(file_, head);
            head += 4;
            if (size > open_bytes) {
                throw DataError(name_, head - 4, format("a column of {} bytes of {}", size, bytes));
            }
            open_bytes -= size;
        }
        if (column == columns_.tokens) array.bytes = size;
        if (column < columns_.tokens) array.begin += size;
    }
    if (open_bytes != 0) {
        throw DataError(name_, begin, format("{} bytes more than its columns have", open_bytes));
    }
    if (encoding_.sample_tokens > 0) return array;
    const auto num_tokens = open_array_tokens(array.bytes, token_bytes(encoding_.type));
    if (!num_tokens) {
        throw DataError(name_, array.begin,
                        format("{} bytes are no one-dimensional array of {}", array.bytes,
                               token_type_name(encoding_.type)));
    }
    array.num_tokens = *num_tokens;
    return array;
}

uint64_t MdsShard::first_token_of(uint64_t sample) const {
    if (encoding_.sample_tokens > 0) return sample * encoding_.sample_tokens;
    if (sample == num_samples_) return num_tokens_;
    const uint64_t mark = sample / kMark;
    std::array<Array, kMark> arrays;
    const auto before = std::span(arrays).first(sample - mark * kMark);
    locate(mark * kMark, before);
    uint64_t token = marks_[mark];
    for (const Array& array : before) token += array.num_tokens;
    return token;
}

/// The last sample that begins at or before the token.
uint64_t MdsShard::sample_of(uint64_t token) const {
    if (encoding_.sample_tokens > 0) return token / encoding_.sample_tokens;
    const auto after = std::upper_bound(marks_.begin(), marks_.end(), token);
    const uint64_t first = (static_cast<uint64_t>(after - marks_.begin()) - 1) * kMark;
    std::array<Array, kMark> arrays;
    const auto part = std::span(arrays).first(std::min(kMark, num_samples_ - first));
    locate(first, part);
    uint64_t begin = marks_[first / kMark], found = first;
    for (size_t i = 0; i < part.size() && begin <= token; ++i) {
        found = first + i;
        begin += part[i].num_tokens;
    }
    return found;
}

uint64_t MdsShard::ids_at(const Array& array) const {
    if (encoding_.sample_tokens > 0) return array.begin;
    const std::string expected = open_array_header(array.num_tokens);
    std::string header(expected.size(), '\0');
    file_.read(array.begin, std::as_writable_bytes(std::span(header)));
    if (header != expected) {
        throw DataError(
            name_, array.begin,
            format("not the header of a one-dimensional array of {} ids", array.num_tokens));
    }
    return array.begin + header.size();
}

template <class Out>
void MdsShard::read_any(uint64_t first, std::span<Out> out) const {
    if (out.empty()) return;
    uint64_t sample = sample_of(first);
    uint64_t skip = first - first_token_of(sample);
    std::array<Array, 16> arrays;
    while (!out.empty()) {
        const auto part =
            std::span(arrays).first(std::min<uint64_t>(arrays.size(), num_samples_ - sample));
        if (part.empty()) throw DataError(format("{}: token {} is past its end", name_, first));
        locate(sample, part);
        for (const Array& array : part) {
            const size_t count = std::min<uint64_t>(out.size(), array.num_tokens - skip);
            if (count > 0) {
                shards::read_tokens({file_, encoding_.type, ids_at(array)}, skip, out.first(count));
                out = out.subspan(count);
            }
            skip = 0;
        }
        sample += part.size();
    }
}

void MdsShard::read_tokens(uint64_t first, std::span<uint32_t> out) const {
    read_any(first, out);
}
void MdsShard::read_tokens(uint64_t first, std::span<int32_t> out) const {
    read_any(first, out);
}

void MdsShard::will_need(uint64_t first, uint64_t count) const {
    if (count == 0) return;
    Array from, to;
    locate(sample_of(first), {&from, 1});
    locate(sample_of(first + count - 1), {&to, 1});
    file_.will_need(from.begin, to.begin + to.bytes - from.begin);
}

void MdsShard::map() {
    file_.map();
    if (table_) table_->map();
}

void MdsShard::read_offsets(uint64_t first, std::span<uint64_t> out) const {
    if (out.empty()) return;
    if (has_document_offsets_) {
        table_->read_offsets(first, out);
    } else {
        out[0] = first_token_of(first);
        std::vector<Array> arrays(out.size() - 1);
        locate(first, arrays);
        for (size_t i = 0; i < arrays.size(); ++i) out[i + 1] = out[i] + arrays[i].num_tokens;
    }
    check_offsets(first, out);
}

void MdsShard::read_sources(uint64_t first, std::span<uint64_t> out) const {
    if (table_) return table_->read_sources(first, out);
    for (size_t i = 0; i < out.size() / 2; ++i) {
        out[2 * i] = 0;
        out[2 * i + 1] = first_record_ + first + i;
    }
}

uint64_t MdsShard::find_document(uint64_t token) const {
    return has_document_offsets_ ? ShardFile::find_document(token) : sample_of(token);
}

std::string MdsShard::check_container() const {
    if (encoding_.sample_tokens > 0) return "";
    std::array<Array, 1024> arrays;
    try {
        for (uint64_t first = 0; first < num_samples_; first += arrays.size()) {
            const auto part =
                std::span(arrays).first(std::min<uint64_t>(arrays.size(), num_samples_ - first));
            locate(first, part);
            for (const Array& array : part) ids_at(array);
        }
    } catch (const DataError& error) {
        return error.describe();
    }
    return "";
}

}  // namespace longhaul::shards

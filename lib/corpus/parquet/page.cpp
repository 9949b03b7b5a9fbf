// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/parquet/page.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "lib/base/error.h"

namespace longhaul::corpus::parquet {

namespace {

/// Statistics in a header can hold long texts; Arrow's limit is the same.
constexpr uint64_t kMaxHeaderBytes = 16 << 20;
constexpr uint64_t kFirstRead = 1 << 10;

enum PageType : int32_t { kDataPage = 0, kIndexPage = 1, kDictionaryPage = 2, kDataPageV2 = 3 };

}  // namespace

/// PageHeader with the one of its sub-structures that its type asks for.
struct PageReader::Header {
    int32_t type = -1;
    uint64_t unpacked_bytes = 0, packed_bytes = 0;
    std::optional<uint32_t> crc;
    int32_t body_type = -1;  // the sub-structure that was there
    uint64_t num_values = 0;
    int32_t encoding = -1, level_encoding = static_cast<int32_t>(Encoding::kRle);
    uint64_t num_rows = 0, definition_bytes = 0, repetition_bytes = 0;  // version 2
    bool is_packed = true;
};

namespace {

/// Fields of DataPageHeader, DictionaryPageHeader and DataPageHeaderV2.
template <class Header>
void read_body_header(ThriftReader& reader, Header& header) {
    const bool is_v2 = header.body_type == kDataPageV2;
    reader.read_struct([&](int id, ThriftType type) {
        if (id == 1) {
            header.num_values = reader.read_size(type);
        } else if (id == (is_v2 ? 4 : 2)) {
            header.encoding = reader.read_int32(type);
        } else if (id == 3 && header.body_type == kDataPage) {
            header.level_encoding = reader.read_int32(type);
        } else if (id == 3 && is_v2) {
            header.num_rows = reader.read_size(type);
        } else if (id == 5 && is_v2) {
            header.definition_bytes = reader.read_size(type);
        } else if (id == 6 && is_v2) {
            header.repetition_bytes = reader.read_size(type);
        } else if (id == 7 && is_v2) {
            header.is_packed = reader.read_bool(type);
        } else {
            reader.skip(type);
        }
    });
}

}  // namespace

void PageReader::fail(const std::string& cause) const {
    throw DataError(file_.path(), page_offset_, format("column {}: {}", leaf_->path, cause));
}

void PageReader::begin(const Leaf& leaf, const Chunk& chunk) {
    leaf_ = &leaf;
    chunk_ = chunk;
    at_ = page_offset_ = chunk.begin;
    is_first_ = true;
}

void PageReader::read_header_fields(ThriftReader& reader, Header& header) const {
    reader.read_struct([&](int id, ThriftType type) {
        if (id == 1) {
            header.type = reader.read_int32(type);
        } else if (id == 2) {
            header.unpacked_bytes = reader.read_size(type);
        } else if (id == 3) {
            header.packed_bytes = reader.read_size(type);
        } else if (id == 4) {
            header.crc = static_cast<uint32_t>(reader.read_int32(type));
        } else if (id == 5 || id == 7 || id == 8) {
            reader.expect_struct(type);
            header.body_type = id - 5;  // by chance the numbers of the page types
            read_body_header(reader, header);
        } else {
            reader.skip(type);
        }
    });
}

/// Reads little at first: a header rarely has more than 100 bytes.
PageReader::Header PageReader::read_header() {
    for (uint64_t size = kFirstRead;; size *= 8) {
        const uint64_t part = std::min(size, chunk_.end - at_);
        const std::span<std::byte> bytes = header_bytes_.resize(part);
        file_.read(at_, bytes);
        ThriftReader reader(bytes, file_.path(), at_);
        try {
            Header header;
            read_header_fields(reader, header);
            at_ += reader.position();
            return header;
        } catch (const ThriftCutError&) {
            if (part < size || size > kMaxHeaderBytes) throw;
        }
    }
}

void PageReader::check_header(const Header& header) const {
    if (header.packed_bytes > chunk_.end - at_) {
        fail(format("a page of {} bytes does not fit into the column chunk", header.packed_bytes));
    }
    if (header.type == kIndexPage) return;
    if (header.type != kDataPage && header.type != kDictionaryPage && header.type != kDataPageV2) {
        fail(format("page type {} does not exist", header.type));
    }
    if (header.body_type != header.type) fail("the page header is not of its type");
    const uint64_t page_bytes = std::max(header.unpacked_bytes, header.packed_bytes);
    if (page_bytes > max_page_bytes_) {
        fail(format("a page of {} bytes is larger than {}; write the file with smaller pages",
                    page_bytes, max_page_bytes_));
    }
    if (header.num_values > UINT32_MAX) fail(format("a page of {} values", header.num_values));
    if (header.encoding < 0 || header.encoding > UINT8_MAX) fail("a page without an encoding");
    if (header.type == kDictionaryPage && !is_first_) fail("a dictionary behind data pages");
}

/// Index pages are passed over.
bool PageReader::next(Page& page) {
    while (at_ < chunk_.end) {
        page_offset_ = at_;
        const Header header = with_context([&] { return read_header(); }, "column {}", leaf_->path);
        check_header(header);
        if (header.type == kIndexPage) {
            at_ += header.packed_bytes;
            continue;
        }
        load(header, page);
        is_first_ = false;
        return true;
    }
    return false;
}

void PageReader::unpack(std::span<const std::byte> packed, std::span<std::byte> out,
                        bool is_packed) {
    if (packed.empty() && out.empty()) return;  // all values are null
    const io::BlockCodec codec = is_packed ? chunk_.codec : io::BlockCodec::kNone;
    if (const char* const fault = unpacker_.unpack(codec, packed, out)) fail(fault);
}

void PageReader::load(const Header& header, Page& page) {
    page = Page{};
    page.is_dictionary = header.type == kDictionaryPage;
    page.num_values = static_cast<uint32_t>(header.num_values);
    page.encoding = static_cast<Encoding>(header.encoding);
    page.offset = page_offset_;
    Buffer& buffer = page.is_dictionary ? dictionary_ : data_;
    const std::span<std::byte> body = buffer.resize(header.unpacked_bytes);
    const bool is_plain = chunk_.codec == io::BlockCodec::kNone;
    if (is_plain && header.packed_bytes != header.unpacked_bytes) {
        fail("its size is not the size that it has without compression");
    }
    const std::span<std::byte> packed = is_plain ? body : packed_.resize(header.packed_bytes);
    file_.read(at_, packed);
    at_ += header.packed_bytes;
    file_.hash_up_to(at_);
    if (header.crc && io::crc32(packed) != *header.crc) {
        fail("the page's checksum does not hold: its bytes are damaged; copy the file again");
    }
    if (header.type == kDataPageV2) return load_v2(header, packed, body, page);
    if (!is_plain) unpack(packed, body, true);
    page.values = body;
    if (!page.is_dictionary) load_v1(header, body, page);
}

/// Definition levels have their length before them; repetition levels are never there: repeated
/// columns are refused.
void PageReader::load_v1(const Header& header, std::span<const std::byte> body, Page& page) const {
    if (leaf_->max_definition == 0) return;
    if (header.level_encoding != static_cast<int32_t>(Encoding::kRle)) {
        fail(format("levels are encoded as {}, which is not read here",
                    encoding_name(header.level_encoding)));
    }
    uint32_t length = 0;
    if (body.size() < sizeof length) fail("the page is too short for its levels");
    std::memcpy(&length, body.data(), sizeof length);
    body = body.subspan(sizeof length);
    if (length > body.size()) fail("the page is too short for its levels");
    page.definition_levels = body.first(length);
    page.values = body.subspan(length);
}

/// Levels stand before the values and are never compressed.
void PageReader::load_v2(const Header& header, std::span<const std::byte> packed,
                         std::span<std::byte> body, Page& page) {
    const uint64_t levels = header.definition_bytes;
    if (header.repetition_bytes != 0) fail("levels of a repeated column");
    if (levels > packed.size() || levels > body.size())
        fail("the page is too short for its levels");
    if (header.num_rows != header.num_values) fail("the page's rows are not its values");
    if (packed.data() != body.data()) {
        if (levels > 0) std::memcpy(body.data(), packed.data(), levels);
        unpack(packed.subspan(levels), body.subspan(levels), header.is_packed);
    }
    if (leaf_->max_definition > 0) page.definition_levels = body.first(levels);
    page.values = body.subspan(levels);
}

}  // namespace longhaul::corpus::parquet

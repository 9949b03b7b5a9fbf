// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/parquet_input.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string_view>
#include <vector>

#include "lib/base/error.h"
#include "lib/corpus/json_escape.h"
#include "lib/corpus/parquet/column.h"
#include "lib/corpus/parquet/footer.h"
#include "lib/corpus/parquet/hashed_file.h"

namespace longhaul::corpus {

namespace {

using parquet::Cell;
using parquet::Leaf;
using parquet::Meaning;
using parquet::Physical;

/// Lines are made in pieces of about this size, so that a giant text is never copied as a whole.
constexpr size_t kPieceBytes = 64 << 10;

std::string names_of(const std::vector<Leaf>& leaves) {
    constexpr size_t kShown = 20;
    std::string names;
    for (size_t i = 0; i < std::min(leaves.size(), kShown); ++i) {
        names += (i == 0 ? "" : ", ") + leaves[i].path;
    }
    return names + (leaves.size() > kShown ? ", ..." : "");
}

size_t find_text(const std::vector<Leaf>& leaves, const std::string& field,
                 const std::string& path) {
    const auto is_it = [&](const Leaf& leaf) { return leaf.path == field; };
    const auto found = std::find_if(leaves.begin(), leaves.end(), is_it);
    if (found == leaves.end()) {
        throw UsageError(format("{}: no column {} (see --text-field); there are {}", path, field,
                                names_of(leaves)));
    }
    if (std::find_if(found + 1, leaves.end(), is_it) != leaves.end()) {
        throw DataError(format("{}: two columns {}: which one is meant?", path, field));
    }
    if (found->is_repeated) {
        throw DataError(
            format("{}: column {} is a list (REPEATED), not one text a row", path, field));
    }
    if (found->type != Physical::kByteArray || found->meaning == Meaning::kOther) {
        throw DataError(format("{}: column {} holds no text", path, field));
    }
    return static_cast<size_t>(found - leaves.begin());
}

/// Whether a JSON line can show the column.
bool is_scalar(const Leaf& leaf) {
    if (leaf.is_repeated || leaf.is_nested || leaf.meaning == Meaning::kOther) return false;
    switch (leaf.type) {
        case Physical::kBoolean:
        case Physical::kInt32:
        case Physical::kInt64:
        case Physical::kFloat:
        case Physical::kDouble:
            return true;
        case Physical::kByteArray:
            return leaf.meaning == Meaning::kText;
        case Physical::kInt96:
        case Physical::kFixed:
            break;
    }
    return false;
}

/// Lines on their way out.
class Piece {
 public:
    Piece() : bytes_(std::make_unique_for_overwrite<char[]>(kPieceBytes + kLongestPart)) {}

    bool is_full() const { return size_ >= kPieceBytes; }
    std::string_view rest() const { return {bytes_.get() + given_, size_ - given_}; }
    void give(size_t count) { given_ += count; }
    void clear() { size_ = given_ = 0; }

    // Each adds at most kLongestPart bytes, and is called while the piece is not full.
    void append(std::string_view text) {
        std::memcpy(bytes_.get() + size_, text.data(), text.size());
        size_ += text.size();
    }
    template <class Number>
    void append_number(Number value) {
        char* const begin = bytes_.get() + size_;
        size_ += static_cast<size_t>(std::to_chars(begin, begin + 32, value).ptr - begin);
    }
    /// @param text of kPieceBytes at most
    void append_escaped(std::string_view text) {
        size_ += detail::escape_json(text, bytes_.get() + size_);
    }

 private:
    static constexpr size_t kLongestPart =
        detail::kMaxEscapedBytes * kPieceBytes + detail::kEscapePadding + 32;
    std::unique_ptr<char[]> bytes_;
    size_t size_ = 0, given_ = 0;
};

std::string make_key(const std::string& name) {
    std::string key(detail::kMaxEscapedBytes * name.size() + detail::kEscapePadding, '\0');
    key.resize(detail::escape_json(name, key.data()));
    return "\"" + key + "\":";
}

}  // namespace

struct ParquetInput::State {
    State(const std::string& path, const ParquetOptions& options, uint64_t begin, uint64_t end);
    /// Makes lines until there is a piece of them. @return false at the end
    bool fill();

    std::string name;
    parquet::HashedFile file;
    std::string left_out;
    uint64_t first = 0;

 private:
    void choose_columns(const parquet::Footer& footer, const ParquetOptions& options,
                        std::vector<size_t>& wanted);
    void choose_part(const parquet::Footer& footer, uint64_t begin, uint64_t end);
    bool next_row();
    void append_cell();
    void append_other(const Cell& cell, const Leaf& leaf);
    void append_text_part();

    std::vector<parquet::ColumnReader> columns_;  // the text first
    std::vector<std::string> keys_;               // "\"text\":" of each
    std::vector<parquet::RowGroup> groups_;       // those not begun, the next one last
    uint64_t rows_left_ = 0;                      // of the current group
    size_t column_ = 0;                           // of the cell that comes next
    bool has_members_ = false;                    // in the current line
    bool in_text_ = false;
    std::string_view text_rest_;  // of the text that is being written

 public:
    Piece piece;
};

ParquetInput::State::State(const std::string& path, const ParquetOptions& options, uint64_t begin,
                           uint64_t end)
    : name(begin == 0 ? path : format("{}[from byte {}]", path, begin)), file(path) {
    const parquet::Footer footer(file.fd(), path);
    std::vector<size_t> wanted;
    choose_columns(footer, options, wanted);
    groups_ = footer.row_groups(wanted);
    choose_part(footer, begin, end);
    column_ = columns_.size();
}

void ParquetInput::State::choose_columns(const parquet::Footer& footer,
                                         const ParquetOptions& options,
                                         std::vector<size_t>& wanted) {
    const std::vector<Leaf>& leaves = footer.leaves();
    std::vector<Leaf> hidden;
    wanted.push_back(find_text(leaves, options.text_field, file.path()));
    for (size_t i = 0; options.has_other_columns && i < leaves.size(); ++i) {
        if (i == wanted.front()) continue;
        if (is_scalar(leaves[i])) {
            wanted.push_back(i);
        } else {
            hidden.push_back(leaves[i]);
        }
    }
    left_out = names_of(hidden);
    for (const size_t leaf : wanted) {
        columns_.emplace_back(file, leaves[leaf], options.max_page_bytes);
        keys_.push_back(make_key(leaves[leaf].path));
    }
}

/// A group belongs to the part that holds its first byte; what is before the first group belongs
/// to the part that begins at 0.
void ParquetInput::State::choose_part(const parquet::Footer& footer, uint64_t begin, uint64_t end) {
    const auto first_from = [&](uint64_t byte) {
        return std::find_if(groups_.begin(), groups_.end(),
                            [byte](const parquet::RowGroup& group) { return group.begin >= byte; });
    };
    const auto byte_of = [&](auto group) {
        return group == groups_.end() ? footer.file_bytes() : group->begin;
    };
    const auto from = first_from(begin), to = std::max(from, first_from(end));
    first = begin == 0 ? 0 : byte_of(from);
    file.set_part(first, end >= footer.file_bytes() ? footer.file_bytes() : byte_of(to));
    groups_.erase(to, groups_.end());
    groups_.erase(groups_.begin(), from);
    std::reverse(groups_.begin(), groups_.end());
}

bool ParquetInput::State::next_row() {
    while (rows_left_ == 0) {
        if (groups_.empty()) return false;
        const parquet::RowGroup group = std::move(groups_.back());
        groups_.pop_back();
        rows_left_ = group.num_rows;
        for (size_t i = 0; i < columns_.size(); ++i) {
            columns_[i].begin(group.chunks[i], group.num_rows);
        }
    }
    --rows_left_;
    column_ = 0;
    has_members_ = false;
    piece.append("{");
    return true;
}

void ParquetInput::State::append_text_part() {
    const std::string_view part = text_rest_.substr(0, kPieceBytes);
    piece.append_escaped(part);
    text_rest_.remove_prefix(part.size());
    if (!text_rest_.empty()) return;
    piece.append("\"");
    in_text_ = false;
}

void ParquetInput::State::append_other(const Cell& cell, const Leaf& leaf) {
    switch (cell.kind) {
        case Cell::Kind::kBoolean:
            piece.append(cell.boolean ? "true" : "false");
            return;
        case Cell::Kind::kInteger:
            if (leaf.meaning == Meaning::kUnsigned) {
                const auto bits = static_cast<uint64_t>(cell.integer);
                piece.append_number(leaf.type == Physical::kInt32 ? bits & UINT32_MAX : bits);
            } else {
                piece.append_number(cell.integer);
            }
            return;
        case Cell::Kind::kReal:
            if (!std::isfinite(cell.real)) break;  // JSON has no word for it
            if (leaf.type == Physical::kFloat) {
                piece.append_number(static_cast<float>(cell.real));
            } else {
                piece.append_number(cell.real);
            }
            return;
        case Cell::Kind::kText:
        case Cell::Kind::kNull:
            break;
    }
    piece.append("null");
}

void ParquetInput::State::append_cell() {
    const size_t column = column_++;
    Cell cell;
    columns_[column].next(cell);
    const bool is_null = cell.kind == Cell::Kind::kNull;
    if (column == 0 && is_null) return;  // no text: the line is a bad record
    if (has_members_) piece.append(",");
    has_members_ = true;
    piece.append(keys_[column]);
    if (cell.kind != Cell::Kind::kText) return append_other(cell, columns_[column].leaf());
    piece.append("\"");
    text_rest_ = cell.text;
    in_text_ = true;
}

bool ParquetInput::State::fill() {
    piece.clear();
    while (!piece.is_full()) {
        if (in_text_) {
            append_text_part();
        } else if (column_ < columns_.size()) {
            append_cell();
        } else if (!next_row()) {
            break;
        }
        if (!in_text_ && column_ == columns_.size()) piece.append("}\n");
    }
    if (!piece.rest().empty()) return true;
    file.hash_up_to(std::numeric_limits<uint64_t>::max());
    return false;
}

bool has_parquet_magic(const std::string& path) {
    if (!std::filesystem::is_regular_file(path)) return false;
    std::array<char, 4> magic{};
    const io::UniqueFd fd = io::open_file(path, O_RDONLY);
    io::read_full(fd.get(), std::as_writable_bytes(std::span(magic)), path);
    const std::string_view word(magic.data(), magic.size());
    return word == "PAR1" || word == "PARE";
}

ParquetInput::ParquetInput(const std::string& path, const ParquetOptions& options, uint64_t begin,
                           uint64_t end)
    : state_(std::make_unique<State>(path, options, begin, end)) {}

ParquetInput::ParquetInput(const std::string& path, const ParquetOptions& options)
    : ParquetInput(path, options, 0, std::numeric_limits<uint64_t>::max()) {}

ParquetInput::~ParquetInput() = default;

size_t ParquetInput::read(std::span<std::byte> buffer) {
    size_t given = 0;
    while (given < buffer.size()) {
        if (state_->piece.rest().empty() && !state_->fill()) break;
        const std::string_view rest = state_->piece.rest().substr(0, buffer.size() - given);
        std::memcpy(buffer.data() + given, rest.data(), rest.size());
        state_->piece.give(rest.size());
        given += rest.size();
    }
    return given;
}

const std::string& ParquetInput::name() const {
    return state_->name;
}
uint64_t ParquetInput::stored_bytes() const {
    return state_->file.hashed_bytes();
}
Hash128 ParquetInput::stored_hash() const {
    return state_->file.hash();
}
uint64_t ParquetInput::first_byte() const {
    return state_->first;
}
const std::string& ParquetInput::left_out() const {
    return state_->left_out;
}

}  // namespace longhaul::corpus

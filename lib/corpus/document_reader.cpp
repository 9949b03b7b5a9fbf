// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/document_reader.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <span>
#include <utility>

#include "lib/base/error.h"

namespace longhaul::corpus {

namespace {

std::string bad_detail(const ScanResult& result, std::string_view line) {
    if (result.reason == Reason::kInvalidUtf8 && result.byte < line.size()) {
        return format("byte 0x{:02x}", static_cast<unsigned char>(line[result.byte]));
    }
    return result.detail;
}

[[noreturn]] void refuse_stream(const std::string& name) {
    throw DataError(
        format("{}: Parquet can not be read from a pipe, because its directory is at its end; "
               "save it to a file and name that",
               name));
}

/// A pipe: says so when Parquet comes through it.
class PipeInput final : public io::InputStream {
 public:
    explicit PipeInput(std::unique_ptr<io::InputStream> input) : input_(std::move(input)) {}
    size_t read(std::span<std::byte> buffer) override {
        const size_t size = input_->read(buffer);
        const std::string_view text(reinterpret_cast<const char*>(buffer.data()), size);
        if (is_at_begin_ && (text.starts_with("PAR1") || text.starts_with("PARE"))) {
            refuse_stream(name());
        }
        is_at_begin_ = false;
        return size;
    }
    const std::string& name() const override { return input_->name(); }
    uint64_t stored_bytes() const override { return input_->stored_bytes(); }
    Hash128 stored_hash() const override { return input_->stored_hash(); }

 private:
    std::unique_ptr<io::InputStream> input_;
    bool is_at_begin_ = true;
};

bool is_stream(const std::string& path) {
    return path == "-" ||
           (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path));
}

}  // namespace

Layout parse_layout(const std::string& word, const std::string& path) {
    if (word == "jsonl" || word == "parquet") return Layout::kJsonLines;
    if (word == "lines") return Layout::kTextLines;
    if (word == "file") return Layout::kTextFile;
    if (word != "auto") {
        throw UsageError(
            format("--input-format: \"{}\" is not auto, jsonl, lines, file or parquet", word));
    }
    std::filesystem::path name(path);
    if (name.extension() == ".gz" || name.extension() == ".zst") name.replace_extension();
    return name.extension() == ".txt" ? Layout::kTextFile : Layout::kJsonLines;
}

bool is_parquet(const ReaderOptions& options, const std::string& path) {
    if (options.layout != "auto") return options.layout == "parquet";
    if (is_stream(path)) return false;
    if (std::filesystem::path(path).extension() == ".parquet") return true;
    return parse_layout("auto", path) == Layout::kJsonLines && has_parquet_magic(path);
}

std::unique_ptr<ParquetInput> open_parquet_part(const std::string& path,
                                                const ReaderOptions& options, uint64_t begin,
                                                uint64_t end) {
    if (is_stream(path)) refuse_stream(path == "-" ? "standard input" : path);
    return std::make_unique<ParquetInput>(
        path, ParquetOptions{options.text_field, options.has_other_columns, options.max_page_bytes},
        begin, end);
}

std::unique_ptr<io::InputStream> open_documents(const std::string& path,
                                                const ReaderOptions& options) {
    if (is_parquet(options, path)) {
        return open_parquet_part(path, options, 0, std::numeric_limits<uint64_t>::max());
    }
    std::unique_ptr<io::InputStream> input = io::open_input(path, options.ahead);
    const bool may_be_parquet = options.layout == "auto" && is_stream(path);
    return may_be_parquet ? std::make_unique<PipeInput>(std::move(input)) : std::move(input);
}

BadRecord make_bad_record(const std::string& file, const ScanResult& result, std::string_view line,
                          const RecordPlace& place) {
    return {file, place.row + 1, place.offset + result.byte, result.reason,
            bad_detail(result, line)};
}

DocumentReader::DocumentReader(const std::string& path, const ReaderOptions& options)
    : DocumentReader(open_documents(path, options), options) {}

DocumentReader::DocumentReader(std::unique_ptr<io::InputStream> input, const ReaderOptions& options)
    : input_(std::move(input)),
      options_(options),
      layout_(parse_layout(options.layout, input_->name())),
      scanner_(layout_, options.text_field, options.text_policy),
      lines_(*input_, options.max_line_bytes) {}

DocumentReader::~DocumentReader() = default;

bool DocumentReader::next(Document& document) {
    ScanResult result;
    while (layout_ == Layout::kTextFile ? next_file(document, result)
                                        : next_record(document, result)) {
        if (result.is_blank) {
            ++num_blank_;
            continue;
        }
        num_lone_surrogates_ += result.num_lone_surrogates;
        if (result.reason == Reason::kNone) {
            document.text = result.text;
            ++num_documents_;
            return true;
        }
        const BadRecord bad =
            make_bad_record(input_->name(), result, document.raw, {document.row, document.offset});
        if (options_.policy.fail_at_first) throw DataError(bad.describe());
        bad_.add(bad);
    }
    return false;
}

/// The next line, good or not. @return false at the end.
bool DocumentReader::next_record(Document& document, ScanResult& result) {
    io::Line line;
    if (!lines_.next(line)) return false;
    std::string_view text = line.text;
    static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    const bool has_mark = line.number == 1 && text.starts_with(kByteOrderMark);
    document.raw = text;
    document.row = line.number - 1;
    document.offset = line.offset;
    if (has_mark) text.remove_prefix(kByteOrderMark.size());
    if (line.is_too_long) {
        result = ScanResult{};
        result.reason = Reason::kTooLong;
        result.detail = "see --max-line";
        return true;
    }
    result = scanner_.scan(text);
    if (has_mark) result.byte += kByteOrderMark.size();
    return true;
}

/// The whole input as one document. @return false at the second call.
bool DocumentReader::next_file(Document& document, ScanResult& result) {
    if (is_done_) return false;
    is_done_ = true;
    static constexpr size_t kChunk = 1 << 18;
    size_t size = 0;
    bool is_too_long = false;
    while (true) {
        if (whole_.size() < size + kChunk) whole_.resize(std::max(size + kChunk, 2 * size));
        const auto room = std::as_writable_bytes(std::span(whole_)).subspan(size);
        const size_t n = input_->read(room);
        if (n == 0) break;
        size += n;
        if (size > options_.max_line_bytes) {
            is_too_long = true;
            size = 0;  // the rest streams past, so that the hash is complete
        }
    }
    whole_.resize(size);
    document = Document{};
    document.raw = whole_;
    result = ScanResult{};
    if (is_too_long) {
        result.reason = Reason::kTooLong;
        result.detail = "see --max-line";
    } else {
        result = scanner_.scan(whole_);
    }
    return true;
}

}  // namespace longhaul::corpus

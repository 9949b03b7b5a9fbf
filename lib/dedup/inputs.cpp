// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "lib/base/error.h"
#include "lib/corpus/parquet_input.h"
#include "lib/log/log.h"
#include "lib/record/manifest.h"

namespace longhaul::dedup {

namespace {

namespace fs = std::filesystem;

/// Passes an input through and keeps a copy of its decompressed bytes.
class CopyingStream : public io::InputStream {
 public:
    CopyingStream(std::unique_ptr<io::InputStream> input, SpillFile& copy)
        : input_(std::move(input)), copy_(copy) {}
    size_t read(std::span<std::byte> buffer) override {
        const size_t n = input_->read(buffer);
        copy_.append(buffer.first(n));
        return n;
    }
    const std::string& name() const override { return input_->name(); }
    uint64_t stored_bytes() const override { return input_->stored_bytes(); }
    Hash128 stored_hash() const override { return input_->stored_hash(); }

 private:
    std::unique_ptr<io::InputStream> input_;
    SpillFile& copy_;
};

/// Reads such a copy.
class SpooledStream : public io::InputStream {
 public:
    SpooledStream(const SpillFile& spool, std::string name)
        : spool_(spool), name_(std::move(name)) {}
    size_t read(std::span<std::byte> buffer) override {
        const size_t n = std::min<uint64_t>(buffer.size(), spool_.size() - position_);
        spool_.read(buffer.first(n), position_);
        position_ += n;
        return n;
    }
    const std::string& name() const override { return name_; }
    uint64_t stored_bytes() const override { return position_; }
    Hash128 stored_hash() const override { return {}; }

 private:
    const SpillFile& spool_;
    std::string name_;
    uint64_t position_ = 0;
};

bool has_document_name(const fs::path& path) {
    fs::path name = path.filename();
    if (name.extension() == ".gz" || name.extension() == ".zst") name.replace_extension();
    const std::string extension = name.extension().string();
    return extension == ".jsonl" || extension == ".json" || extension == ".ndjson" ||
           extension == ".txt" || path.extension() == ".parquet";
}

std::vector<std::string> documents_in(const std::string& folder) {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const bool is_manifest = entry.path().filename() == "manifest.json" ||
                                 entry.path().string().ends_with(".manifest.json") ||
                                 entry.path().filename() == "report.json";
        const bool is_hidden = entry.path().filename().string().starts_with('.');
        if (is_manifest || is_hidden || !entry.is_regular_file()) continue;
        if (has_document_name(entry.path())) found.push_back(entry.path().string());
    }
    std::sort(found.begin(), found.end());
    if (found.empty()) {
        throw UsageError(format(
            "{}: no *.jsonl, *.json, *.ndjson, *.txt (.gz, .zst) or *.parquet in this folder",
            folder));
    }
    return found;
}

/// Says once what a Parquet file's lines do not show.
void warn_left_out(const io::InputStream& stream, std::atomic_flag& has_warned) {
    const auto* const parquet = dynamic_cast<const corpus::ParquetInput*>(&stream);
    if (parquet == nullptr || parquet->left_out().empty() || has_warned.test_and_set()) return;
    log::warn("{}: a line of JSON can not show these columns, they are left out: {}", stream.name(),
              parquet->left_out());
}

}  // namespace

Input make_input(std::string path, std::string name, const corpus::ReaderOptions& reader,
                 uint64_t bytes, bool is_stream) {
    const corpus::Layout layout = corpus::parse_layout(reader.layout, path);
    Input input{std::move(path), std::move(name), layout, bytes, is_stream, reader};
    input.reader.has_other_columns = true;  // they are written again
    input.reader.max_page_bytes = uint64_t{512} << 20;
    return input;
}

Inputs::Inputs(const std::vector<std::string>& paths, const corpus::ReaderOptions& reader) {
    std::vector<std::string> files;
    for (const std::string& path : paths) {
        if (path != "-" && fs::is_directory(path)) {
            const std::vector<std::string> inside = documents_in(path);
            files.insert(files.end(), inside.begin(), inside.end());
        } else {
            files.push_back(path);
        }
    }
    std::set<std::string> seen;
    for (const std::string& path : files) {
        record::check_name(path);
        if (!seen.insert(path).second) throw UsageError(format("{} is given twice", path));
        const bool is_stream = path == "-" || !fs::is_regular_file(path);
        if (path != "-" && !fs::exists(path)) throw IoError("cannot open " + path, ENOENT);
        inputs_.push_back(make_input(path, path == "-" ? "standard input" : path, reader,
                                     is_stream ? 0 : io::file_size(path), is_stream));
    }
    for (size_t i = 0; i < inputs_.size(); ++i) spools_.push_back(std::make_shared<Spool>());
}

Inputs::Inputs(std::vector<Input> inputs) : inputs_(std::move(inputs)) {
    for (size_t i = 0; i < inputs_.size(); ++i) spools_.push_back(std::make_shared<Spool>());
}

Inputs Inputs::slice(size_t begin, size_t end) const {
    Inputs result(std::vector<Input>(inputs_.begin() + static_cast<ptrdiff_t>(begin),
                                     inputs_.begin() + static_cast<ptrdiff_t>(end)));
    result.has_warned_ = has_warned_;
    result.spools_.assign(spools_.begin() + static_cast<ptrdiff_t>(begin),
                          spools_.begin() + static_cast<ptrdiff_t>(end));
    return result;
}

void Inputs::append(const Inputs& other) {
    inputs_.insert(inputs_.end(), other.inputs_.begin(), other.inputs_.end());
    spools_.insert(spools_.end(), other.spools_.begin(), other.spools_.end());
}

uint64_t Inputs::total_bytes() const {
    uint64_t total = 0;
    for (const Input& input : inputs_) total += input.bytes;
    return total;
}

std::unique_ptr<io::InputStream> Inputs::open_first(size_t index, SpillArea& area) {
    std::unique_ptr<io::InputStream> stream =
        corpus::open_documents(inputs_[index].path, inputs_[index].reader);
    warn_left_out(*stream, *has_warned_);
    if (!inputs_[index].is_stream) return stream;
    spools_[index]->file = std::make_unique<SpillFile>(area);
    return std::make_unique<CopyingStream>(std::move(stream), *spools_[index]->file);
}

std::unique_ptr<io::InputStream> Inputs::open_again(size_t index) const {
    if (!inputs_[index].is_stream) {
        return corpus::open_documents(inputs_[index].path, inputs_[index].reader);
    }
    return std::make_unique<SpooledStream>(*spools_[index]->file, inputs_[index].name);
}

}  // namespace longhaul::dedup

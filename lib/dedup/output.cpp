// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/output.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"

namespace longhaul::dedup {

namespace {

namespace fs = std::filesystem;

bool is_document_name(const fs::path& path) {
    const fs::path name = path.filename();
    return name.has_extension() && name.extension() != "." && !path.string().ends_with('/');
}

/// With several inputs, most likely a slip.
bool is_json_lines_name(const std::string& path) {
    return path.ends_with(".jsonl") || path.ends_with(".jsonl.zst") || path.ends_with(".jsonl.gz");
}

/// Folders of a path, absolute and without "..".
std::vector<fs::path> folders_of(const std::string& path) {
    const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
    return {folder.begin(), folder.end()};
}

size_t common_prefix(const std::vector<fs::path>& a, const std::vector<fs::path>& b) {
    return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                               a.begin());
}

void refuse_input_as_output(const fs::path& output, const Inputs& inputs) {
    if (!fs::exists(output)) return;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].is_stream || !fs::equivalent(output, inputs[i].path)) continue;
        throw UsageError(format("{} is both an input and an output", output.string()));
    }
}

/// Parquet files are written as JSON lines, in a compression of their own.
bool becomes_lines(const Input& input) {
    const std::string& word = input.reader.layout;
    return (word == "auto" || word == "parquet") && fs::path(input.path).extension() == ".parquet";
}

}  // namespace

Target resolve_target(const std::string& output, const Inputs& inputs, bool has_removal_list) {
    if (output.empty()) {
        if (has_removal_list) return Target::kNone;
        if (inputs.size() == 1) return Target::kStdout;
        throw UsageError(
            format("{} inputs need -o OUT, -o - or --removal-list FILE", inputs.size()));
    }
    if (output == "-") return Target::kStdout;
    if (fs::exists(output) && !fs::is_regular_file(output) && !fs::is_directory(output)) {
        throw UsageError(format("{} is neither a file nor a folder; -o - is stdout", output));
    }
    if (fs::path(output).extension() == ".parquet") {
        throw UsageError(
            format("{}: Parquet is read, not written; name the output *.jsonl.zst", output));
    }
    const bool is_file = inputs.size() == 1 && !fs::is_directory(output) &&
                         (is_document_name(output) || fs::exists(output));
    if (is_file) {
        refuse_input_as_output(output, inputs);
        return Target::kFile;
    }
    if (fs::exists(output) && !fs::is_directory(output)) {
        throw UsageError(
            format("{} inputs need a folder, but {} is a file", inputs.size(), output));
    }
    if (!fs::exists(output) && is_json_lines_name(output)) {
        throw UsageError(
            format("{} inputs need a folder, but {} is the name of a file; {}/ is a "
                   "folder, and -o - makes one stream",
                   inputs.size(), output, output));
    }
    for (const std::string& name : mirrored_names(inputs)) {
        refuse_input_as_output(fs::path(output) / name, inputs);
    }
    return Target::kFolder;
}

std::vector<std::string> mirrored_names(const Inputs& inputs) {
    std::vector<fs::path> shared;
    bool is_first = true;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].is_stream) continue;
        const std::vector<fs::path> folders = folders_of(inputs[i].path);
        if (is_first) shared = folders;
        shared.resize(common_prefix(shared, folders));
        is_first = false;
    }
    std::vector<std::string> names;
    std::set<std::string> seen;
    for (size_t i = 0; i < inputs.size(); ++i) {
        fs::path name;
        if (inputs[i].is_stream) {
            const std::string stem = fs::path(inputs[i].path).filename().string();
            name = inputs[i].path == "-" ? "stdin.jsonl" : stem + ".jsonl";
        } else {
            const fs::path path = fs::absolute(inputs[i].path).lexically_normal();
            auto part = path.begin();
            std::advance(part, shared.size());
            for (; part != path.end(); ++part) name /= *part;
            if (becomes_lines(inputs[i])) name.replace_extension(".jsonl.zst");
        }
        if (!seen.insert(name.string()).second) {
            throw UsageError(format("two inputs would both be written to {}", name.string()));
        }
        names.push_back(name.string());
    }
    return names;
}

OutputWriter::OutputWriter(Target target, std::string output, const Inputs& inputs, int threads)
    : target_(target), output_(std::move(output)) {
    if (threads > 1) tasks_ = std::make_unique<io::TaskQueue>(static_cast<size_t>(threads));
    if (target_ == Target::kStdout) stream_ = io::open_output("-");
    if (target_ == Target::kFile) io::remove_stale_temporaries(output_ + ".manifest.json");
    if (target_ != Target::kFolder) return;
    names_ = mirrored_names(inputs);
    io::remove_stale_temporaries(fs::path(output_) / "manifest.json");
}

void OutputWriter::open(size_t input) {
    entry_ = {};
    if (target_ == Target::kFile) {
        entry_.path = fs::path(output_).filename().string();
        io::remove_stale_temporaries(output_);
        stream_ = io::open_output(output_, tasks_.get());
        return;
    }
    entry_.path = names_[input];
    const fs::path path = fs::path(output_) / names_[input];
    io::create_directories(path.parent_path());
    io::remove_stale_temporaries(path);
    stream_ = io::open_output(path.string(), tasks_.get());
}

void OutputWriter::close() {
    stream_->close();
    entry_.bytes = stream_->stored_bytes();
    entry_.xxh3_128 = stream_->stored_hash();
    stream_.reset();
    entries_.push_back(entry_);
}

void OutputWriter::write(size_t input, std::string_view lines, uint64_t num_documents,
                         size_t mark_bytes) {
    if (target_ == Target::kNone) return;
    if (target_ == Target::kStdout) {
        join(input, lines, mark_bytes);
        return;
    }
    if (!stream_) open(input);
    stream_->write(lines);
    entry_.records += num_documents;
}

/// The inputs become one stream: a last line without its newline gets one when more lines follow,
/// and a byte order mark stays only at the begin of the stream.
void OutputWriter::join(size_t input, std::string_view lines, size_t mark_bytes) {
    if (has_written_) lines.remove_prefix(mark_bytes);
    if (lines.empty()) return;
    if (has_written_ && input != last_input_ && last_byte_ != '\n') {
        stream_->write(std::string_view("\n"));
    }
    stream_->write(lines);
    last_input_ = input;
    has_written_ = true;
    last_byte_ = lines.back();
}

void OutputWriter::end_input(size_t input) {
    if (target_ != Target::kFolder) return;
    if (!stream_) open(input);
    close();
}

std::vector<record::FileEntry> OutputWriter::finish() {
    if (target_ == Target::kStdout) {
        stream_->close();
        return {};
    }
    if (target_ == Target::kFile) {
        if (!stream_) open(0);
        close();
    }
    return entries_;
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The inputs of a run: files that are read twice, and streams (stdin, pipes) that are spooled to
// the temporary folder during the first reading.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/corpus/document_reader.h"
#include "lib/dedup/spill.h"
#include "lib/io/stream.h"

namespace longhaul::dedup {

struct Input {
    std::string path;  // as given, "-" for stdin; inside a given folder: folder/file
    std::string name;  // for messages: "standard input" for "-"
    corpus::Layout layout = corpus::Layout::kJsonLines;
    uint64_t bytes = 0;      // on disk; 0 for a stream
    bool is_stream = false;  // can be read only once
    corpus::ReaderOptions reader;
};
/// @param path,name as in Input. @param bytes on disk
Input make_input(std::string path, std::string name, const corpus::ReaderOptions& reader,
                 uint64_t bytes, bool is_stream);

class Inputs {
 public:
    /// Expands folders (all documents in them, in the order of their names).
    /// @throws IoError for a missing file, UsageError for an empty folder or stdin given twice
    Inputs(const std::vector<std::string>& paths, const corpus::ReaderOptions& reader);
    /// Inputs that are known already; the files are not looked at.
    explicit Inputs(std::vector<Input> inputs);
    /// Those from `begin` on below `end`. A stream read through one of both is read through both.
    Inputs slice(size_t begin, size_t end) const;
    /// Adds those of `other`; what was said of streams holds.
    void append(const Inputs& other);

    size_t size() const { return inputs_.size(); }
    const Input& operator[](size_t index) const { return inputs_[index]; }
    uint64_t total_bytes() const;

    /// First reading; a stream is copied to a file in `area` as it passes.
    std::unique_ptr<io::InputStream> open_first(size_t index, SpillArea& area);
    /// Later readings.
    std::unique_ptr<io::InputStream> open_again(size_t index) const;

 private:
    std::vector<Input> inputs_;
    /// Of streams: filled by the first reading.
    struct Spool {
        std::unique_ptr<SpillFile> file;
    };
    std::vector<std::shared_ptr<Spool>> spools_;
    std::shared_ptr<std::atomic_flag> has_warned_ = std::make_shared<std::atomic_flag>();
};

}  // namespace longhaul::dedup

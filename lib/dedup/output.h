// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where kept documents go: stdout, one file, or a folder that mirrors the inputs.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dedup/inputs.h"
#include "lib/io/stream.h"
#include "lib/io/task_queue.h"
#include "lib/record/manifest.h"

namespace longhaul::dedup {

enum class Target { kNone, kStdout, kFile, kFolder };

/// Decides by the words of the command line (dedup-minhash.1, "OUTPUT").
/// @throws UsageError when several inputs have no output, or an output is an input
Target resolve_target(const std::string& output, const Inputs& inputs, bool has_removal_list);

/// Path of each input's output inside the folder: its path without the folders that all inputs
/// share. @throws UsageError when two are equal
std::vector<std::string> mirrored_names(const Inputs& inputs);

/// Writes input after input; each file becomes visible when it is complete.
class OutputWriter {
 public:
    /// @param threads that will look into tasks() while documents are written
    OutputWriter(Target target, std::string output, const Inputs& inputs, int threads = 1);

    /// Compressing that other threads may do; null when there are none.
    io::TaskQueue* tasks() { return tasks_.get(); }

    /// @param input not below that of the last call. @param mark_bytes of a byte order mark at the
    ///        begin of `lines`
    void write(size_t input, std::string_view lines, uint64_t num_documents, size_t mark_bytes = 0);
    /// Ends an input's output, also an empty one.
    void end_input(size_t input);
    /// Ends the output; @return what was written, for the manifest. Nothing for a stream.
    std::vector<record::FileEntry> finish();

 private:
    void open(size_t input);
    void close();
    void join(size_t input, std::string_view lines, size_t mark_bytes);

    Target target_;
    std::string output_;
    std::unique_ptr<io::TaskQueue> tasks_;
    std::vector<std::string> names_;  // of the folder's files
    std::unique_ptr<io::OutputStream> stream_;
    // Of a stream so far:
    bool has_written_ = false;
    size_t last_input_ = 0;
    char last_byte_ = '\0';
    record::FileEntry entry_;
    std::vector<record::FileEntry> entries_;
};

}  // namespace longhaul::dedup

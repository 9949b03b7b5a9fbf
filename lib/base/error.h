// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Errors with context. A function that cannot do its work throws an Error that names the cause;
// each layer above adds once what it was doing, with with_context(). Only run_main() catches.

#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/exit_code.h"
#include "lib/base/format.h"

namespace longhaul {

/// Base of all errors: a cause, the contexts it passed through, and the exit code it deserves.
class Error : public std::runtime_error {
 public:
    explicit Error(const std::string& cause, ExitCode code = ExitCode::kFailed)
        : std::runtime_error(cause), code_(code) {}

    ExitCode exit_code() const { return code_; }
    const std::vector<std::string>& contexts() const { return contexts_; }

    /// Adds what the calling layer was doing; the outermost layer adds last.
    void add_context(std::string context) { contexts_.push_back(std::move(context)); }

    /// "outermost context: ...: cause", the text after "tool: error: ".
    std::string describe() const;

 private:
    ExitCode code_;
    std::vector<std::string> contexts_;
};

/// Wrong command line or configuration: exit code 2.
class UsageError : public Error {
 public:
    explicit UsageError(const std::string& cause) : Error(cause, ExitCode::kUsage) {}
};

/// Bad content of an input: names the place as file:line:byte where they are known.
class DataError : public Error {
 public:
    explicit DataError(const std::string& cause) : Error(cause) {}
    /// @param offset byte offset in `file` where the fault was found.
    DataError(const std::string& file, uint64_t offset, const std::string& cause)
        : Error(format("{}: byte {}: {}", file, offset, cause)) {}
};

/// A failed system call; keeps errno for those who handle ENOSPC, EDQUOT or EPIPE.
class IoError : public Error {
 public:
    /// @param what "cannot open FILE": the text of `error_number` is appended.
    explicit IoError(const std::string& what, int error_number = errno);
    int error_number() const { return error_number_; }

 private:
    int error_number_;
};

/// CUDA or a GPU library failed, or a GPU was asked for and none is there.
class GpuError : public Error {
 public:
    using Error::Error;
};

/// MPI, NCCL or the thread communicator failed, or another rank did.
class CommError : public Error {
 public:
    using Error::Error;
};

/// A storage container (HDF5, safetensors, checkpoint) is damaged or was refused.
class StoreError : public Error {
 public:
    using Error::Error;
};

/// Slurm could not be asked, or said no.
class ClusterError : public Error {
 public:
    using Error::Error;
};

/// Runs `body`; an Error that leaves it carries `context` as one more "while doing" line.
template <class Body, class... Args>
auto with_context(Body&& body, fmt::format_string<Args...> context, Args&&... args)
    -> decltype(body()) {
    try {
        return body();
    } catch (Error& error) {
        error.add_context(fmt::format(context, std::forward<Args>(args)...));
        throw;
    }
}

}  // namespace longhaul

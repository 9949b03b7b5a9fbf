// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cli/output.h"

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "lib/base/error.h"

namespace longhaul::cli {

namespace {

[[noreturn]] void output_failed() {
    const int error = errno;
    if (error == EPIPE) {
        // The reader left: die as if SIGPIPE had its default action, quietly.
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    throw IoError("cannot write standard output", error);
}

}  // namespace

void print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_failed();
}

void flush_output() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) output_failed();
}

}  // namespace longhaul::cli

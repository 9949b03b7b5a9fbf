// SPDX-License-Identifier: BSD-3-Clause
// Parquet files: any bytes give lines or an Error, and a bounded page.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "lib/base/error.h"
#include "lib/corpus/parquet_input.h"
#include "lib/io/file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;
    const io::UniqueFd fd(::memfd_create("parquet-fuzz", MFD_CLOEXEC));
    if (!fd) std::abort();
    const std::string path = "/proc/self/fd/" + std::to_string(fd.get());
    try {
        io::write_full(fd.get(), std::as_bytes(std::span(data, size)), path);
        corpus::ParquetOptions options;
        options.has_other_columns = true;
        options.max_page_bytes = 1 << 20;
        corpus::ParquetInput input(path, options);
        std::vector<std::byte> block(1 << 16);
        // A file of a few bytes can say that it has 2^60 equal rows: they are read for a while.
        size_t last = 0;
        for (int blocks = 0; blocks < 64; ++blocks) {
            const size_t n = input.read(block);
            if (n == 0) break;
            last = n;
        }
        if (last > block.size()) std::abort();
    } catch (const Error&) {
    }
    return 0;
}

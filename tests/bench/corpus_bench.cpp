// SPDX-License-Identifier: BSD-3-Clause
// Speed of reading documents, on one core: corpus_bench FILE...  (JSON lines in any compression,
// Parquet). Prints MB/s of text by CPU time (best of three rounds): the stream alone (decompressed;
// for Parquet: rows as lines of JSON), and with each record scanned and its text decoded.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "lib/corpus/document_reader.h"

using namespace longhaul;

namespace {

double cpu_s() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void read_stream(const char* path) {
    const auto input = corpus::open_documents(path, {});
    std::vector<std::byte> block(512 << 10);
    while (input->read(block) > 0) {
    }
}

uint64_t read_documents(const char* path) {
    corpus::DocumentReader reader(path, {});
    corpus::Document document;
    uint64_t bytes = 0;
    while (reader.next(document)) bytes += document.text.size();
    return bytes;
}

template <class Body>
double best_of_three(const Body& body) {
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
        const double start = cpu_s();
        body();
        best = std::min(best, cpu_s() - start);
    }
    return best;
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const double text_mb = static_cast<double>(read_documents(argv[i])) / 1e6;
        const double stream_s = best_of_three([&] { read_stream(argv[i]); });
        const double documents_s = best_of_three([&] { read_documents(argv[i]); });
        std::printf("%-40s %7.1f MB of text: stream %6.0f MB/s, documents %6.0f MB/s\n", argv[i],
                    text_mb, text_mb / stream_s, text_mb / documents_s);
    }
    return argc > 1 ? 0 : 2;
}

// SPDX-License-Identifier: BSD-3-Clause
// Encoding speed of one thread, text resident: token_bench TOKENIZER PATTERN FILE...
// PATTERN is "-" for a tokenizer.json. A FILE "worst" stands for texts made up to be slow: runs of
// one character and random ones. MB (10^6) for a second of CPU time: the first pass of a new
// encoder, whose cache is empty; its second half alone, new text for an encoder that has seen some;
// and the median and spread of the passes that follow.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <random>

#include "lib/base/error.h"
#include "lib/base/format.h"
#include "lib/cli/output.h"
#include "lib/cli/run_main.h"
#include "lib/io/file.h"
#include "lib/text/unicode.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"

namespace {

using namespace longhaul;

constexpr double kSeconds = 2;  // of CPU for a file, about

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Documents of about 4 KB: lines joined, as in a corpus of web pages.
std::vector<std::string_view> cut_documents(std::string_view text) {
    std::vector<std::string_view> documents;
    while (!text.empty()) {
        const size_t newline = text.find('\n', std::min<size_t>(4096, text.size() - 1));
        const size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
        documents.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return documents;
}

void measure(const token::Tokenizer& tokenizer, const std::string& name,
             const std::vector<std::string_view>& documents, double seconds = kSeconds) {
    token::Encoder encoder(tokenizer, {});
    std::vector<double> rates;
    size_t num_bytes = 0, num_tokens = 0, half_bytes = 0;
    double half_seconds = 0;
    for (const std::string_view document : documents) num_bytes += document.size();
    std::vector<uint32_t> ids;
    const double begin = cpu_seconds();
    do {
        const double pass = cpu_seconds();
        num_tokens = 0;
        size_t passed = 0;
        double half = pass;
        for (const std::string_view document : documents) {
            if (rates.empty() && half_bytes == 0 && passed >= num_bytes / 2) {
                half = cpu_seconds();
                half_bytes = num_bytes - passed;
            }
            passed += document.size();
            ids.clear();
            encoder.encode(document, ids);
            num_tokens += ids.size();
        }
        if (rates.empty()) half_seconds = cpu_seconds() - half;
        rates.push_back(static_cast<double>(num_bytes) / (cpu_seconds() - pass) / 1e6);
    } while (rates.size() < 2 || cpu_seconds() - begin < seconds);
    const double first = rates.front();
    std::sort(rates.begin() + 1, rates.end());
    cli::print_line(
        "{}: {:.1f} MB/s ({:.1f}-{:.1f}, {} passes), first {:.1f}, second half of it {:.1f}, "
        "{} tokens, {:.2f} bytes/token",
        name, rates[1 + (rates.size() - 1) / 2], rates[1], rates.back(), rates.size() - 1, first,
        static_cast<double>(half_bytes) / half_seconds / 1e6, num_tokens,
        static_cast<double>(num_bytes) / static_cast<double>(num_tokens));
}

std::string repeat(const std::string& part, size_t size) {
    std::string text;
    while (text.size() < size) text += part;
    return text;
}

void measure_worst(const token::Tokenizer& tokenizer) {
    constexpr size_t kMillion = 1'000'000;
    const std::pair<const char*, const char*> runs[] = {
        {"a", "a"},          {" ", "space"},
        {"\n", "line feed"}, {"!", "!"},
        {"7", "7"},          {"\xE4\xB8\xAD", "U+4E2D"},
        {"ab", "ab"},        {"\xCC\x81", "U+0301"}};
    for (const auto& [part, part_name] : runs) {
        for (const size_t size : {kMillion, 10 * kMillion, 100 * kMillion}) {
            const std::string text = repeat(part, size);
            measure(tokenizer, format("{} MB of {}", size / kMillion, part_name), {text}, 0);
        }
    }
    std::mt19937 random(1);
    std::string bytes, letters, han;
    while (bytes.size() < 20 * kMillion) text::append_utf8(random() % 256, bytes);
    while (letters.size() < 20 * kMillion) letters += static_cast<char>('a' + random() % 26);
    while (han.size() < 20 * kMillion) text::append_utf8(0x4E00 + random() % 0x5000, han);
    measure(tokenizer, "20 MB of random U+0000 to U+00FF", {bytes}, 0);
    measure(tokenizer, "20 MB of random letters without a space", {letters}, 0);
    measure(tokenizer, "20 MB of random Han without a space", {han}, 0);
}

ExitCode run(const cli::Args& args) {
    if (args.size() < 3) throw UsageError("token_bench TOKENIZER PATTERN FILE...");
    const token::Tokenizer tokenizer =
        token::load_tokenizer({args[0], args[1] == "-" ? "" : args[1], {}});
    const double begin = cpu_seconds();
    const token::Encoder prepares(tokenizer, {});
    cli::print_line("prepared in {:.1f} ms", (cpu_seconds() - begin) * 1e3);
    for (size_t i = 2; i < args.size(); ++i) {
        if (args[i] == "worst") {
            measure_worst(tokenizer);
            continue;
        }
        uint64_t replaced = 0;
        const std::string text = text::replace_invalid_utf8(io::read_text_file(args[i]), replaced);
        measure(tokenizer, args[i].substr(args[i].rfind('/') + 1), cut_documents(text));
    }
    return ExitCode::kOk;
}

}  // namespace

int main(int argc, char** argv) {
    return longhaul::cli::run_main("token_bench", argc, argv, run);
}

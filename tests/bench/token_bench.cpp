// SPDX-License-Identifier: BSD-3-Clause
// Encoding speed of one thread, text resident: token_bench TOKENIZER PATTERN FILE [SECONDS]
// PATTERN is "-" for a tokenizer.json. Prints the median and the spread of the passes in MB/s
// (10^6).
#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "lib/base/error.h"
#include "lib/cli/output.h"
#include "lib/cli/run_main.h"
#include "lib/io/file.h"
#include "lib/text/unicode.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"

namespace {

using namespace longhaul;
using Clock = std::chrono::steady_clock;

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

ExitCode run(const cli::Args& args) {
    if (args.size() < 3) throw UsageError("token_bench TOKENIZER PATTERN FILE [SECONDS]");
    const token::Tokenizer tokenizer =
        token::load_tokenizer({args[0], args[1] == "-" ? "" : args[1], {}});
    uint64_t replaced = 0;
    const std::string text = text::replace_invalid_utf8(io::read_text_file(args[2]), replaced);
    const auto documents = cut_documents(text);
    const double seconds = args.size() > 3 ? std::atof(args[3].c_str()) : 5;
    token::Encoder encoder(tokenizer, {});
    std::vector<double> rates;
    size_t num_tokens = 0;
    const auto begin = Clock::now();
    do {
        const auto pass = Clock::now();
        num_tokens = 0;
        std::vector<uint32_t> ids;
        for (const std::string_view document : documents) {
            ids.clear();
            encoder.encode(document, ids);
            num_tokens += ids.size();
        }
        const std::chrono::duration<double> elapsed = Clock::now() - pass;
        rates.push_back(static_cast<double>(text.size()) / elapsed.count() / 1e6);
    } while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds);
    const double first = rates.front();
    std::sort(rates.begin(), rates.end());
    cli::print_line(
        "{:.1f} MB/s median ({:.1f}-{:.1f}, {} passes; first, cold {:.1f}), {} tokens, "
        "{} documents",
        rates[rates.size() / 2], rates.front(), rates.back(), rates.size(), first, num_tokens,
        documents.size());
    return ExitCode::kOk;
}

}  // namespace

int main(int argc, char** argv) {
    return longhaul::cli::run_main("token_bench", argc, argv, run);
}

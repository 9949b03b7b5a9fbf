// SPDX-License-Identifier: BSD-3-Clause
// Ids of documents for scripts that compare them with other programs' (peers/token_parity.py):
//     token_ids TOKENIZER PATTERN plain|parse fast|general [SPECIAL=ID...]
// PATTERN is "-" where the files say it. Reads batches from standard input, each: u32 number of
// documents, their u32 lengths in bytes, their text; writes for each u32 number of documents, their
// u32 numbers of ids, the ids as u32. All numbers are those of the machine.
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/cli/run_main.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"

namespace {

using namespace longhaul;

/// @return false at the end of the input, which is only right before the first byte.
bool read_exactly(void* out, size_t size) {
    size_t done = 0;
    while (done < size) {
        const ssize_t got = ::read(STDIN_FILENO, static_cast<char*>(out) + done, size - done);
        if (got < 0) throw IoError("read standard input");
        if (got == 0 && done == 0) return false;
        if (got == 0) throw DataError("standard input ends inside a batch");
        done += static_cast<size_t>(got);
    }
    return true;
}

void write_all(const std::vector<uint32_t>& numbers) {
    const char* at = reinterpret_cast<const char*>(numbers.data());
    size_t left = numbers.size() * sizeof(uint32_t);
    while (left > 0) {
        const ssize_t put = ::write(STDOUT_FILENO, at, left);
        if (put < 0) throw IoError("write standard output");
        at += put;
        left -= static_cast<size_t>(put);
    }
}

/// @return false when there are no more batches.
bool encode_batch(token::Encoder& encoder, std::string& text) {
    uint32_t count = 0;
    if (!read_exactly(&count, sizeof count)) return false;
    std::vector<uint32_t> sizes(count);
    read_exactly(sizes.data(), sizes.size() * sizeof(uint32_t));
    std::vector<uint32_t> counts{count}, ids;
    for (const uint32_t size : sizes) {
        text.resize(size);
        read_exactly(text.data(), size);
        const size_t before = ids.size();
        encoder.encode(text, ids);
        counts.push_back(static_cast<uint32_t>(ids.size() - before));
    }
    write_all(counts);
    write_all(ids);
    return true;
}

ExitCode run(const cli::Args& args) {
    if (args.size() < 4) throw UsageError("token_ids TOKENIZER PATTERN plain|parse fast|general");
    const token::Tokenizer tokenizer = token::load_tokenizer(
        {args[0], args[1] == "-" ? "" : args[1], {args.begin() + 4, args.end()}});
    const auto policy =
        args[2] == "parse" ? token::SpecialText::kParse : token::SpecialText::kPlain;
    token::Encoder encoder(tokenizer, {policy, 32 << 20, args[3] == "fast"});
    std::string text;
    while (encode_batch(encoder, text)) {
    }
    return ExitCode::kOk;
}

}  // namespace

int main(int argc, char** argv) {
    return longhaul::cli::run_main("token_ids", argc, argv, run);
}

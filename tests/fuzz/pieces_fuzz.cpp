// SPDX-License-Identifier: BSD-3-Clause
// Differential: the scanners must cut any text as their regular expressions do, and the three ways
// to merge must agree. A difference aborts.
#include <cstdio>
#include <cstdlib>

#include "lib/token/bpe.h"
#include "lib/token/pre_tokenizer.h"

namespace {

using namespace longhaul::token;

std::vector<PreTokenizer> make_schemes() {
    std::vector<PreTokenizer> all;
    for (const SchemeInfo& info : known_schemes()) {
        all.emplace_back().add_scheme(info.scheme, SplitBehavior::kIsolated, false);
    }
    return all;
}

Bpe make_bpe() {
    Vocabulary vocabulary;
    MergeTable merges;
    for (unsigned byte = 0; byte < 256; ++byte) {
        vocabulary.add(byte, std::string(1, static_cast<char>(byte)), true);
    }
    const char* const pairs[][2] = {{"a", "b"},  {"a", "a"},   {"b", "c"},   {"ab", "c"},
                                    {"aa", "b"}, {"ab", "ab"}, {" ", "a"},   {"'", "s"},
                                    {" ", " "},  {"  ", " "},  {"aa", "aa"}, {"bc", "abc"}};
    uint32_t rank = 0;
    for (const auto& [left, right] : pairs) {
        const std::string whole = std::string(left) + right;
        if (vocabulary.find(whole) == kNoToken) vocabulary.add(vocabulary.size(), whole, true);
        merges.set(vocabulary.find(left), vocabulary.find(right), {rank++, vocabulary.find(whole)});
    }
    return Bpe(std::move(vocabulary), std::move(merges), {});
}

void check(bool equal, const char* what) {
    if (equal) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const std::vector<PreTokenizer> schemes = make_schemes();
    static const Bpe bpe = make_bpe();
    const std::string_view text(reinterpret_cast<const char*>(data), std::min<size_t>(size, 4096));
    for (const PreTokenizer& scheme : schemes) {
        Pieces fast, general;
        scheme.split(text, fast, true);
        scheme.split(text, general, false);
        check(fast.views == general.views, "a scanner differs from its regular expression");
    }
    std::vector<uint32_t> scan, heap, backtracking;
    bpe.encode_by_scan(text, scan);
    bpe.encode_by_heap(text, heap);
    check(scan == heap, "the heap differs from the scan");
    if (bpe.encode_by_backtracking(text, backtracking)) {
        check(scan == backtracking, "backtracking differs from the scan");
    }
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Differential: the scanners must cut any text as their regular expressions do, the cutter must do
// so with well-formed text, and the three ways to merge, and merging in parts, must agree. A
// difference aborts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "lib/text/unicode.h"
#include "lib/token/bpe.h"
#include "lib/token/cutter.h"

namespace {

using namespace longhaul::token;

/// The ways of one scheme.
struct Ways {
    explicit Ways(Scheme chosen) : scheme(chosen), truth(chosen), cutter(chosen) {}

    std::vector<std::string_view> by_truth(std::string_view text) const {
        std::vector<std::string_view> pieces;
        truth.split(text, pieces);
        return pieces;
    }
    std::vector<std::string_view> by_scanner(std::string_view text) const {
        std::vector<std::string_view> pieces;
        for_each_piece(scheme, text, [&](std::string_view piece) { pieces.push_back(piece); });
        return pieces;
    }
    std::vector<std::string_view> by_cutter(std::string_view text) const {
        static Cutter::Ends ends;
        std::vector<std::string_view> pieces;
        for (size_t begin = 0; begin < text.size();) {
            const size_t count = cutter.cut(text, begin, ends);
            size_t from = begin;
            for (size_t i = 0; i < std::max<size_t>(count, 1); ++i) {
                const size_t end = count == 0 ? next_piece(scheme, text, begin) : begin + ends[i];
                pieces.push_back(text.substr(from, end - from));
                from = end;
            }
            begin = from;
        }
        return pieces;
    }

    Scheme scheme;
    SchemeTruth truth;
    Cutter cutter;
};

std::vector<Ways> make_schemes() {
    std::vector<Ways> all;
    for (const SchemeInfo& info : known_schemes()) all.emplace_back(info.scheme);
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
    static const std::vector<Ways> schemes = make_schemes();
    static const Bpe bpe = make_bpe();
    const std::string_view text(reinterpret_cast<const char*>(data), std::min<size_t>(size, 4096));
    const bool is_valid = longhaul::text::is_valid_utf8(text);
    for (const Ways& scheme : schemes) {
        const auto pieces = scheme.by_scanner(text);
        check(pieces == scheme.by_truth(text), "a scanner differs from its regular expressions");
        const auto cut = scheme.by_cutter(text);
        if (is_valid) {
            check(pieces == cut, "the cutter differs from the scanner");
        } else {
            const size_t size = std::accumulate(
                cut.begin(), cut.end(), size_t{0},
                [](size_t sum, std::string_view piece) { return sum + piece.size(); });
            check(size == text.size(), "the cutter's pieces are not the text");
        }
    }
    std::vector<uint32_t> scan, heap, backtracking;
    bpe.encode_by_scan(text, scan);
    bpe.encode_by_heap(text, heap);
    check(scan == heap, "the heap differs from the scan");
    if (bpe.encode_by_backtracking(text, backtracking)) {
        check(scan == backtracking, "backtracking differs from the scan");
    }
    std::vector<uint32_t> parts;
    for (PartCursor cursor(bpe, text, true); !cursor.is_done();) {
        bpe.encode_part(cursor.next(), parts);
    }
    check(scan == parts, "merging in parts differs from merging the whole");
    return 0;
}

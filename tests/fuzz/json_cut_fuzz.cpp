// SPDX-License-Identifier: BSD-3-Clause
// Cutting a JSON string in place: what is read from the result is the decoded text without the
// cuts. Input: a byte n, n bytes that choose the cuts, and the stored string.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lib/corpus/document_scanner.h"
#include "lib/corpus/json_cut.h"

using namespace longhaul::corpus;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

std::string line_of(std::string_view stored) {
    return "{\"a\":1,\"text\":\"" + std::string(stored) + "\",\"b\":\"text\"}";
}

/// Steps over as many code points as the choices say, and cuts every second time.
std::vector<TextSpan> choose_cuts(std::string_view choices, std::string_view text) {
    std::vector<TextSpan> cuts;
    uint64_t at = 0;
    for (size_t i = 0; i < choices.size() && at < text.size(); ++i) {
        const uint64_t begin = at;
        const auto steps = static_cast<unsigned char>(choices[i]) % 8u + i % 2;
        for (unsigned step = 0; step < steps && at < text.size(); ++step) {
            ++at;
            while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
        }
        if (i % 2 == 1) cuts.push_back({begin, at});
    }
    return cuts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const size_t num_choices = std::min<size_t>(data[0] % 32u, size - 1);
    const std::string_view choices = bytes.substr(1, num_choices);
    const std::string_view stored = bytes.substr(1 + num_choices);
    DocumentScanner scanner(Layout::kJsonLines);
    const std::string line = line_of(stored);
    const ScanResult result = scanner.scan(line);
    if (result.reason != Reason::kNone || result.stored != stored) return 0;

    const std::string text(result.text);
    const std::vector<TextSpan> cuts = choose_cuts(choices, text);
    std::string expected = text, cut;
    for (auto span = cuts.rbegin(); span != cuts.rend(); ++span) {
        expected.erase(span->begin, span->end - span->begin);
    }
    append_cut_json_string(stored, cuts, cut);
    const std::string new_line = line_of(cut);
    const ScanResult again = scanner.scan(new_line);
    require(again.reason == Reason::kNone);
    require(again.text == expected);
    require(again.stored == cut);
    if (cuts.empty()) require(cut == stored);
    return 0;
}

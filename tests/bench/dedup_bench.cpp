// SPDX-License-Identifier: BSD-3-Clause
// Speed of each step of signing, on one core: dedup_bench [CORPUS.jsonl[.zst] [PRESET...]]
// Without a corpus, or with -, 32 MB of invented prose. Prints MB/s of text by CPU time (median and
// range of five rounds), so that other work on the machine disturbs little.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/philox.h"
#include "lib/corpus/document_reader.h"
#include "lib/dedup/signature/minhash.h"
#include "lib/dedup/signature/shingle.h"
#include "lib/text/normalize.h"

using namespace longhaul;

namespace {

constexpr int kRounds = 5;

struct Corpus {
    std::vector<std::string> lines;
    std::vector<std::string> texts;
    double text_mb = 0;
};

double cpu_s() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void add_document(Corpus& corpus, std::string_view line, std::string_view text) {
    corpus.lines.emplace_back(line);
    corpus.texts.emplace_back(text);
    corpus.text_mb += static_cast<double>(text.size()) / 1e6;
}

/// Sentences of words whose lengths are those of English prose; 4 KB a document.
Corpus invent_corpus(size_t bytes) {
    Corpus corpus;
    uint64_t element = 0;
    const auto draw = [&](uint32_t below) {
        return philox_draw({1, RandomPurpose::kTest, 1, 0}, element++).word[0] % below;
    };
    for (size_t done = 0; done < bytes;) {
        std::string text;
        while (text.size() < 4000) {
            const uint32_t words = 6 + draw(16);
            for (uint32_t i = 0; i < words; ++i) {
                if (i > 0) text += draw(12) == 0 ? ", " : " ";
                const uint32_t length = 1 + draw(5) + draw(5);
                for (uint32_t k = 0; k < length; ++k) {
                    text += static_cast<char>((i == 0 && k == 0 ? 'A' : 'a') + draw(26));
                }
            }
            text += draw(9) == 0 ? ".\n" : ". ";
        }
        std::string escaped;
        for (const char c : text) escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
        add_document(corpus, "{\"text\":\"" + escaped + "\",\"url\":\"https://example.org/\"}",
                     text);
        done += text.size();
    }
    return corpus;
}

Corpus read_corpus(const std::string& path) {
    Corpus corpus;
    corpus::DocumentReader reader(path, {});
    corpus::Document document;
    while (reader.next(document)) add_document(corpus, document.raw, document.text);
    return corpus;
}

void measure(const char* name, const Corpus& corpus, const std::function<void()>& body) {
    std::vector<double> rates;
    for (int round = 0; round < kRounds; ++round) {
        const double start = cpu_s();
        body();
        rates.push_back(corpus.text_mb / (cpu_s() - start));
    }
    std::sort(rates.begin(), rates.end());
    std::printf("%-48s %7.0f MB/s  (%.0f to %.0f)\n", name, rates[kRounds / 2], rates.front(),
                rates.back());
}

uint64_t sink = 0;  // keeps results alive

void measure_preset(const Corpus& corpus, const std::string& preset, const char* hash) {
    dedup::Parameters parameters = dedup::preset_parameters(preset);
    parameters.scheme = dedup::parse_scheme(hash, parameters.recipe);
    dedup::Shingler shingler(parameters);
    const dedup::MinHasher hasher(parameters);
    std::vector<uint64_t> signature(static_cast<size_t>(parameters.num_hashes()));
    std::vector<uint64_t> keys(static_cast<size_t>(parameters.bands));
    const std::string name = preset + ", " + hash;
    measure((name + ": normalise, hash, shingle").c_str(), corpus, [&] {
        for (const std::string& text : corpus.texts) {
            shingler.load(text);
            sink += shingler.shingles().size();
        }
    });
    measure((name + ": all, with signature").c_str(), corpus, [&] {
        for (const std::string& text : corpus.texts) {
            shingler.load(text);
            const auto shingles = shingler.shingles();
            if (shingles.empty()) continue;
            hasher.sign(shingles, signature);
            hasher.band_keys(signature, keys);
            sink += keys[0];
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    const std::string path = argc > 1 ? argv[1] : "-";
    const Corpus corpus = path == "-" ? invent_corpus(32'000'000) : read_corpus(path);
    const std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
    std::printf("%zu documents, %.1f MB of text, SIMD target %s\n", corpus.texts.size(),
                corpus.text_mb, dedup::simd_target());
    corpus::DocumentScanner scanner(corpus::Layout::kJsonLines);
    measure("scan JSON", corpus, [&] {
        for (const std::string& line : corpus.lines) sink += scanner.scan(line).text.size();
    });
    text::TextNormalizer normalizer;
    measure("normalise", corpus, [&] {
        for (const std::string& text : corpus.texts) sink += normalizer.normalize(text).size();
    });
    constexpr std::pair<const char*, const char*> kSchemes[] = {{"fineweb", "native"},
                                                                {"fineweb", "datatrove"},
                                                                {"fineweb", "datatrove-sha1"},
                                                                {"native", "native"},
                                                                {"slimpajama", "slimpajama"},
                                                                {"slimpajama", "native"},
                                                                {"rpv2", "rpv2"},
                                                                {"rpv2", "native"},
                                                                {"text-dedup", "text-dedup"},
                                                                {"text-dedup", "text-dedup-32"},
                                                                {"text-dedup", "text-dedup-16"},
                                                                {"text-dedup", "native"},
                                                                {"bigcode", "bigcode"},
                                                                {"bigcode", "native"},
                                                                {"nemo", "nemo"},
                                                                {"nemo", "native"}};
    for (const auto& [preset, hash] : kSchemes) {
        const bool is_wanted =
            wanted.empty() || std::find(wanted.begin(), wanted.end(), preset) != wanted.end();
        if (is_wanted) measure_preset(corpus, preset, hash);
    }
    return sink == 42 ? 1 : 0;
}

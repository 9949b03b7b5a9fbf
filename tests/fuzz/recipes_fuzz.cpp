// SPDX-License-Identifier: BSD-3-Clause
// Every recipe and scheme must take any bytes as a text: no reading behind buffers, the same result
// twice, and never more shingles than bytes. What differs aborts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "lib/dedup/signature/minhash.h"
#include "lib/dedup/signature/shingle.h"

namespace {

using namespace longhaul::dedup;

struct Maker {
    Shingler shingler;
    MinHasher hasher;
    std::vector<uint64_t> signature;

    explicit Maker(const Parameters& parameters)
        : shingler(parameters),
          hasher(parameters),
          signature(static_cast<size_t>(parameters.num_hashes())) {}
};

/// Small shingles and signatures, so that short inputs have some.
std::vector<std::unique_ptr<Maker>> make_all() {
    std::vector<std::unique_ptr<Maker>> all;
    for (const PresetInfo& preset : presets()) {
        Parameters parameters = preset_parameters(preset.name);
        parameters.ngram = 3;
        parameters.bands = 3;
        parameters.rows = 1;
        all.push_back(std::make_unique<Maker>(parameters));
        parameters.scheme = Scheme::kNative;
        all.push_back(std::make_unique<Maker>(parameters));
    }
    for (const char* name : {"datatrove", "datatrove-sha1"}) {
        Parameters parameters;
        parameters.scheme = parse_scheme(name, parameters.recipe);
        all.push_back(std::make_unique<Maker>(parameters));
    }
    return all;
}

void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "recipes: %s\n", what);
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const std::vector<std::unique_ptr<Maker>> kAll = make_all();
    // A copy of exactly this size: reading behind it is found by the address sanitizer.
    const std::unique_ptr<char[]> copy(new char[size]);
    std::copy_n(data, size, copy.get());
    const std::string_view text(copy.get(), size);
    for (const auto& maker : kAll) {
        maker->shingler.load(text);
        const auto first = maker->shingler.shingles();
        const std::vector<uint64_t> shingles(first.begin(), first.end());
        check(shingles.size() <= 3 * size + 1, "more shingles than bytes");
        const auto hash = maker->shingler.exact_hash();
        maker->shingler.load(text);
        check(maker->shingler.exact_hash() == hash, "another exact hash");
        const auto set = maker->shingler.shingle_set();
        check(std::is_sorted(set.begin(), set.end()), "a set that is not sorted");
        check(std::adjacent_find(set.begin(), set.end()) == set.end(), "a set with repeats");
        check(set.empty() == shingles.empty(), "shingles without a set");
        for (const uint64_t x : shingles) {
            check(std::binary_search(set.begin(), set.end(), x), "a shingle outside the set");
        }
        if (!shingles.empty()) maker->hasher.sign(shingles, maker->signature);
    }
    return 0;
}

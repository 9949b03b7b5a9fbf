// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/shingle.h"

#include "lib/dedup/signature/sort_set.h"

namespace longhaul::dedup {

Shingler::Shingler(const Parameters& parameters) : native_(static_cast<size_t>(parameters.ngram)) {
    if (parameters.recipe != Recipe::kFineweb || parameters.scheme != Scheme::kNative) {
        recipe_ = make_recipe(parameters);
    }
}

void Shingler::load(std::string_view text) {
    normalized_ = recipe_ ? recipe_->load(text) : normalizer_.normalize(text);
    if (normalized_.empty()) {
        exact_hash_ = xxh3_128(text);
        exact_hash_.high = ~exact_hash_.high;  // apart from hashes of normalised texts
    } else {
        exact_hash_ = xxh3_128(normalized_);
    }
}

std::span<uint64_t> Shingler::find_shingles() {
    if (!recipe_) return native_.of(normalized_);
    constexpr size_t kKept = 1 << 20;  // a giant document does not stay allocated for ever
    if (shingles_.capacity() > kKept) std::vector<uint64_t>().swap(shingles_);
    shingles_.clear();
    recipe_->append_shingles(shingles_);
    return shingles_;
}

std::span<const uint64_t> Shingler::shingles() {
    return find_shingles();
}

std::span<const uint64_t> Shingler::shingle_set() {
    return sort_unique(find_shingles());
}

double jaccard(std::span<const uint64_t> a, std::span<const uint64_t> b, double at_least) {
    if (a.empty() || b.empty()) return 0;
    const auto total = static_cast<double>(a.size() + b.size());
    // J >= t needs |A and B| >= t/(1+t) * (|A| + |B|), so at most this many elements stand alone.
    const double max_alone = total - 2 * at_least / (1 + at_least) * total + 1e-6;
    size_t i = 0, j = 0, common = 0;
    while (i < a.size() && j < b.size()) {
        // In blocks, so that the check of the early exit costs nothing.
        for (int step = 0; step < 64 && i < a.size() && j < b.size(); ++step) {
            const uint64_t x = a[i], y = b[j];
            common += x == y ? 1 : 0;
            i += x <= y ? 1 : 0;
            j += y <= x ? 1 : 0;
        }
        if (static_cast<double>(i + j - 2 * common) > max_alone) return 0;
    }
    return static_cast<double>(common) / (total - static_cast<double>(common));
}

}  // namespace longhaul::dedup

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/survey.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "lib/base/hash.h"
#include "lib/corpus/document_reader.h"

namespace longhaul::dedup {

namespace {

uint64_t lot_of(const Decision& decision) {
    const uint64_t ids[2] = {decision.id, decision.match};
    return xxh3_64({reinterpret_cast<const char*>(ids), sizeof ids});
}

std::string cut_at_character(std::string_view text, size_t max_bytes) {
    if (text.size() <= max_bytes) return std::string(text);
    size_t end = max_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return std::string(text.substr(0, end));
}

}  // namespace

void Surveyor::add(const Decision& decision) {
    records_.add({Packed48(decision.match), Packed48(decision.id)});
    if (num_pairs_ == 0) return;
    pairs_.emplace(std::pair(decision.jaccard == 1, lot_of(decision)), decision);
    if (pairs_.size() > num_pairs_) pairs_.erase(std::prev(pairs_.end()));
}

void Surveyor::close_cluster(Survey& survey, const ClusterSample& cluster) const {
    if (cluster.size == 0) return;
    ++survey.sizes[cluster.size];
    const auto place =
        std::find_if(survey.largest.begin(), survey.largest.end(),
                     [&](const ClusterSample& other) { return other.size < cluster.size; });
    if (place == survey.largest.end() && survey.largest.size() == kLargest) return;
    survey.largest.insert(place, cluster);
    if (survey.largest.size() > kLargest) survey.largest.pop_back();
}

Survey Surveyor::finish() {
    Survey survey;
    records_.finish();
    ClusterSample cluster;
    for (ClusterRecord record; records_.next(record);) {
        if (cluster.size == 0 || record.kept.value() != cluster.kept) {
            close_cluster(survey, cluster);
            cluster = {record.kept.value(), 1, {}};
        }
        ++cluster.size;
        if (cluster.members.size() < kMembers) cluster.members.push_back(record.removed.value());
    }
    close_cluster(survey, cluster);
    for (const auto& [ignored, decision] : pairs_) survey.pairs.push_back(decision);
    std::stable_sort(survey.pairs.begin(), survey.pairs.end(),
                     [](const Decision& a, const Decision& b) { return a.jaccard < b.jaccard; });
    return survey;
}

void read_texts(Survey& survey, const Inputs& inputs, const std::vector<Source>& sources,
                const Options& options, size_t max_bytes) {
    std::set<uint64_t> wanted;
    for (const Decision& pair : survey.pairs) wanted.insert({pair.id, pair.match});
    for (const ClusterSample& cluster : survey.largest) {
        wanted.insert(cluster.kept);
        wanted.insert(cluster.members.begin(), cluster.members.end());
    }
    for (auto id = wanted.begin(); id != wanted.end();) {
        const size_t input = place_of(*id, sources).input;
        corpus::ReaderOptions reader_options = options.reader;
        reader_options.policy = corpus::BadRecordPolicy{};
        reader_options.layout = inputs[input].layout == corpus::Layout::kJsonLines   ? "jsonl"
                                : inputs[input].layout == corpus::Layout::kTextLines ? "lines"
                                                                                     : "file";
        corpus::DocumentReader reader(inputs.open_again(input), reader_options);
        corpus::Document document;
        while (id != wanted.end() && place_of(*id, sources).input == input &&
               reader.next(document)) {
            if (sources[input].first_id + document.row != *id) continue;
            survey.texts.emplace(*id, cut_at_character(document.text, max_bytes));
            ++id;
        }
        // A file that shrank meanwhile: leave its remaining texts out.
        while (id != wanted.end() && place_of(*id, sources).input == input) ++id;
    }
}

namespace {

constexpr size_t kColumn = 46;
constexpr size_t kRows = 8;

/// Splits into lines of kColumn characters, white space collapsed; at most kRows.
std::vector<std::string> wrap(std::string_view text) {
    std::vector<std::string> lines{""};
    size_t width = 0;
    bool after_space = true;
    for (size_t i = 0; i < text.size();) {
        size_t length = 1;
        while (i + length < text.size() &&
               (static_cast<unsigned char>(text[i + length]) & 0xC0) == 0x80) {
            ++length;
        }
        const bool is_space = length == 1 && static_cast<unsigned char>(text[i]) <= ' ';
        if (!(is_space && after_space)) {
            if (width == kColumn) {
                if (lines.size() == kRows) return lines;
                lines.emplace_back();
                width = 0;
            }
            lines.back().append(is_space ? " " : text.substr(i, length));
            ++width;
        }
        after_space = is_space;
        i += length;
    }
    return lines;
}

/// Where to begin, so that the first difference is seen: up to two rows before it.
size_t shown_from(std::string_view a, std::string_view b) {
    const size_t shorter = std::min(a.size(), b.size());
    const auto first =
        std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(shorter), b.begin());
    const auto same = static_cast<size_t>(first.first - a.begin());
    if (same == shorter || same < kColumn * (kRows - 2)) return 0;
    size_t begin = same - 2 * kColumn;
    while (begin > 0 && (static_cast<unsigned char>(a[begin]) & 0xC0) == 0x80) --begin;
    return begin;
}

std::string pad(const std::string& text) {
    const auto characters = static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
    return text + std::string(characters < kColumn ? kColumn - characters : 0, ' ');
}

std::string name_of(uint64_t id, const Inputs& inputs, const std::vector<Source>& sources) {
    const Place place = place_of(id, sources);
    return format("{}:{}", inputs[place.input].name, place.row + 1);
}

}  // namespace

std::string pairs_side_by_side(const Survey& survey, const Inputs& inputs,
                               const std::vector<Source>& sources, size_t max_pairs) {
    std::string out;
    for (size_t i = 0; i < std::min(survey.pairs.size(), max_pairs); ++i) {
        const Decision& pair = survey.pairs[i];
        const auto kept = survey.texts.find(pair.match);
        const auto removed = survey.texts.find(pair.id);
        if (kept == survey.texts.end() || removed == survey.texts.end()) continue;
        out += format("\n{} duplicate, Jaccard {:.3f}\n", pair.jaccard == 1 ? "exact" : "near",
                      pair.jaccard);
        const std::string left = "kept    " + name_of(pair.match, inputs, sources);
        const std::string right = "removed " + name_of(pair.id, inputs, sources);
        out += pad(left) + " | " + right + "\n";
        const size_t begin = shown_from(kept->second, removed->second);
        const std::vector<std::string> a = wrap(std::string_view(kept->second).substr(begin));
        const std::vector<std::string> b = wrap(std::string_view(removed->second).substr(begin));
        for (size_t row = 0; row < std::max(a.size(), b.size()); ++row) {
            const std::string cell = row < a.size() ? a[row] : "";
            out += pad(cell) + " | " + (row < b.size() ? b[row] : "") + "\n";
        }
    }
    return out;
}

}  // namespace longhaul::dedup

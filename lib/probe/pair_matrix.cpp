// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/pair_matrix.h"

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::probe {

namespace {

using io::Json;

constexpr size_t kMaxMembers = 100'000;

Json pair_to_json(const PairSample& pair) {
    Json json{{"a", pair.a}, {"b", pair.b}};
    if (pair.is_missing) {
        json["missing"] = true;
        return json;
    }
    json["a_to_b_gb_per_s"] = pair.a_to_b_gb_per_s;
    json["b_to_a_gb_per_s"] = pair.b_to_a_gb_per_s;
    json["latency_us"] = pair.latency_us;
    json["noise"] = pair.noise;
    if (pair.is_wrong_data) json["wrong_data"] = true;
    if (pair.alone_gb_per_s > 0) json["alone_gb_per_s"] = pair.alone_gb_per_s;
    return json;
}

double optional_number(const Json& json, const char* key, const std::string& place) {
    if (!json.contains(key)) return 0;
    const double value = io::require<double>(json, key, place);
    if (!std::isfinite(value) || value < 0) {
        throw DataError(format("{}: \"{}\" is not a number of at least 0", place, key));
    }
    return value;
}

bool optional_flag(const Json& json, const char* key, const std::string& place) {
    return json.contains(key) && io::require<bool>(json, key, place);
}

PairSample pair_from_json(const Json& json, size_t num_members, const std::string& place) {
    PairSample pair;
    pair.a = io::require<int>(json, "a", place);
    pair.b = io::require<int>(json, "b", place);
    const auto is_member = [&](int m) { return m >= 0 && static_cast<size_t>(m) < num_members; };
    if (!is_member(pair.a) || !is_member(pair.b) || pair.a == pair.b) {
        throw DataError(
            format("{}: {} and {} are no two of {} members", place, pair.a, pair.b, num_members));
    }
    pair.is_missing = optional_flag(json, "missing", place);
    pair.is_wrong_data = optional_flag(json, "wrong_data", place);
    pair.a_to_b_gb_per_s = optional_number(json, "a_to_b_gb_per_s", place);
    pair.b_to_a_gb_per_s = optional_number(json, "b_to_a_gb_per_s", place);
    pair.latency_us = optional_number(json, "latency_us", place);
    pair.noise = optional_number(json, "noise", place);
    pair.alone_gb_per_s = optional_number(json, "alone_gb_per_s", place);
    return pair;
}

std::string table(const PairMatrix& matrix, const std::string& title, bool is_latency) {
    const size_t n = matrix.members.size();
    std::vector<std::string> cells(n * n);
    for (const PairSample& pair : matrix.pairs) {
        const auto cell = [&](double value) {
            return pair.is_missing ? std::string("silent") : format("{:.3g}", value);
        };
        const auto a = static_cast<size_t>(pair.a);
        const auto b = static_cast<size_t>(pair.b);
        cells[a * n + b] = cell(is_latency ? pair.latency_us : pair.a_to_b_gb_per_s);
        cells[b * n + a] = cell(is_latency ? pair.latency_us : pair.b_to_a_gb_per_s);
    }
    size_t width = 6;
    for (const std::string& member : matrix.members) width = std::max(width, member.size());
    std::string text = title + "\n" + std::string(width, ' ');
    for (const std::string& member : matrix.members) text += format(" {:>{}}", member, width);
    for (size_t row = 0; row < n; ++row) {
        text += format("\n{:<{}}", matrix.members[row], width);
        for (size_t column = 0; column < n; ++column) {
            const std::string& cell = cells[row * n + column];
            text += format(" {:>{}}", cell.empty() ? (row == column ? "." : "-") : cell, width);
        }
    }
    return text + "\n";
}

}  // namespace

Json to_json(const PairMatrix& matrix) {
    Json pairs = Json::array();
    for (const PairSample& pair : matrix.pairs) pairs.push_back(pair_to_json(pair));
    Json json{{"unit", matrix.unit},
              {"members", matrix.members},
              {"message_bytes", matrix.message_bytes},
              {"rounds", matrix.rounds},
              {"pairs", std::move(pairs)}};
    if (!matrix.silent.empty()) json["silent"] = matrix.silent;
    return json;
}

PairMatrix pair_matrix_from_json(const Json& json, const std::string& source) {
    PairMatrix matrix;
    matrix.unit = io::require<std::string>(json, "unit", source);
    if (matrix.unit != "host" && matrix.unit != "rank") {
        throw DataError(format("{}: \"unit\" is neither \"host\" nor \"rank\"", source));
    }
    matrix.members = io::require<std::vector<std::string>>(json, "members", source);
    if (matrix.members.size() > kMaxMembers) {
        throw DataError(format("{}: {} members are too many", source, matrix.members.size()));
    }
    matrix.message_bytes = io::require<uint64_t>(json, "message_bytes", source);
    matrix.rounds = io::require<int>(json, "rounds", source);
    if (json.contains("silent")) {
        matrix.silent = io::require<std::vector<int>>(json, "silent", source);
    }
    for (const int member : matrix.silent) {
        if (member < 0 || static_cast<size_t>(member) >= matrix.members.size()) {
            throw DataError(format("{}: silent member {} does not exist", source, member));
        }
    }
    const Json pairs = io::require<Json>(json, "pairs", source);
    if (!pairs.is_array()) throw DataError(format("{}: \"pairs\" is no array", source));
    for (size_t i = 0; i < pairs.size(); ++i) {
        matrix.pairs.push_back(
            pair_from_json(pairs[i], matrix.members.size(), format("{}: pairs[{}]", source, i)));
    }
    return matrix;
}

std::string to_text(const PairMatrix& matrix) {
    return table(matrix, "GB/s, from row to column", false) + table(matrix, "latency in us", true);
}

}  // namespace longhaul::probe

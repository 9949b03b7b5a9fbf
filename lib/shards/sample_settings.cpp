// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/sample_settings.h"

#include <algorithm>
#include <charconv>

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::shards {

namespace {

constexpr const char* kOrders[] = {"feistel", "sequential", "block", "megatron"};
constexpr const char* kPackings[] = {"stream", "best-fit"};
constexpr const char* kAttentions[] = {"causal", "document"};
constexpr int64_t kMostInBlock = int64_t{1} << 31;  // a product of two stays below 2^62
constexpr int64_t kMostSamples = int64_t{1} << 31;

template <size_t N>
std::vector<std::string> list(const char* const (&names)[N]) {
    return {std::begin(names), std::end(names)};
}

template <class Kind, size_t N>
Kind kind_of(const char* key, const std::string& word, const char* const (&names)[N]) {
    const auto* const at = std::find(std::begin(names), std::end(names), word);
    if (at == std::end(names)) {
        std::string known;
        for (const char* name : names) known += (known.empty() ? "" : ", ") + std::string(name);
        throw UsageError(format("data.{} = \"{}\" is none of {}", key, word, known));
    }
    return static_cast<Kind>(at - std::begin(names));
}

std::vector<uint32_t> ids_of(const char* key, const std::vector<std::string>& words) {
    std::vector<uint32_t> ids;
    for (const std::string& word : words) {
        uint32_t id = 0;
        const char* const end = word.data() + word.size();
        const auto parsed = std::from_chars(word.data(), end, id);
        if (parsed.ec != std::errc() || parsed.ptr != end || id > INT32_MAX) {
            throw UsageError(format("data.{}: \"{}\" is no token id", key, word));
        }
        ids.push_back(id);
    }
    return ids;
}

uint64_t count_of(const char* key, int64_t value, int64_t least, int64_t most) {
    if (value < least || value > most) {
        throw UsageError(format("data.{} = {} is not between {} and {}", key, value, least, most));
    }
    return static_cast<uint64_t>(value);
}

void check_together(const SampleSettings& settings) {
    if (!settings.loss_spans.empty() && settings.loss_spans.size() != 2) {
        throw UsageError("data.loss_between takes two token ids: the one before and the last one");
    }
    if (settings.loss_spans.size() == 2 && settings.loss_spans[0] == settings.loss_spans[1]) {
        throw UsageError("data.loss_between: the two token ids are the same");
    }
    if (settings.order == OrderKind::kMegatron && settings.packing != Packing::kStream) {
        throw UsageError("data.order = \"megatron\" needs data.packing = \"stream\"");
    }
}

std::string print_ids(const std::vector<uint32_t>& ids) {
    std::string text;
    for (const uint32_t id : ids) text += (text.empty() ? "" : ", ") + std::to_string(id);
    return "[" + text + "]";
}

/// Every setting as (key, text), in the order of run.toml.
std::vector<std::pair<std::string, std::string>> texts_of(const SampleSettings& settings) {
    return {{"order", kOrders[static_cast<size_t>(settings.order)]},
            {"order_block", std::to_string(settings.order_block)},
            {"order_window", std::to_string(settings.order_window)},
            {"order_samples", std::to_string(settings.order_samples)},
            {"packing", kPackings[static_cast<size_t>(settings.packing)]},
            {"attention", kAttentions[settings.attends_document ? 1 : 0]},
            {"mask_boundaries", settings.masks_boundaries ? "true" : "false"},
            {"mask_ids", print_ids(settings.mask_ids)},
            {"loss_between", print_ids(settings.loss_spans)},
            {"blend_version", std::to_string(settings.blend_version)}};
}

}  // namespace

std::vector<std::string> order_names() {
    return list(kOrders);
}
std::vector<std::string> packing_names() {
    return list(kPackings);
}
std::vector<std::string> attention_names() {
    return list(kAttentions);
}

SampleSettings settings_of(const SampleWords& words) {
    SampleSettings settings;
    settings.order = kind_of<OrderKind>("order", words.order, kOrders);
    settings.order_block = count_of("order_block", words.order_block, 1, kMostInBlock);
    settings.order_window = count_of("order_window", words.order_window, 1, kMostInBlock);
    settings.order_samples = count_of("order_samples", words.order_samples, 0, kMostSamples);
    settings.packing = kind_of<Packing>("packing", words.packing, kPackings);
    settings.attends_document = kind_of<int>("attention", words.attention, kAttentions) == 1;
    settings.masks_boundaries = words.mask_boundaries;
    settings.mask_ids = ids_of("mask_ids", words.mask_ids);
    settings.loss_spans = ids_of("loss_between", words.loss_between);
    check_together(settings);
    // Keys of another order do not matter: changing them is no change.
    const SampleSettings unset;
    if (settings.order != OrderKind::kBlock) {
        settings.order_block = unset.order_block;
        settings.order_window = unset.order_window;
    }
    if (settings.order != OrderKind::kMegatron) settings.order_samples = unset.order_samples;
    return settings;
}

void add_to_json(io::Json& json, const SampleSettings& settings) {
    json["order"] = kOrders[static_cast<size_t>(settings.order)];
    if (settings.order == OrderKind::kBlock) {
        json["order_block"] = settings.order_block;
        json["order_window"] = settings.order_window;
    }
    if (settings.order == OrderKind::kMegatron) json["order_samples"] = settings.order_samples;
    json["packing"] = kPackings[static_cast<size_t>(settings.packing)];
    json["attention"] = kAttentions[settings.attends_document ? 1 : 0];
    if (settings.masks_boundaries) json["mask_boundaries"] = true;
    if (!settings.mask_ids.empty()) json["mask_ids"] = settings.mask_ids;
    if (!settings.loss_spans.empty()) json["loss_between"] = settings.loss_spans;
    json["blend_version"] = settings.blend_version;
}

SampleSettings settings_from_json(const io::Json& json, const std::string& source) {
    const auto text = [&](const char* key, const char* absent) {
        return json.contains(key) ? io::require<std::string>(json, key, source) : absent;
    };
    const auto number = [&](const char* key, int64_t absent) {
        return json.contains(key) ? io::require<int64_t>(json, key, source) : absent;
    };
    const auto ids = [&](const char* key) {
        std::vector<std::string> words;
        if (!json.contains(key)) return words;
        for (const int64_t id : io::require<std::vector<int64_t>>(json, key, source)) {
            words.push_back(std::to_string(id));
        }
        return words;
    };
    SampleWords words;
    words.order = text("order", "feistel");
    words.order_block = number("order_block", words.order_block);
    words.order_window = number("order_window", words.order_window);
    words.order_samples = number("order_samples", 0);
    words.packing = text("packing", "stream");
    words.attention = text("attention", "causal");
    if (json.contains("mask_boundaries")) {
        words.mask_boundaries = io::require<bool>(json, "mask_boundaries", source);
    }
    words.mask_ids = ids("mask_ids");
    words.loss_between = ids("loss_between");
    try {
        SampleSettings settings = settings_of(words);
        settings.blend_version = number("blend_version", kOldBlend);
        if (settings.blend_version != kOldBlend && settings.blend_version != kExactBlend) {
            throw UsageError(format("blend_version {} is unknown", settings.blend_version));
        }
        return settings;
    } catch (const UsageError& error) {
        throw DataError(format("{}: {}", source, error.describe()));
    }
}

std::string difference(const SampleSettings& there, const SampleSettings& here) {
    const auto old_texts = texts_of(there), new_texts = texts_of(here);
    for (size_t i = 0; i < old_texts.size(); ++i) {
        if (old_texts[i].second == new_texts[i].second) continue;
        return format("data.{} = {}, but it was {}", new_texts[i].first, new_texts[i].second,
                      old_texts[i].second);
    }
    return "";
}

}  // namespace longhaul::shards

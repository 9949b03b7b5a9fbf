// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/options_json.h"

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

io::Json parameters_json(const Options& options) {
    const Parameters& p = options.parameters;
    return {{"preset", p.preset},
            {"hash", scheme_name(p.scheme)},
            {"bands", p.bands},
            {"rows", p.rows},
            {"num_hashes", p.num_permutations()},
            {"ngram", p.ngram},
            {"threshold", p.threshold},
            {"transitive", p.is_transitive},
            {"max_candidates", options.max_candidates}};
}

io::Json options_json(const Options& options) {
    io::Json json = parameters_json(options);
    json["input_format"] = options.reader.layout;
    json["text_field"] = options.reader.text_field;
    json["max_line_bytes"] = options.reader.max_line_bytes;
    json["on_bad_record"] = options.on_bad_record;
    json["max_bad_records"] = options.max_bad_records;
    if (!options.keep.is_input_order()) {
        json["keep"] = options.keep.words();
        json["priority"] = options.keep.priority_words();
    }
    if (!options.annotate.empty()) json["annotate"] = options.annotate;
    if (!options.against.empty()) {
        io::Json contents = io::Json::array();
        for (const IndexRef& index : options.against) contents.push_back(index.content);
        json["against"] = contents;
    }
    return json;
}

Options options_from_json(const io::Json& json, const std::string& source) {
    Options options;
    Parameters& p = options.parameters;
    const auto get = [&](const char* key, auto& value) {
        value = io::require<std::decay_t<decltype(value)>>(json, key, source);
    };
    p = preset_parameters(io::require<std::string>(json, "preset", source));
    p.preset = io::require<std::string>(json, "preset", source);
    p.scheme = parse_scheme(io::require<std::string>(json, "hash", source), p.recipe);
    get("bands", p.bands);
    get("rows", p.rows);
    get("num_hashes", p.permutations);
    get("ngram", p.ngram);
    get("threshold", p.threshold);
    get("transitive", p.is_transitive);
    get("max_candidates", options.max_candidates);
    get("input_format", options.reader.layout);
    get("text_field", options.reader.text_field);
    get("max_line_bytes", options.reader.max_line_bytes);
    get("on_bad_record", options.on_bad_record);
    get("max_bad_records", options.max_bad_records);
    if (json.contains("keep")) {
        options.keep =
            KeepRule::parse(io::require<std::string>(json, "keep", source),
                            io::require<std::vector<std::string>>(json, "priority", source));
    }
    options.reader.policy =
        corpus::BadRecordPolicy::parse(options.on_bad_record, options.max_bad_records);
    validate(p);
    return options;
}

Hash128 keys_hash(const Options& options) {
    const io::Json all = options_json(options);
    io::Json json;
    for (const char* const key : {"preset", "hash", "bands", "rows", "num_hashes", "ngram"})
        json[key] = all[key];
    return xxh3_128(io::to_line(json));
}

}  // namespace longhaul::dedup

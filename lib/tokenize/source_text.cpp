// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/source_text.h"

#include "lib/base/error.h"
#include "lib/corpus/document_reader.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/tokenize/range_input.h"

namespace longhaul::tokenize {

bool has_source_options(const record::Manifest& manifest) {
    return io::parse_json(manifest.options_json, "options").contains("input_format");
}

bool keeps_raw_bytes(const std::optional<record::Manifest>& manifest) {
    if (!manifest) return false;
    const io::Json options = io::parse_json(manifest->options_json, "options");
    return options.contains("invalid_utf8") &&
           options.at("invalid_utf8") == corpus::invalid_utf8_name(corpus::InvalidUtf8::kBytes);
}

SourceOptions read_source_options(const record::Manifest& manifest, const std::string& name) {
    const io::Json options = io::parse_json(manifest.options_json, name);
    SourceOptions result;
    result.input_format = io::require<std::string>(options, "input_format", name);
    result.text_field = io::require<std::string>(options, "text_field", name);
    result.max_line_bytes = io::require<uint64_t>(options, "max_line_bytes", name);
    const auto word = [&](const char* key, const char* otherwise) {
        return options.contains(key) ? io::require<std::string>(options, key, name) : otherwise;
    };
    const auto unknown = [&](const char* key, const std::string& value) {
        return DataError(format("{}: \"{}\": \"{}\" is not known", name, key, value));
    };
    const std::string invalid = word("invalid_utf8", "bad"),
                      lone = word("lone_surrogates", "replace");
    const auto policy = corpus::invalid_utf8_by_name(invalid);
    if (!policy) throw unknown("invalid_utf8", invalid);
    if (lone != "replace" && lone != "bad") throw unknown("lone_surrogates", lone);
    result.text_policy = {*policy, lone == "bad"};
    const auto special = io::require<std::string>(options, "special_text", name);
    if (special == "parse") result.special_text = token::SpecialText::kParse;
    if (special == "refuse") result.special_text = token::SpecialText::kRefuse;
    result.skips_empty = io::require<std::string>(options, "empty_documents", name) == "skip";
    return result;
}

void visit_rows(const shards::ShardDetails& details, const shards::Segment& segment,
                const SourceOptions& options, const std::vector<uint64_t>& rows,
                const std::function<void(uint64_t row, std::string_view text)>& visit) {
    const std::string& path = details.inputs.at(segment.input);
    corpus::ReaderOptions reader_options;
    reader_options.layout = options.input_format;
    reader_options.text_field = options.text_field;
    reader_options.max_line_bytes = options.max_line_bytes;
    reader_options.text_policy = options.text_policy;
    if (corpus::is_parquet(reader_options, path)) {
        reader_options.layout = "parquet";
    } else if (options.input_format == "auto") {
        const bool is_text = corpus::parse_layout("auto", path) == corpus::Layout::kTextFile;
        reader_options.layout = is_text ? "file" : "jsonl";
    }
    const bool is_parquet = reader_options.layout == "parquet";
    const bool is_part = segment.begin > 0 || segment.end < io::file_size(path);
    std::unique_ptr<io::InputStream> input;
    if (is_part && is_parquet) {
        input = corpus::open_parquet_part(path, reader_options, segment.begin, segment.end);
    } else if (is_part) {
        input = std::make_unique<RangeInput>(path, segment.begin, segment.end);
    } else {
        input = corpus::open_documents(path, reader_options);
    }
    corpus::DocumentReader reader(std::move(input), reader_options);
    corpus::Document document;
    auto wanted = rows.begin();
    while (wanted != rows.end() && reader.next(document)) {
        if (document.row < *wanted) continue;
        if (document.row > *wanted) break;
        visit(*wanted, document.text);
        ++wanted;
    }
    if (wanted != rows.end()) {
        throw DataError(format("{}: record {} is not there any more: the input has changed", path,
                               *wanted + segment.first_record));
    }
}

}  // namespace longhaul::tokenize

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/json.h"

#include "lib/base/error.h"
#include "lib/io/file.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace longhaul::io {

namespace {

/// nlohmann prefixes its texts with "[json.exception.parse_error.101] ": not for users.
std::string plain_reason(const std::string& what) {
    const size_t bracket = what.find("] ");
    return bracket == std::string::npos ? what : what.substr(bracket + 2);
}

/// Objects that keep their order are copied as they grow, by recursion: what is nested without end
/// would end the program. The limit is serde_json's.
void check_depth(std::string_view text, const std::string& source) {
    constexpr size_t kMostLevels = 128;
    size_t level = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++level > kMostLevels) {
                throw DataError(source, i, format("nested more than {} deep", kMostLevels));
            }
        } else if ((c == ']' || c == '}') && level > 0) {
            --level;
        }
    }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& source) {
    check_depth(text, source);
    try {
        return Json::parse(text.begin(), text.end());
    } catch (const Json::parse_error& error) {
        throw DataError(source, error.byte, "not JSON: " + plain_reason(error.what()));
    } catch (const Json::exception& error) {  // a number that no double holds
        throw DataError(format("{}: {}", source, plain_reason(error.what())));
    }
}

Json read_json_file(const std::filesystem::path& path, uint64_t max_bytes) {
    return parse_json(read_text_file(path, max_bytes), path.string());
}

std::string to_line(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_pretty(const Json& value) {
    return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace detail {

void missing_member(const char* key, const std::string& source) {
    throw DataError(format("{}: \"{}\" is missing", source, key));
}

void wrong_type(const char* key, const std::string& source, const char* why) {
    throw DataError(format("{}: \"{}\" has the wrong type: {}", source, key, plain_reason(why)));
}

}  // namespace detail

}  // namespace longhaul::io

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// JSON values (nlohmann, key order kept). Heavy to compile: include from .cpp files only; headers
// use lib/io/json_fwd.h. Documents are not parsed with this but by lib/corpus.

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "lib/io/json_fwd.h"

// Compiled once, in json.cpp: without this every user of Json compiles all of it again.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace longhaul::io {

/// Parses one JSON text. @param source file name for the message, as "FILE: byte N: ...".
/// @throws DataError
Json parse_json(std::string_view text, const std::string& source);
/// Reads and parses a file of at most `max_bytes`.
Json read_json_file(const std::filesystem::path& path, uint64_t max_bytes = 1ull << 30);
/// One line without spaces; invalid UTF-8 becomes U+FFFD instead of throwing.
std::string to_line(const Json& value);
/// Indented by two, for files that people read; ends with a newline.
std::string to_pretty(const Json& value);

/// The member `key` of an object, converted. @throws DataError "SOURCE: key: missing / not a T".
template <class T>
T require(const Json& object, const char* key, const std::string& source);

namespace detail {
[[noreturn]] void missing_member(const char* key, const std::string& source);
[[noreturn]] void wrong_type(const char* key, const std::string& source, const char* why);
}  // namespace detail

template <class T>
T require(const Json& object, const char* key, const std::string& source) {
    const auto member = object.is_object() ? object.find(key) : object.end();
    if (member == object.end()) detail::missing_member(key, source);
    try {
        return member->template get<T>();
    } catch (const Json::exception& error) {
        detail::wrong_type(key, source, error.what());
    }
}

}  // namespace longhaul::io

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Typed access to a JSON value that knows its place, so that every complaint names it. Heavy:
// include from .cpp files only.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/error.h"
#include "lib/io/json.h"
#include "lib/text/unicode.h"

namespace longhaul::token {

/// A JSON value and its path, "FILE: pre_tokenizer.pretokenizers[0]".
class JsonField {
 public:
    JsonField(const io::Json* value, std::string place) : value_(value), place_(std::move(place)) {}

    const std::string& place() const { return place_; }
    bool is_null() const { return value_ == nullptr || value_->is_null(); }
    bool is_object() const { return value_ != nullptr && value_->is_object(); }
    bool is_string() const { return value_ != nullptr && value_->is_string(); }

    [[noreturn]] void fail(const std::string& what) const {
        throw DataError(format("{}: {}", place_, what));
    }

    /// The member `key`; null when it is absent. @throws DataError when this is not an object.
    JsonField member(const char* key) const {
        if (is_null() || !value_->is_object()) fail("is not an object");
        const auto found = value_->find(key);
        const char* const joint = place_.find(": ") == std::string::npos ? ": " : ".";
        return {found == value_->end() ? nullptr : &*found, place_ + joint + key};
    }
    std::vector<JsonField> elements() const {
        if (is_null() || !value_->is_array()) fail("is not an array");
        std::vector<JsonField> fields;
        for (size_t i = 0; i < value_->size(); ++i) {
            fields.emplace_back(&(*value_)[i], format("{}[{}]", place_, i));
        }
        return fields;
    }
    std::string text() const {
        if (is_null() || !value_->is_string()) fail("is not a string");
        return value_->get<std::string>();
    }
    int64_t integer() const {
        if (is_null() || !value_->is_number_integer()) fail("is not an integer");
        if (value_->is_number_unsigned() && value_->get<uint64_t>() > INT64_MAX) return INT64_MAX;
        return value_->get<int64_t>();
    }
    bool boolean(bool when_absent) const {
        if (is_null()) return when_absent;
        if (!value_->is_boolean()) fail("is neither true nor false");
        return value_->get<bool>();
    }
    /// A boolean that must be there.
    bool flag() const {
        if (is_null()) fail("is missing; it must be true or false");
        return boolean(false);
    }
    /// A number of things. @throws DataError unless it is in 0..2^32 - 1
    size_t count() const {
        const int64_t value = integer();
        if (value < 0 || value > int64_t{UINT32_MAX})
            fail(format("{} is not in 0..2^32 - 1", value));
        return static_cast<size_t>(value);
    }
    /// A text of exactly one character.
    std::string character() const {
        std::string value = text();
        if (value.empty() || text::decode_utf8(value, 0).length != value.size()) {
            fail(format("\"{}\" is not one character", value));
        }
        return value;
    }
    double number() const {
        if (is_null() || !value_->is_number()) fail("is not a number");
        return value_->get<double>();
    }

 private:
    const io::Json* value_;
    std::string place_;
};

}  // namespace longhaul::token

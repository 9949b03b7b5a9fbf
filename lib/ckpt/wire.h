// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packed bytes that the ranks of a save send each other. Same program on both ends: no versions.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lib/base/check.h"

namespace longhaul::ckpt {

class WireWriter {
 public:
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T)); }
    void put(const std::string& text) {
        put<uint64_t>(text.size());
        bytes_ += text;
    }
    template <class T>
    void put(const std::vector<T>& values) {
        put<uint64_t>(values.size());
        for (const T& value : values) put(value);
    }
    std::string take() { return std::move(bytes_); }

 private:
    std::string bytes_;
};

class WireReader {
 public:
    explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

    template <class T>
    requires std::is_trivially_copyable_v<T> T get() {
        LH_CHECK(bytes_.size() >= sizeof(T), "a message of a save is too short");
        T value;
        std::memcpy(&value, bytes_.data(), sizeof(T));
        bytes_.remove_prefix(sizeof(T));
        return value;
    }
    std::string text() {
        const auto size = get<uint64_t>();
        LH_CHECK(bytes_.size() >= size, "a message of a save is too short");
        std::string value(bytes_.substr(0, size));
        bytes_.remove_prefix(size);
        return value;
    }
    template <class T>
    std::vector<T> list() {
        std::vector<T> values(get<uint64_t>());
        for (T& value : values) value = get<T>();
        return values;
    }

 private:
    std::string_view bytes_;
};

}  // namespace longhaul::ckpt

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/config/toml_values.h"

#include <toml++/toml.h>

#include "lib/base/error.h"
#include "lib/io/file.h"

namespace longhaul::config {

struct TomlValues::Impl {
    std::string source;
    toml::table table;

    /// The node at "section.name", or null.
    const toml::node* find(const std::string& key) const {
        const size_t dot = key.find('.');
        const toml::node* node = table.get(key.substr(0, dot));
        if (node == nullptr || dot == std::string::npos) return node;
        const toml::table* section = node->as_table();
        return section == nullptr ? nullptr : section->get(key.substr(dot + 1));
    }
};

TomlValues::TomlValues(const std::filesystem::path& path)
    : TomlValues(io::read_text_file(path), path.string()) {}

TomlValues::TomlValues(const std::string& text, const std::string& source)
    : impl_(std::make_unique<Impl>()) {
    impl_->source = source;
    try {
        impl_->table = toml::parse(text);
    } catch (const toml::parse_error& error) {
        const auto& place = error.source().begin;
        throw UsageError(format("{}:{}:{}: {}", source, place.line, place.column,
                                std::string(error.description())));
    }
}

TomlValues::~TomlValues() = default;

void TomlValues::fail(const std::string& key, const char* expected) const {
    throw UsageError(format("{}: {} is not {}", impl_->source, key, expected));
}

std::optional<int64_t> TomlValues::integer(const std::string& key) const {
    const toml::node* node = impl_->find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_integer()) fail(key, "an integer");
    return node->value<int64_t>();
}

std::optional<bool> TomlValues::boolean(const std::string& key) const {
    const toml::node* node = impl_->find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_boolean()) fail(key, "true or false");
    return node->value<bool>();
}

std::optional<std::string> TomlValues::text(const std::string& key) const {
    const toml::node* node = impl_->find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_string()) fail(key, "a string");
    return node->value<std::string>();
}

std::optional<std::vector<std::string>> TomlValues::texts(const std::string& key) const {
    const toml::node* node = impl_->find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_array()) fail(key, "an array of strings");
    std::vector<std::string> values;
    for (const toml::node& item : *node->as_array()) {
        if (!item.is_string()) fail(key, "an array of strings");
        values.push_back(*item.value<std::string>());
    }
    return values;
}

std::optional<std::vector<double>> TomlValues::numbers(const std::string& key) const {
    const toml::node* node = impl_->find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_array()) fail(key, "an array of numbers");
    std::vector<double> values;
    for (const toml::node& item : *node->as_array()) {
        if (!item.is_number()) fail(key, "an array of numbers");
        values.push_back(*item.value<double>());
    }
    return values;
}

}  // namespace longhaul::config

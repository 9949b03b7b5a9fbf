// SPDX-License-Identifier: BSD-3-Clause
#include "lib/config/schema.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include <toml++/toml.h>

#include "lib/base/check.h"
#include "lib/config/nearest_word.h"
#include "lib/io/file.h"

namespace longhaul::config {

namespace {

constexpr const char* kNotToml = "not a TOML value";

/// Parses "value = TEXT" as TOML; a bare word is taken as a string (for --set).
toml::table parse_value(const std::string& text, bool& is_valid) {
    is_valid = true;
    try {
        return toml::parse("value = " + text);
    } catch (const toml::parse_error&) {
        is_valid = false;
        return {};
    }
}

/// A double as TOML that reads back exactly, always with a point or exponent.
std::string print_double(double value) {
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    if (std::isnan(value)) return "nan";
    std::string text = format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string print_string(const std::string& value) {
    std::ostringstream out;
    out << toml::node_view<const toml::node>(toml::value<std::string>(value));
    return out.str();
}

template <class T, class Print>
std::string print_list(const std::vector<T>& values, Print print) {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i) text += (i > 0 ? ", " : "") + print(values[i]);
    return text + "]";
}

/// Runs `assign` on the parsed node; it returns "" or what was expected.
template <class Assign>
std::function<std::string(const std::string&)> setter(Assign assign) {
    return [assign](const std::string& text) -> std::string {
        bool is_valid = false;
        const toml::table table = parse_value(text, is_valid);
        if (!is_valid) return kNotToml;
        return assign(*table.get("value"));
    };
}

std::string one_line(const toml::node& node) {
    std::ostringstream out;
    node.visit([&](const auto& value) { out << value; });
    std::string text = out.str();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::string assign_double(const toml::node& node, double& value) {
    if (node.is_integer()) {
        value = static_cast<double>(node.as_integer()->get());
    } else if (node.is_floating_point()) {
        value = node.as_floating_point()->get();
    } else {
        return "expected a number";
    }
    return "";
}

std::string place_of(const std::string& source, const toml::source_region& region) {
    return format("{}:{}:{}", source, region.begin.line, region.begin.column);
}

}  // namespace

void Schema::section(const std::string& name, const std::string& help) {
    sections_.emplace_back(name, help);
}

void Schema::add_key(Key key) {
    LH_CHECK(!sections_.empty() && sections_.back().first == key.section,
             "key {} is declared outside its section {}", key.name, key.section);
    keys_.push_back(std::move(key));
}

void Schema::add(const std::string& section, const std::string& name, int64_t& value,
                 const std::string& help) {
    auto set = setter([&value](const toml::node& node) -> std::string {
        if (!node.is_integer()) return "expected a whole number";
        value = node.as_integer()->get();
        return "";
    });
    add_key({section, name, help, set, [&value] { return std::to_string(value); }});
}

void Schema::add(const std::string& section, const std::string& name, double& value,
                 const std::string& help) {
    auto set = setter([&value](const toml::node& node) { return assign_double(node, value); });
    add_key({section, name, help, set, [&value] { return print_double(value); }});
}

void Schema::add(const std::string& section, const std::string& name, bool& value,
                 const std::string& help) {
    auto set = setter([&value](const toml::node& node) -> std::string {
        if (!node.is_boolean()) return "expected true or false";
        value = node.as_boolean()->get();
        return "";
    });
    add_key({section, name, help, set, [&value] { return value ? "true" : "false"; }});
}

void Schema::add(const std::string& section, const std::string& name, std::string& value,
                 const std::string& help) {
    add(section, name, value, std::vector<std::string>{}, help);
}

void Schema::add(const std::string& section, const std::string& name, std::string& value,
                 std::vector<std::string> choices, const std::string& help) {
    std::string all;
    for (const std::string& choice : choices) all += (all.empty() ? "" : ", ") + choice;
    auto set = setter([&value, choices, all](const toml::node& node) -> std::string {
        if (!node.is_string()) return "expected a string in quotes";
        const std::string& text = node.as_string()->get();
        if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
            const std::string near = nearest_word(text, choices);
            return "expected one of " + all +
                   (near.empty() ? "" : format("; did you mean \"{}\"?", near));
        }
        value = text;
        return "";
    });
    add_key({section, name, all.empty() ? help : format("{} ({})", help, all), set,
             [&value] { return print_string(value); }});
}

void Schema::add(const std::string& section, const std::string& name,
                 std::vector<std::string>& value, const std::string& help) {
    auto set = setter([&value](const toml::node& node) -> std::string {
        std::vector<std::string> parsed;
        if (node.is_string()) {
            parsed.push_back(node.as_string()->get());
        } else if (const toml::array* array = node.as_array()) {
            for (const toml::node& item : *array) {
                if (!item.is_string()) return "expected a list of strings";
                parsed.push_back(item.as_string()->get());
            }
        } else {
            return "expected a list of strings";
        }
        value = std::move(parsed);
        return "";
    });
    add_key({section, name, help, set, [&value] { return print_list(value, print_string); }});
}

void Schema::add(const std::string& section, const std::string& name, std::vector<double>& value,
                 const std::string& help) {
    auto set = setter([&value](const toml::node& node) -> std::string {
        const toml::array* array = node.as_array();
        if (array == nullptr) return "expected a list of numbers";
        std::vector<double> parsed(array->size());
        for (size_t i = 0; i < parsed.size(); ++i) {
            if (!assign_double(*array->get(i), parsed[i]).empty()) {
                return "expected a list of numbers";
            }
        }
        value = std::move(parsed);
        return "";
    });
    add_key({section, name, help, set, [&value] { return print_list(value, print_double); }});
}

const Key& Schema::find(const std::string& section, const std::string& name,
                        const std::string& place) const {
    std::vector<std::string> in_section, section_names, everywhere;
    for (const Key& key : keys_) {
        if (key.section == section && key.name == name) return key;
        if (key.section == section) in_section.push_back(key.name);
        everywhere.push_back(key.section + "." + key.name);
    }
    for (const auto& [known, help] : sections_) section_names.push_back(known);
    if (in_section.empty()) {
        const std::string near = nearest_word(section, section_names);
        throw UsageError(format("{}: unknown section [{}]{}", place, section,
                                near.empty() ? "" : format("; did you mean [{}]?", near)));
    }
    std::string near = nearest_word(name, in_section);
    if (near.empty()) near = nearest_word(section + "." + name, everywhere);
    // The right key in the wrong section is the commonest slip after misspelling.
    for (const Key& key : keys_) {
        if (near.empty() && key.name == name) near = key.section + "." + key.name;
    }
    throw UsageError(format(
        "{}: unknown key {}.{}{}", place, section, name,
        near.empty() ? "; see --print-config for all keys" : format("; did you mean {}?", near)));
}

void Schema::load(const std::filesystem::path& path) {
    load_text(io::read_text_file(path, 16 << 20), path.string());
}

void Schema::load_text(std::string_view text, const std::string& source) {
    toml::table file;
    try {
        file = toml::parse(text, source);
    } catch (const toml::parse_error& error) {
        throw UsageError(format("{}: {}", place_of(source, error.source()), error.description()));
    }
    for (const auto& [section_key, section_node] : file) {
        const std::string section(section_key.str());
        const std::string section_place = place_of(source, section_key.source());
        const toml::table* table = section_node.as_table();
        if (table == nullptr) {
            throw UsageError(format("{}: {} stands outside any section", section_place, section));
        }
        if (table->empty()) continue;
        for (const auto& [key, node] : *table) {
            const std::string place = place_of(source, key.source());
            const Key& known = find(section, std::string(key.str()), place);
            if (const std::string wrong = known.set(one_line(node)); !wrong.empty()) {
                throw UsageError(format("{}: {}.{}: {}, found {}", place, section, known.name,
                                        wrong, one_line(node)));
            }
        }
    }
}

void Schema::set(std::string_view assignment) {
    const size_t equals = assignment.find('=');
    const size_t dot = assignment.find('.');
    if (equals == std::string_view::npos || dot == std::string_view::npos || dot > equals) {
        throw UsageError(format("--set {}: expected section.key=value", assignment));
    }
    const std::string section(assignment.substr(0, dot));
    const std::string name(assignment.substr(dot + 1, equals - dot - 1));
    const std::string text(assignment.substr(equals + 1));
    const Key& key = find(section, name, format("--set {}", assignment));
    std::string wrong = key.set(text);
    // On a command line a string needs no quotes; a bare word is judged as the string it would be.
    if (!wrong.empty()) {
        const std::string quoted_wrong = key.set(print_string(text));
        if (quoted_wrong.empty() || wrong == kNotToml) wrong = quoted_wrong;
    }
    if (!wrong.empty()) throw UsageError(format("--set {}: {}", assignment, wrong));
}

std::string Schema::print() const {
    std::string text;
    for (const auto& [section, help] : sections_) {
        text += (text.empty() ? "" : "\n") + format("[{}]  # {}\n", section, help);
        for (const Key& key : keys_) {
            if (key.section != section) continue;
            text += format("{} = {}  # {}\n", key.name, key.print(), key.help);
        }
    }
    return text;
}

}  // namespace longhaul::config

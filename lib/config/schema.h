// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// TOML configuration files whose keys are declared once: the declaration parses, checks types,
// refuses unknown keys with the nearest known one, applies --set section.key=value, and prints the
// complete effective file with its comments (--print-config).

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::config {

/// One declared key: reads from and prints to a variable of the caller's settings struct.
struct Key {
    std::string section, name, help;
    std::function<std::string(const std::string& toml_value)> set;  // "" or what is wrong
    std::function<std::string()> print;                             // as TOML
};

/// The declared keys of a file, bound to variables that must outlive the Schema.
/// Usage: declare with add(), then load(), then set() for each --set, then read the variables.
class Schema {
 public:
    void section(const std::string& name, const std::string& help);
    void add(const std::string& section, const std::string& name, int64_t& value,
             const std::string& help);
    void add(const std::string& section, const std::string& name, double& value,
             const std::string& help);
    void add(const std::string& section, const std::string& name, bool& value,
             const std::string& help);
    void add(const std::string& section, const std::string& name, std::string& value,
             const std::string& help);
    /// A string out of a fixed list.
    void add(const std::string& section, const std::string& name, std::string& value,
             std::vector<std::string> choices, const std::string& help);
    void add(const std::string& section, const std::string& name, std::vector<std::string>& value,
             const std::string& help);
    void add(const std::string& section, const std::string& name, std::vector<double>& value,
             const std::string& help);

    /// Reads a TOML file. @throws UsageError "FILE:LINE:COLUMN: ..." for syntax, unknown keys
    /// ("did you mean ...?") and wrong types.
    void load(const std::filesystem::path& path);
    void load_text(std::string_view toml, const std::string& source);
    /// One "section.key=value" of the command line; a string needs no quotes.
    void set(std::string_view assignment);
    /// The complete effective file. Loading it again gives the same values.
    std::string print() const;
    /// Sections and keys in order of declaration, for man page checks and completion.
    const std::vector<Key>& keys() const { return keys_; }

 private:
    void add_key(Key key);
    const Key& find(const std::string& section, const std::string& name,
                    const std::string& place) const;

    std::vector<Key> keys_;
    std::vector<std::pair<std::string, std::string>> sections_;
};

}  // namespace longhaul::config

// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reading single values out of a TOML file whose keys another program declares, such as
// RUN/run.toml. Unknown keys are no error here; for a program's own file use Schema.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace longhaul::config {

/// A parsed file; keys are "section.name".
class TomlValues {
 public:
    /// @throws UsageError "FILE:LINE:COLUMN: ..." for syntax
    explicit TomlValues(const std::filesystem::path& path);
    TomlValues(const std::string& text, const std::string& source);
    ~TomlValues();

    // Nothing when the key is absent. @throws UsageError when it has another type.
    std::optional<int64_t> integer(const std::string& key) const;
    std::optional<bool> boolean(const std::string& key) const;
    std::optional<std::string> text(const std::string& key) const;
    std::optional<std::vector<std::string>> texts(const std::string& key) const;
    /// Integers count as numbers.
    std::optional<std::vector<double>> numbers(const std::string& key) const;

 private:
    struct Impl;
    [[noreturn]] void fail(const std::string& key, const char* expected) const;
    std::unique_ptr<Impl> impl_;
};

}  // namespace longhaul::config

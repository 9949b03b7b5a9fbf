// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A folder of a test's own, removed with everything in it.

#include <cstdlib>
#include <filesystem>
#include <string>

namespace longhaul::test {

class TempDir {
 public:
    TempDir() {
        std::string name =
            (std::filesystem::temp_directory_path() / "longhaul-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) std::abort();
        path_ = name;
    }
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    ~TempDir() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
    std::filesystem::path path_;
};

}  // namespace longhaul::test

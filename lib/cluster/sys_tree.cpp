// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cluster/sys_tree.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "lib/base/error.h"

namespace longhaul::cluster {

namespace {

constexpr size_t kMaxBytes = 1 << 20;

}  // namespace

SysTree SysTree::open(const std::filesystem::path& root) {
    std::error_code error;
    if (root != "/" && !std::filesystem::is_directory(root / "sys", error)) {
        throw UsageError(format("{}: holds no folder \"sys\" of a machine", root.string()));
    }
    return SysTree(root);
}

std::optional<std::string> SysTree::read(const std::string& path) const {
    std::ifstream file(root_ / path, std::ios::binary);
    if (!file) return std::nullopt;
    std::string text(kMaxBytes, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) return std::nullopt;  // "Invalid argument": the driver has no value
    text.resize(static_cast<size_t>(file.gcount()));
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\0')) {
        text.pop_back();
    }
    return text;
}

std::optional<int64_t> SysTree::read_number(const std::string& path) const {
    const std::optional<std::string> text = read(path);
    if (!text || text->empty()) return std::nullopt;
    const bool is_hex = text->rfind("0x", 0) == 0;
    const char* begin = text->data() + (is_hex ? 2 : 0);
    const char* end = text->data() + text->size();
    int64_t value = 0;
    const auto [at, error] = std::from_chars(begin, end, value, is_hex ? 16 : 10);
    if (error != std::errc() || (at != end && *at != ' ')) return std::nullopt;
    return value;
}

std::vector<std::string> SysTree::list(const std::string& path) const {
    std::vector<std::string> names;
    std::error_code error;
    std::filesystem::directory_iterator folder(root_ / path, error);
    for (; !error && folder != std::filesystem::directory_iterator(); folder.increment(error)) {
        names.push_back(folder->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool SysTree::exists(const std::string& path) const {
    std::error_code error;
    return std::filesystem::exists(root_ / path, error);
}

std::string SysTree::link_name(const std::string& path) const {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(root_ / path, error);
    return error ? "" : target.filename().string();
}

std::string SysTree::resolve(const std::string& path) const {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::canonical(root_ / path, error);
    if (error) return "";
    const std::filesystem::path root = std::filesystem::canonical(root_, error);
    const std::filesystem::path relative = target.lexically_relative(root);
    if (error || relative.empty() || *relative.begin() == "..") return "";
    return relative.string();
}

}  // namespace longhaul::cluster

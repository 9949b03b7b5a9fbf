// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Files of /sys and /proc, of this machine or of a snapshot folder that holds the same tree, so
// that tests and people can look at machines that are not here.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace longhaul::cluster {

class SysTree {
 public:
    /// @param root "/" for this machine, else the folder that contains "sys" and "proc".
    explicit SysTree(std::filesystem::path root = "/") : root_(std::move(root)) {}

    /// @throws UsageError when `root` is a recording without a folder "sys".
    static SysTree open(const std::filesystem::path& root);

    /// The content without the blanks at its end; nothing when it can not be read.
    /// @param path from the root, without a leading slash: "sys/class/net/eth0/mtu".
    std::optional<std::string> read(const std::string& path) const;
    /// A decimal number, or a hexadecimal one with "0x".
    std::optional<int64_t> read_number(const std::string& path) const;
    /// Names in a folder, sorted; empty when there is none.
    std::vector<std::string> list(const std::string& path) const;
    bool exists(const std::string& path) const;
    /// Last part of where a symbolic link points ("../../0000:01:00.0" -> "0000:01:00.0"); empty
    /// when it is none.
    std::string link_name(const std::string& path) const;
    /// The folder that a link resolves to, from the root ("sys/devices/pci0000:00/..."); in a
    /// snapshot links must stay inside it. Empty when it does not resolve.
    std::string resolve(const std::string& path) const;

    bool is_live() const { return root_ == "/"; }
    const std::filesystem::path& root() const { return root_; }

 private:
    std::filesystem::path root_;
};

}  // namespace longhaul::cluster

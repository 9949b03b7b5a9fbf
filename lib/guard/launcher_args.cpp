// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/launcher_args.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

namespace longhaul::guard {
namespace {

/// srun's options that take their value as the next word; needed to find where its command begins.
constexpr std::array<std::string_view, 34> kOptionsWithValue{"-A",
                                                             "-b",
                                                             "-B",
                                                             "-c",
                                                             "-C",
                                                             "-d",
                                                             "-D",
                                                             "-e",
                                                             "-E",
                                                             "-G",
                                                             "-i",
                                                             "-J",
                                                             "-L",
                                                             "-m",
                                                             "-M",
                                                             "-n",
                                                             "-N",
                                                             "-o",
                                                             "-p",
                                                             "-q",
                                                             "-r",
                                                             "-S",
                                                             "-t",
                                                             "-T",
                                                             "-w",
                                                             "-W",
                                                             "-x",
                                                             "--nodes",
                                                             "--ntasks",
                                                             "--nodelist",
                                                             "--exclude",
                                                             "--cpus-per-task",
                                                             "--ntasks-per-node",
                                                             "--partition"};

/// Index of the first word that is srun's own command, or the end.
size_t end_of_options(const Argv& command) {
    size_t i = 1;
    while (i < command.size() && command[i].size() > 1 && command[i][0] == '-') {
        if (command[i] == "--") return i + 1;
        const bool takes_value = std::find(kOptionsWithValue.begin(), kOptionsWithValue.end(),
                                           command[i]) != kOptionsWithValue.end();
        i += takes_value ? 2 : 1;
    }
    return std::min(i, command.size());
}

bool starts_with(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

std::optional<uint64_t> lower_bound_of(std::string_view text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value == 0) return std::nullopt;
    return value;
}

bool has_kill_on_bad_exit(const Argv& command, size_t end) {
    return std::any_of(command.begin() + 1, command.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const std::string& word) {
                           return starts_with(word, "-K") ||
                                  starts_with(word, "--kill-on-bad-exit");
                       });
}

}  // namespace

bool is_srun(const Argv& command) {
    return !command.empty() && command[0].substr(command[0].rfind('/') + 1) == "srun";
}

std::optional<uint64_t> requested_nodes(const Argv& command) {
    if (!is_srun(command)) return std::nullopt;
    const size_t end = end_of_options(command);
    for (size_t i = 1; i < end; ++i) {
        const std::string_view word = command[i];
        if ((word == "-N" || word == "--nodes") && i + 1 < command.size()) {
            return lower_bound_of(command[i + 1]);
        }
        if (starts_with(word, "--nodes=")) return lower_bound_of(word.substr(8));
        if (starts_with(word, "-N")) return lower_bound_of(word.substr(2));
    }
    return std::nullopt;
}

Argv adapt_command(const Argv& command, const std::string& avoided_hosts) {
    if (!is_srun(command)) return command;
    Argv adapted{command[0]};
    if (!has_kill_on_bad_exit(command, end_of_options(command))) {
        adapted.push_back("--kill-on-bad-exit=1");
    }
    if (!avoided_hosts.empty()) adapted.push_back("--exclude=" + avoided_hosts);
    adapted.insert(adapted.end(), command.begin() + 1, command.end());
    return adapted;
}

std::optional<std::string> named_run(const Argv& command) {
    bool is_after_program = false;
    for (size_t i = 0; i < command.size(); ++i) {
        const std::string& word = command[i];
        if (is_after_program && word == "--run" && i + 1 < command.size()) return command[i + 1];
        if (is_after_program && starts_with(word, "--run=")) return word.substr(6);
        if (word.substr(word.rfind('/') + 1) == "train-run") is_after_program = true;
    }
    return std::nullopt;
}

Argv preflight_command(const Argv& check, uint64_t num_hosts, const std::string& avoided_hosts) {
    Argv command{"srun", "--kill-on-bad-exit=0", "--ntasks-per-node=1",
                 "--nodes=" + std::to_string(num_hosts), "--ntasks=" + std::to_string(num_hosts)};
    if (!avoided_hosts.empty()) command.push_back("--exclude=" + avoided_hosts);
    command.insert(command.end(), check.begin(), check.end());
    return command;
}

}  // namespace longhaul::guard

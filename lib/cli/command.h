// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The option parser of all programs: a thin front of CLI11 (which stays in command.cpp), so that
// help, errors, exit codes and common options are the same everywhere.
//
//     cli::Command command("tok-shard", "text to token shards");
//     command.option("-t,--tokenizer", tokenizer, "FILE", "tokenizer.json, ...").required();
//     command.positional("INPUT", inputs, "documents; - is stdin");
//     cli::add_common_options(command, common);
//     command.parse(args);            // throws UsageError, or HelpShown after --help/--version

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::cli {

/// Thrown by parse() after --help, --version or --completion printed to stdout: exit 0.
struct HelpShown {};

/// A size option in bytes: "64MiB". A duration option in seconds: "15m".
struct Bytes {
    uint64_t value = 0;
};
struct Duration {
    double seconds = 0;
};

class Command;
struct CommonOptions;

/// Handle on a just added option, to say more about it.
class OptionRef {
 public:
    OptionRef& required();
    /// The value at the time of the call is no default, or the description tells it in words.
    OptionRef& without_default();
    OptionRef& choices(std::vector<std::string> values);
    OptionRef& range(double low, double high);
    /// Heading in --help, such as "Parameters".
    OptionRef& group(const std::string& name);
    OptionRef& hidden();

 private:
    friend class Command;
    // NOLINTNEXTLINE(google-explicit-constructor): made from what CLI11 returns.
    OptionRef(void* option) : option_(option) {}
    void* option_;  // CLI::Option*
};

class Command {
 public:
    /// @param name "tok-shard" or, for a sub-command, "tok-shard verify".
    Command(std::string name, const std::string& one_line);
    ~Command();
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

    // The variable's value at the time of the call is the default and is shown in --help when it
    // is not empty. `metavar` names the argument: "N", "FILE", "DIR".
    OptionRef option(const std::string& names, std::string& value, const std::string& metavar,
                     const std::string& help);
    OptionRef option(const std::string& names, int& value, const std::string& metavar,
                     const std::string& help);
    OptionRef option(const std::string& names, int64_t& value, const std::string& metavar,
                     const std::string& help);
    OptionRef option(const std::string& names, uint64_t& value, const std::string& metavar,
                     const std::string& help);
    OptionRef option(const std::string& names, double& value, const std::string& metavar,
                     const std::string& help);
    OptionRef option(const std::string& names, Bytes& value, const std::string& metavar,
                     const std::string& help);
    OptionRef option(const std::string& names, Duration& value, const std::string& metavar,
                     const std::string& help);
    /// May be given several times; each takes one value.
    OptionRef option(const std::string& names, std::vector<std::string>& values,
                     const std::string& metavar, const std::string& help);
    /// "--force"; "--progress,!--no-progress" makes a pair.
    OptionRef flag(const std::string& names, bool& value, const std::string& help);
    OptionRef positional(const std::string& name, std::string& value, const std::string& help);
    OptionRef positional(const std::string& name, std::vector<std::string>& values,
                         const std::string& help);

    /// Everything after "--" goes here untouched (job-guard -- COMMAND...).
    void rest_after_dashes(std::vector<std::string>& values);
    /// Lines under "Sub-commands:" in --help, "name - what it does".
    void list_subcommands(std::vector<std::pair<std::string, std::string>> subcommands);
    /// Shown at the end of --help.
    void footer(const std::string& text);

    /// @param args without the program's name (and without the sub-command's).
    /// @throws UsageError with "Try 'NAME --help'"; HelpShown
    void parse(std::vector<std::string> args);
    std::string help_text() const;
    /// True when the user gave the option (not its default).
    bool was_given(const std::string& long_name) const;
    /// See add_common_options().
    void add_common(CommonOptions& common, unsigned set);

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Options that mean the same in every program (longhaul.7, "COMMON OPTIONS").
struct CommonOptions {
    bool quiet = false;
    bool verbose = false;
    std::optional<bool> progress;  // unset: only on a terminal
    int threads = 0;               // 0: SLURM_CPUS_PER_TASK, else the CPUs of the affinity mask
    Bytes memory{0};               // 0: the program's default
    std::string tmp_dir;           // empty: $TMPDIR, else /tmp
};
enum CommonSet : unsigned {
    kQuietVerbose = 1,  // -q -v
    kProgress = 2,      // --[no-]progress
    kThreads = 4,       // --threads
    kMemory = 8,        // --memory --tmp-dir
};
/// Adds those of `set`; after parse() the log level is already applied.
void add_common_options(Command& command, CommonOptions& common, unsigned set);
/// Resolves `threads == 0` as described above. @return at least 1.
int resolve_threads(int threads);

}  // namespace longhaul::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cli/run_main.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <new>
#include <system_error>

#include "lib/base/error.h"
#include "lib/base/fatal_hook.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/config/nearest_word.h"
#include "lib/log/log.h"

namespace longhaul::cli {

namespace {

ExitCode fail(ExitCode code, const std::string& text) {
    log::error("{}", text);
    call_fatal_hook(code);
    return code;
}

/// The one catch ladder of Longhaul.
ExitCode guarded(const std::function<ExitCode()>& body) {
    try {
        return body();
    } catch (const HelpShown&) {
        return ExitCode::kOk;
    } catch (const Error& error) {
        return fail(error.exit_code(), error.describe());
    } catch (const std::bad_alloc&) {
        return fail(ExitCode::kFailed,
                    "out of memory; ask for less (threads, --memory or sizes), or give it more");
    } catch (const std::filesystem::filesystem_error& error) {
        return fail(ExitCode::kFailed,
                    format("{}: {}", error.path1().string(), error.code().message()));
    } catch (const std::system_error& error) {
        const bool is_thread = error.code() == std::errc::resource_unavailable_try_again;
        return fail(ExitCode::kFailed,
                    is_thread ? "the system gives no more threads (ulimit -u, or the cgroup's "
                                "pids.max): lower --threads"
                              : error.what());
    } catch (const std::exception& error) {
        return fail(ExitCode::kFailed, error.what());
    }
}

}  // namespace

int run_main(std::string_view tool, int argc, char** argv,
             const std::function<ExitCode(const Args& args)>& body) {
    log::init(tool);
    std::signal(SIGXFSZ, SIG_IGN);  // "File too large" is told by name
    const ExitCode code =
        guarded([&] { return body(Args(argv + std::min(argc, 1), argv + argc)); });
    const ExitCode flushed = guarded([] {
        flush_output();
        return ExitCode::kOk;
    });
    return to_int(flushed == ExitCode::kOk ? code : flushed);
}

namespace {

/// Without a sub-command. "tool veryfi DIR" and "tool -q verify DIR" would get answers that are
/// about something else.
ExitCode run_default(const Args& args, const std::vector<std::string>& names,
                     const std::function<ExitCode(const Args& args)>& body) {
    const bool may_be_word =
        !args.empty() && !args[0].starts_with('-') && args[0].find('/') == std::string::npos;
    if (may_be_word && !std::filesystem::exists(args[0])) {
        const std::string near = config::nearest_word(args[0], names);
        if (!near.empty()) {
            throw UsageError(
                format("{}: no such file; did you mean the sub-command {}?", args[0], near));
        }
    }
    try {
        return body(args);
    } catch (const UsageError& error) {
        const auto late = std::find_first_of(args.begin(), args.end(), names.begin(), names.end());
        if (late == args.end()) throw;
        throw UsageError(format("{}; if \"{}\" is meant as the sub-command, put it first",
                                error.describe(), *late));
    }
}

}  // namespace

ExitCode dispatch(std::string_view tool, std::string_view one_line, const Args& args,
                  const std::vector<Subcommand>& subcommands,
                  const std::function<ExitCode(const Args& args)>& default_run) {
    std::vector<std::string> names;
    for (const Subcommand& subcommand : subcommands) {
        if (!args.empty() && args[0] == subcommand.name) {
            return subcommand.run(Args(args.begin() + 1, args.end()));
        }
        names.push_back(subcommand.name);
    }
    if (default_run) return run_default(args, names, default_run);
    Command command{std::string(tool), std::string(one_line)};
    std::vector<std::pair<std::string, std::string>> lines;
    lines.reserve(subcommands.size());
    for (const Subcommand& subcommand : subcommands) {
        lines.emplace_back(subcommand.name, subcommand.one_line);
    }
    command.list_subcommands(lines);
    if (!args.empty() && args[0].rfind('-', 0) != 0) {
        const std::string near = config::nearest_word(args[0], names);
        throw UsageError(format("unknown sub-command {}{} Try '{} --help'", args[0],
                                near.empty() ? "." : format("; did you mean {}?", near), tool));
    }
    command.parse(args);
    throw UsageError(format("a sub-command is missing. Try '{} --help'", tool));
}

}  // namespace longhaul::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cli/run_main.h"

#include <algorithm>
#include <new>

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
        return fail(ExitCode::kFailed, "out of memory; lower --memory or --threads");
    } catch (const std::exception& error) {
        return fail(ExitCode::kFailed, error.what());
    }
}

}  // namespace

int run_main(std::string_view tool, int argc, char** argv,
             const std::function<ExitCode(const Args& args)>& body) {
    log::init(tool);
    const ExitCode code =
        guarded([&] { return body(Args(argv + std::min(argc, 1), argv + argc)); });
    const ExitCode flushed = guarded([] {
        flush_output();
        return ExitCode::kOk;
    });
    return to_int(flushed == ExitCode::kOk ? code : flushed);
}

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
    if (default_run) return default_run(args);
    Command command{std::string(tool), std::string(one_line)};
    std::vector<std::pair<std::string, std::string>> lines;
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

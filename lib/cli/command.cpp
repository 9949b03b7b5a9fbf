// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cli/command.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include <CLI/CLI.hpp>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cli/help_formatter.h"
#include "lib/cli/output.h"
#include "lib/config/nearest_word.h"
#include "lib/log/log.h"

namespace longhaul::cli {

namespace {

CLI::Option* as_option(void* option) {
    return static_cast<CLI::Option*>(option);
}

/// CLI11 wraps, cuts or clamps what does not fit.
template <class Integer>
std::optional<Integer> parse_integer(const std::string& text) {
    Integer value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stopped != end) return std::nullopt;
    return value;
}

std::string default_text(const std::string& value) {
    return value.empty() ? "" : format(" [{}]", value);
}

}  // namespace

struct Command::Impl {
    std::string name;
    CLI::App app;
    std::vector<std::string>* rest = nullptr;
    std::vector<std::pair<std::string, std::string>> subcommands;
    std::string footer;
    bool show_version = false;
    std::vector<std::function<void()>> after_parse;

    Impl(std::string n, const std::string& one_line) : name(std::move(n)), app(one_line, name) {
        app.formatter(std::make_shared<HelpFormatter>(one_line));
        app.set_help_flag("-h,--help", "show this help and exit");
        app.add_flag("-V,--version", show_version, "show the version and exit");
        app.get_option("--version")->configurable(false);
    }

    std::vector<std::string> option_names() const {
        std::vector<std::string> names;
        for (const CLI::Option* option : app.get_options()) {
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
            for (const std::string& name : option->get_snames()) names.push_back("-" + name);
        }
        return names;
    }

    [[noreturn]] void usage_error(std::string text) const {
        std::replace(text.begin(), text.end(), '\n', ' ');
        throw UsageError(
            format("{}{} Try '{} --help'", text, text.ends_with('?') ? "" : ".", name));
    }

    void refuse_unknown(const std::vector<std::string>& args) const;
    template <class T, class Convert>
    CLI::Option* converted(const std::string& names, const std::string& metavar,
                           const std::string& help, T& value, Convert convert,
                           const std::string& shown_default);
};

/// An option whose text `convert` turns into the value or refuses with a reason.
template <class T, class Convert>
CLI::Option* Command::Impl::converted(const std::string& names, const std::string& metavar,
                                      const std::string& help, T& value, Convert convert,
                                      const std::string& shown_default) {
    CLI::Option* option = app.add_option_function<std::string>(
        names,
        [&value, convert, names](const std::string& text) {
            const auto parsed = convert(text);
            if (!parsed) throw CLI::ValidationError(names, "can not understand \"" + text + "\"");
            value = T{*parsed};
        },
        help + default_text(shown_default));
    return option->type_name(metavar);
}

Command::Command(std::string name, const std::string& one_line)
    : impl_(std::make_unique<Impl>(std::move(name), one_line)) {}
Command::~Command() = default;

OptionRef Command::option(const std::string& names, std::string& value, const std::string& metavar,
                          const std::string& help) {
    const std::string shown = value;
    return impl_->app.add_option(names, value, help + default_text(shown))->type_name(metavar);
}

OptionRef Command::option(const std::string& names, int& value, const std::string& metavar,
                          const std::string& help) {
    return impl_->converted(names, metavar, help, value, parse_integer<int>, std::to_string(value));
}

OptionRef Command::option(const std::string& names, int64_t& value, const std::string& metavar,
                          const std::string& help) {
    return impl_->converted(names, metavar, help, value, parse_integer<int64_t>,
                            std::to_string(value));
}

OptionRef Command::option(const std::string& names, uint64_t& value, const std::string& metavar,
                          const std::string& help) {
    return impl_->converted(names, metavar, help, value, parse_integer<uint64_t>,
                            std::to_string(value));
}

OptionRef Command::option(const std::string& names, double& value, const std::string& metavar,
                          const std::string& help) {
    return impl_->app.add_option(names, value, help + default_text(format("{}", value)))
        ->type_name(metavar);
}

OptionRef Command::option(const std::string& names, Bytes& value, const std::string& metavar,
                          const std::string& help) {
    const std::string shown = value.value == 0 ? "" : human_bytes(value.value);
    return impl_->converted(names, metavar, help, value, parse_bytes, shown);
}

OptionRef Command::option(const std::string& names, Duration& value, const std::string& metavar,
                          const std::string& help) {
    const std::string shown = value.seconds == 0 ? "" : human_duration(value.seconds);
    return impl_->converted(names, metavar, help, value, parse_duration_s, shown);
}

OptionRef Command::option(const std::string& names, std::vector<std::string>& values,
                          const std::string& metavar, const std::string& help) {
    return impl_->app.add_option(names, values, help)
        ->type_name(metavar)
        ->type_size(1)
        ->allow_extra_args(false);
}

OptionRef Command::flag(const std::string& names, bool& value, const std::string& help) {
    return impl_->app.add_flag(names, value, help);
}

OptionRef Command::positional(const std::string& name, std::string& value,
                              const std::string& help) {
    return impl_->app.add_option(name, value, help)->type_name("");
}

OptionRef Command::positional(const std::string& name, std::vector<std::string>& values,
                              const std::string& help) {
    return impl_->app.add_option(name, values, help)->type_name("");
}

void Command::rest_after_dashes(std::vector<std::string>& values) {
    impl_->rest = &values;
}

void Command::list_subcommands(std::vector<std::pair<std::string, std::string>> subcommands) {
    impl_->subcommands = std::move(subcommands);
}

void Command::footer(const std::string& text) {
    impl_->footer = text;
}

namespace {

constexpr size_t kHelpWidth = 100;
constexpr size_t kHelpColumn = 30;  // where descriptions begin

/// Breaks a description that passes kHelpWidth; the rest stands under its beginning.
std::string wrapped(std::string line) {
    std::string text;
    while (line.size() > kHelpWidth) {
        const size_t cut = line.rfind(' ', kHelpWidth);
        if (cut == std::string::npos || cut <= kHelpColumn) break;
        text += line.substr(0, cut) + "\n";
        line = std::string(kHelpColumn, ' ') + line.substr(cut + 1);
    }
    return text + line;
}

std::string wrap_lines(const std::string& text) {
    std::string out;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        out += wrapped(text.substr(begin, end - begin)) + "\n";
        begin = end + 1;
    }
    return out;
}

}  // namespace

std::string Command::help_text() const {
    std::string text = impl_->app.help();
    for (size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    text += "\n";
    if (!impl_->subcommands.empty()) {
        text += "\nSub-commands:\n";
        for (const auto& [name, what] : impl_->subcommands) {
            text += format("  {:<28}{}\n", name, what);
        }
    }
    if (!impl_->footer.empty()) text += "\n" + impl_->footer + "\n";
    return wrap_lines(text);
}

namespace {

/// CLI11's words for wrong numbers of values and for words that nobody wants, in ours.
std::string reason_of(const CLI::ParseError& error) {
    std::string text = error.what();
    const std::string option = text.substr(0, text.find(": "));
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        return "unexpected argument" + text.substr(std::min(text.find(": "), text.size()));
    }
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return text;
    if (text.find(" missing") != std::string::npos) return option + " needs a value";
    return option + " is given more than once";
}

}  // namespace

/// CLI11 reports unknown options late and without a hint: find the first one ourselves.
void Command::Impl::refuse_unknown(const std::vector<std::string>& args) const {
    const std::vector<std::string> known = option_names();
    for (const std::string& arg : args) {
        if (arg == "--") return;
        if (arg.size() < 2 || arg[0] != '-' || std::isdigit(arg[1]) != 0) continue;
        const bool is_long = arg[1] == '-';
        const std::string name = is_long ? arg.substr(0, arg.find('=')) : arg.substr(0, 2);
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const std::string near = is_long ? config::nearest_word(name, known) : "";
        usage_error(format("unknown option {}{}", name,
                           near.empty() ? "" : format("; did you mean {}?", near)));
    }
}

void Command::parse(std::vector<std::string> args) {
    if (impl_->rest != nullptr) {
        const auto dashes = std::find(args.begin(), args.end(), "--");
        if (dashes != args.end()) {
            impl_->rest->assign(dashes + 1, args.end());
            args.erase(dashes, args.end());
        }
    }
    const std::vector<std::string> given = args;
    std::reverse(args.begin(), args.end());  // CLI11 takes them from the back
    try {
        impl_->app.parse(args);
    } catch (const CLI::CallForHelp&) {
        print(help_text());
        throw HelpShown{};
    } catch (const CLI::ParseError& error) {
        if (std::find(given.begin(), given.end(), "--version") != given.end() ||
            std::find(given.begin(), given.end(), "-V") != given.end()) {
            impl_->show_version = true;
        } else {
            impl_->refuse_unknown(given);
            impl_->usage_error(reason_of(error));
        }
    }
    if (impl_->show_version) {
        print_line("{} (Longhaul) {}", impl_->name.substr(0, impl_->name.find(' ')), LH_VERSION);
        throw HelpShown{};
    }
    for (const auto& action : impl_->after_parse) action();
}

bool Command::was_given(const std::string& long_name) const {
    return impl_->app.get_option(long_name)->count() > 0;
}

OptionRef& OptionRef::required() {
    as_option(option_)->required();
    return without_default();
}
OptionRef& OptionRef::without_default() {
    const std::string text = as_option(option_)->get_description();
    const size_t shown = text.ends_with(']') ? text.rfind(" [") : std::string::npos;
    if (shown != std::string::npos) as_option(option_)->description(text.substr(0, shown));
    return *this;
}
OptionRef& OptionRef::choices(std::vector<std::string> values) {
    std::string all;
    for (const std::string& value : values) all += (all.empty() ? "" : "|") + value;
    CLI::Option* option = as_option(option_);
    option->type_name(all);
    option->check([values = std::move(values), all](const std::string& text) -> std::string {
        if (std::find(values.begin(), values.end(), text) != values.end()) return "";
        return "\"" + text + "\" is not one of " + all;
    });
    return *this;
}
OptionRef& OptionRef::range(double low, double high) {
    as_option(option_)->check([low, high](const std::string& text) -> std::string {
        const double value = std::strtod(text.c_str(), nullptr);
        if (value >= low && value <= high) return "";
        return format("{} is not between {} and {}", text, low, high);
    });
    return *this;
}
OptionRef& OptionRef::group(const std::string& name) {
    as_option(option_)->group(name);
    return *this;
}
OptionRef& OptionRef::hidden() {
    return group("");
}

void add_common_options(Command& command, CommonOptions& common, unsigned set) {
    command.add_common(common, set);
}

void Command::add_common(CommonOptions& common, unsigned set) {
    CLI::App& app = impl_->app;
    const std::string group = "Common options";
    if ((set & kProgress) != 0) {
        app.add_flag_function(
               "--progress,!--no-progress",
               [&common](int64_t count) { common.progress = count > 0; },
               "show progress on stderr [on a terminal and in batch jobs]")
            ->group(group);
    }
    if ((set & kThreads) != 0) {
        app.add_option("--threads", common.threads, "worker threads [$SLURM_CPUS_PER_TASK or CPUs]")
            ->type_name("N")
            ->check([](const std::string& text) -> std::string {
                const int value = std::atoi(text.c_str());
                return value >= 1 && value <= 4096 ? "" : text + " is not between 1 and 4096";
            })
            ->group(group);
    }
    if ((set & kMemory) != 0) {
        option("--memory", common.memory, "SIZE", "hard cap of memory; the rest is spilled")
            .group(group);
        option("--tmp-dir", common.tmp_dir, "DIR", "folder for spilled data [$TMPDIR or /tmp]")
            .group(group);
    }
    if ((set & kQuietVerbose) != 0) {
        app.add_flag("-q,--quiet", common.quiet, "only warnings and errors")->group(group);
        app.add_flag("-v,--verbose", common.verbose, "say more")->group(group);
    }
    impl_->after_parse.emplace_back([&common] {
        if (common.quiet) log::set_level(log::Level::kWarn);
        if (common.verbose) log::set_level(log::Level::kDebug);
        if (common.tmp_dir.empty()) {
            const char* tmp = std::getenv("TMPDIR");
            common.tmp_dir = tmp != nullptr && *tmp != '\0' ? tmp : "/tmp";
        }
    });
}

}  // namespace longhaul::cli

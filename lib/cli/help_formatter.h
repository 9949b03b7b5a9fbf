// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The layout of --help. Private to lib/cli: includes CLI11.

#include <string>
#include <utility>

#include <CLI/CLI.hpp>

namespace longhaul::cli {

/// "Usage: NAME [options] INPUT...", then the groups: the layout that tests/checks/help_format.sh
/// holds every program to.
class HelpFormatter : public CLI::Formatter {
 public:
    explicit HelpFormatter(std::string one_line) : one_line_(std::move(one_line)) {
        column_width(30);
    }
    /// The one line stands under the usage already.
    std::string make_description(const CLI::App*) const override { return ""; }
    /// "-o, --output", and "--[no-]progress" for a flag with its negation.
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        if (is_positional) return option->get_name(true, false);
        std::string text;
        const auto add = [&text](const std::string& name) {
            text += (text.empty() ? "" : ", ") + name;
        };
        for (const std::string& name : option->get_snames()) add("-" + name);
        for (const std::string& name : option->get_lnames()) {
            if (name.rfind("no-", 0) == 0) continue;
            add(option->get_fnames().empty() ? "--" + name : "--[no-]" + name);
        }
        return text;
    }
    std::string make_usage(const CLI::App* app, std::string name) const override {
        std::string usage = "Usage: " + name;
        if (!app->get_options([](const CLI::Option* o) { return o->nonpositional(); }).empty()) {
            usage += " [options]";
        }
        for (const CLI::Option* option :
             app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
            const std::string dots = option->get_expected_max() > 1 ? "..." : "";
            usage += option->get_required() ? " " + option->get_name() + dots
                                            : " [" + option->get_name() + dots + "]";
        }
        return usage + "\n" + one_line_ + "\n";
    }
    std::string make_option_opts(const CLI::Option* option) const override {
        std::string text;
        if (option->get_expected_min() > 0 && !option->get_type_name().empty()) {
            text = " " + option->get_type_name();
        }
        return text + (option->get_required() && option->nonpositional() ? " (required)" : "");
    }
    std::string make_positionals(const CLI::App* app) const override {
        const auto options =
            app->get_options([](const CLI::Option* o) { return o->get_positional(); });
        return options.empty() ? "" : make_group("Arguments", true, options);
    }

 private:
    std::string one_line_;
};

}  // namespace longhaul::cli

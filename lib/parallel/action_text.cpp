// SPDX-License-Identifier: BSD-3-Clause
// The text form of schedules.
#include <array>
#include <charconv>
#include <optional>

#include "lib/base/error.h"
#include "lib/parallel/action.h"

namespace longhaul::parallel {

namespace {

// In the order of Action::Kind.
constexpr std::array<std::string_view, 8> kNames = {"F",      "I",      "W",      "SEND_F",
                                                    "RECV_F", "SEND_B", "RECV_B", "REDUCE_GRAD"};

std::optional<int> take_number(std::string_view& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
}

std::optional<Action> parse_action(std::string_view text) {
    const auto stage = take_number(text);
    if (!stage) return std::nullopt;
    const size_t name_end = text.find_last_not_of("0123456789");
    if (name_end == std::string_view::npos) return std::nullopt;
    const std::string_view name = text.substr(0, name_end + 1);
    text.remove_prefix(name_end + 1);
    for (size_t kind = 0; kind < kNames.size(); ++kind) {
        if (kNames[kind] != name) continue;
        const auto micro_batch = take_number(text);
        if (!micro_batch) return std::nullopt;
        return Action{static_cast<Action::Kind>(kind), *stage, *micro_batch};
    }
    return std::nullopt;
}

std::vector<Action> parse_line(std::string_view line, const std::string& place) {
    std::vector<Action> actions;
    while (!line.empty()) {
        const std::string_view word = line.substr(0, line.find(','));
        const auto action = parse_action(word);
        if (!action) throw DataError(format("{}: \"{}\" is no action (such as 2F0)", place, word));
        actions.push_back(*action);
        line.remove_prefix(std::min(line.size(), word.size() + 1));
    }
    return actions;
}

}  // namespace

std::string to_text(const Action& action) {
    return format("{}{}{}", action.stage, kNames[static_cast<size_t>(action.kind)],
                  action.micro_batch);
}

std::string to_csv(const Schedule& schedule) {
    std::string text;
    for (const auto& actions : schedule) {
        for (size_t i = 0; i < actions.size(); ++i) {
            text += (i == 0 ? "" : ",") + to_text(actions[i]);
        }
        text += '\n';
    }
    return text;
}

Schedule from_csv(std::string_view csv, const std::string& source) {
    Schedule schedule;
    while (!csv.empty()) {
        const std::string_view line = csv.substr(0, csv.find('\n'));
        schedule.push_back(parse_line(line, format("{}:{}", source, schedule.size() + 1)));
        csv.remove_prefix(std::min(csv.size(), line.size() + 1));
    }
    return schedule;
}

}  // namespace longhaul::parallel

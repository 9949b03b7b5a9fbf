// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/number_member.h"

#include <charconv>
#include <cstdlib>
#include <string>

#include "lib/corpus/json_scanner.h"

namespace longhaul::corpus {

std::optional<double> number_member(std::string_view line, std::string_view name) {
    detail::JsonScanner scanner(line, name);
    // The scanner looks for a string: it points at what else the member is.
    if (scanner.run() || scanner.reason() != Reason::kNotString) return std::nullopt;
    const std::string_view value = line.substr(scanner.fault_byte());
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc::result_out_of_range) {
        // from_chars does not say on which side; strtod does.
        return std::strtod(std::string(value.data(), end).c_str(), nullptr);
    }
    if (error != std::errc() || end == value.data()) return std::nullopt;
    return number;
}

bool has_member(std::string_view line, std::string_view name) {
    detail::JsonScanner scanner(line, name);
    return scanner.run() || scanner.reason() == Reason::kNotString ||
           scanner.reason() == Reason::kDuplicateField;
}

}  // namespace longhaul::corpus

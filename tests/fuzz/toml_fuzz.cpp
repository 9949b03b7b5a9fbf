// SPDX-License-Identifier: BSD-3-Clause
// Any bytes are a configuration or a UsageError; what was read prints and reads back the same.

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/error.h"
#include "lib/config/schema.h"

namespace {

struct Settings {
    int64_t number = 1;
    double real = 0.5;
    bool flag = false;
    std::string text = "a", choice = "x";
    std::vector<std::string> list;
    std::vector<double> reals;
    longhaul::config::Schema schema;

    Settings() {
        schema.section("a", "first");
        schema.add("a", "number", number, "");
        schema.add("a", "real", real, "");
        schema.add("a", "flag", flag, "");
        schema.section("b", "second");
        schema.add("b", "text", text, "");
        schema.add("b", "choice", choice, {"x", "y"}, "");
        schema.add("b", "list", list, "");
        schema.add("b", "reals", reals, "");
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    Settings settings, again;
    try {
        settings.schema.load_text(text, "fuzz");
    } catch (const longhaul::UsageError&) {
        return 0;
    }
    again.schema.load_text(settings.schema.print(), "again");
    if (again.schema.print() != settings.schema.print()) std::abort();
    return 0;
}

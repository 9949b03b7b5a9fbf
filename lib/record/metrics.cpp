// SPDX-License-Identifier: BSD-3-Clause
#include "lib/record/metrics.h"

#include <cmath>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/io/line_reader.h"

namespace longhaul::record {

namespace {

std::string escape_label(const std::string& value) {
    std::string text;
    for (const char c : value) {
        if (c == '\\' || c == '"') text += '\\';
        text += c == '\n' ? ' ' : c;
    }
    return text;
}

std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return format("{}", value);
}

}  // namespace

std::string prometheus_text(const std::vector<Gauge>& gauges, const std::string& run) {
    std::string text;
    for (const Gauge& gauge : gauges) {
        text += format("# HELP longhaul_{} {}\n# TYPE longhaul_{} gauge\n", gauge.name, gauge.help,
                       gauge.name);
        text += format("longhaul_{}{{run=\"{}\"}} {}\n", gauge.name, escape_label(run),
                       number(gauge.value));
    }
    return text;
}

void write_prometheus(const std::filesystem::path& path, const std::vector<Gauge>& gauges,
                      const std::string& run) {
    io::write_file_atomically(path, prometheus_text(gauges, run));
}

void read_json_lines(const std::filesystem::path& path,
                     const std::function<void(const io::Json&)>& visit) {
    const auto input = io::open_input(path.string());
    io::LineReader reader(*input);
    io::Line line;
    while (reader.next(line)) {
        if (!line.has_newline) return;
        const std::string place = format("{}:{}", path.string(), line.number);
        const io::Json object = io::parse_json(line.text, place);
        if (!object.is_object()) throw DataError(format("{}: not a JSON object", place));
        visit(object);
    }
}

}  // namespace longhaul::record

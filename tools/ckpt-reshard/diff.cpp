// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/diff.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/ckpt/locate.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "tools/ckpt-reshard/commands.h"

namespace longhaul::ckpt_reshard {
namespace {

struct Options {
    std::string first, second;
    std::vector<std::string> kinds;
    double tolerance = 0;
    bool read_all = false;
    bool all = false;
    bool json = false;
    cli::CommonOptions common;
};

Options parse(const cli::Args& args) {
    Options options;
    cli::Command command("ckpt-reshard diff", "compare two checkpoints tensor by tensor");
    command.positional("A", options.first, "checkpoint, or a folder of them: its newest")
        .required();
    command.positional("B", options.second, "checkpoint, or a folder of them: its newest")
        .required();
    command.option("--kind", options.kinds, "KIND", "only master, m, v or state; may repeat");
    command.option("--tolerance", options.tolerance, "X",
                   "count as equal what differs by at most X times the tensor's largest value");
    command.flag("--read-all", options.read_all, "read even where fingerprints agree");
    command.flag("--all", options.all, "list equal tensors too");
    command.flag("--json", options.json, "a JSON object for each tensor, then a summary");
    cli::add_common_options(command, options.common, cli::kQuietVerbose | cli::kThreads);
    command.parse(args);
    return options;
}

bool is_equal(const ckpt::TensorDiff& item, double tolerance) {
    if (item.status == ckpt::DiffStatus::kEqual) return true;
    return item.status == ckpt::DiffStatus::kDifferent && tolerance > 0 &&
           item.max_abs <= tolerance * item.max_magnitude;
}

void print_item(const ckpt::TensorDiff& item, bool json) {
    if (json) {
        cli::print(io::to_line({{"schema", 1},
                                {"tensor", item.name},
                                {"kind", std::string(ckpt::name_of(item.kind))},
                                {"status", ckpt::status_name(item.status)},
                                {"elements", item.num_elements},
                                {"read", item.is_read},
                                {"different", item.num_different},
                                {"max_abs", item.max_abs},
                                {"max_magnitude", item.max_magnitude},
                                {"first_different", item.first_different}}) +
                   "\n");
        return;
    }
    std::string text = format("{:<10} {:<6} {}", ckpt::status_name(item.status),
                              ckpt::name_of(item.kind), item.name);
    if (item.num_different > 0) {
        text += format(": {} of {} elements, first {}, max |a-b| {:.6g}, max |b| {:.6g}",
                       item.num_different, item.num_elements, item.first_different, item.max_abs,
                       item.max_magnitude);
    }
    cli::print_line("{}", text);
}

}  // namespace

ExitCode run_diff(const cli::Args& args) {
    const Options options = parse(args);
    ckpt::DiffOptions diff_options;
    for (const std::string& name : options.kinds) {
        const auto kind = ckpt::kind_from_name(name);
        if (!kind) throw UsageError(format("--kind {}: one of master, m, v, state", name));
        diff_options.kinds.push_back(*kind);
    }
    diff_options.read_all = options.read_all;
    diff_options.threads = cli::resolve_threads(options.common.threads);
    const auto first = ckpt::Checkpoint::open(ckpt::locate_checkpoint(options.first));
    const auto second = ckpt::Checkpoint::open(ckpt::locate_checkpoint(options.second));
    const auto items = ckpt::diff(first, second, diff_options);
    size_t num_equal = 0;
    size_t num_unread = 0;  // equal by their fingerprints
    for (const ckpt::TensorDiff& item : items) {
        const bool equal = is_equal(item, options.tolerance);
        num_equal += equal;
        num_unread += equal && !item.is_read;
        if (!equal || options.all) print_item(item, options.json);
    }
    const size_t num_other = items.size() - num_equal;
    if (options.json) {
        cli::print(io::to_line({{"schema", 1},
                                {"tensors", items.size()},
                                {"equal", num_equal},
                                {"read", num_unread == 0},
                                {"not_equal", num_other}}) +
                   "\n");
    } else {
        cli::print_line("{} tensors: {} equal, {} not", items.size(), num_equal, num_other);
        if (num_unread > 0) {
            cli::print_line("{} of them equal by recorded fingerprints; --read-all reads the bytes",
                            num_unread);
        }
    }
    return num_other == 0 ? ExitCode::kOk : ExitCode::kNegative;
}

}  // namespace longhaul::ckpt_reshard

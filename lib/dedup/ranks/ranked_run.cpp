// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/ranks/ranked_run.h"

#include <memory>
#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/cli/progress.h"
#include "lib/comm/mpi_env.h"
#include "lib/dedup/check_paths.h"
#include "lib/dedup/conclude.h"
#include "lib/dedup/manifest.h"
#include "lib/dedup/options_json.h"
#include "lib/dedup/ranks/key_spools.h"
#include "lib/dedup/ranks/rank_decisions.h"
#include "lib/dedup/ranks/rank_groups.h"
#include "lib/dedup/ranks/rank_output.h"
#include "lib/dedup/report.h"
#include "lib/dedup/stages/staged.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

namespace {

/// What rank 0 found before the work, the same for all.
struct Start {
    bool is_complete = false;
    Target target = Target::kNone;
    Inputs inputs{std::vector<Input>()};
};

/// Rank 0: the inputs, and everything that would be refused at the end.
Start look(const Options& options) {
    if (!options.against.empty()) {
        throw UsageError("several ranks need --work DIR for --against");
    }
    Start start;
    start.inputs = Inputs(options.inputs, options.reader);
    refuse_streams(start.inputs, "a run of several ranks");
    start.target = resolve_target(options.output, start.inputs, !options.removal_list.empty());
    if (start.target == Target::kStdout) {
        throw UsageError("several ranks cannot write one stream; give -o OUT");
    }
    check_paths(options, start.inputs, start.target);
    start.is_complete = is_complete(options, start.inputs, start.target);
    if (!start.is_complete) probe_paths(options, start.target);
    return start;
}

/// Lists of folders may differ from host to host for a while: one rank looks.
std::string to_text(const Start& start, const Options& options) {
    io::Json inputs = io::Json::array();
    for (size_t i = 0; i < start.inputs.size(); ++i) {
        inputs.push_back({start.inputs[i].path, start.inputs[i].bytes});
    }
    return io::to_line({{"is_complete", start.is_complete},
                        {"target", static_cast<int>(start.target)},
                        {"options", options_json(options)},
                        {"inputs", inputs}});
}

Start start_from_text(const std::string& text, const Options& options) {
    const io::Json json = io::parse_json(text, "what rank 0 found");
    if (json["options"] != options_json(options)) {
        throw UsageError("this rank was started with other options than rank 0");
    }
    std::vector<Input> inputs;
    for (const io::Json& entry : json["inputs"]) {
        const auto path = entry[0].get<std::string>();
        inputs.push_back(make_input(path, path, options.reader, entry[1].get<uint64_t>(), false));
    }
    return {json["is_complete"].get<bool>(), static_cast<Target>(json["target"].get<int>()),
            Inputs(std::move(inputs))};
}

Start agree_on_start(comm::Comm& comm, const Options& options) {
    Start start;
    comm::agree_on(comm, [&] {
        if (comm.rank() == 0) start = look(options);
    });
    const std::string text = comm.broadcast_bytes(comm.rank() == 0 ? to_text(start, options) : "",
                                                  0, {-1, -1, "what rank 0 found"});
    comm::agree_on(comm, [&] { start = start_from_text(text, options); });
    return start;
}

Options options_of_rank(comm::Comm& comm, const Options& given) {
    Options options = given;
    if (comm.rank() > 0) options.progress = false;
    return options;
}

class RankedRun {
 public:
    RankedRun(comm::Comm& comm, const Options& given, Start start)
        : options_(options_of_rank(comm, given)),
          start_(std::move(start)),
          memory_(plan_memory(options_)),
          area_(options_.tmp_dir),
          context_{comm, options_, memory_, area_, start_.inputs} {}

    void execute() {
        const bool has_order = !options_.keep.is_input_order();
        KeySpools keys(options_.parameters.bands, has_order, memory_.sort_bytes / 2, area_);
        RankDocuments documents = sign_inputs(keys);
        RankGroups groups =
            group_over_ranks(context_.comm, documents, options_, memory_, area_, keys);
        clock_.end_stage("group", 0);
        const CandidateWriter candidates = read_again_for(documents, groups, keys);
        RankDecisions decisions =
            decide_over_ranks(context_, documents, groups, candidates, keys.bad);
        clock_.end_stage("cluster", 0);
        write_output(documents, groups, decisions);
    }

 private:
    void wait_for_all(const char* what) { context_.comm.barrier({-1, -1, what}); }

    RankDocuments sign_inputs(KeySpools& keys) {
        const InputShare share =
            share_of(start_.inputs, context_.comm.rank(), context_.comm.size());
        Inputs own = start_.inputs.slice(share.begin, share.end);
        cli::Progress progress("signing", own.total_bytes(), options_.progress);
        const Signed result =
            sign(own, options_, memory_, area_, keys, [&](uint64_t n) { progress.add(n); });
        progress.finish();
        RankDocuments documents = gather_documents(context_.comm, share, result);
        if (context_.is_first()) documents.bad.warn();
        comm::agree_on(context_.comm, [&] {
            if (!context_.is_first()) return;
            documents.bad.check(options_.reader.policy, documents.num_records);
        });
        clock_.end_stage("sign", total_of(documents.sources).text_bytes);
        return documents;
    }

    CandidateWriter read_again_for(const RankDocuments& documents, RankGroups& groups,
                                   KeySpools& keys) {
        uint64_t bytes = 0;
        for (size_t i = 0; i < groups.has_candidates.size(); ++i) {
            if (groups.has_candidates[i]) bytes += start_.inputs[documents.share.begin + i].bytes;
        }
        cli::Progress progress("shingles", bytes, options_.progress);
        CandidateWriter candidates = read_candidates(context_, documents, groups, keys.orders,
                                                     [&](uint64_t n) { progress.add(n); });
        progress.finish();
        keys.orders.clear();
        wait_for_all("shingles");
        clock_.end_stage("shingles", 0);
        return candidates;
    }

    void write_output(RankDocuments& documents, const RankGroups& groups,
                      RankDecisions& decisions) {
        if (context_.is_first()) retract_earlier_output(options_, start_.inputs, start_.target);
        wait_for_all("earlier output is away");
        const InputShare share = documents.share;
        // A killed run leaves this begun manifest, by which the next one knows the file as ours.
        std::optional<io::AtomicFile> begun_manifest;
        if (start_.target == Target::kFile && share.begin < share.end) {
            begun_manifest.emplace(options_.output + ".manifest.json");
        }
        RankOutput output(context_, documents, start_.target);
        const Inputs own = start_.inputs.slice(share.begin, share.end);
        cli::Progress progress("removing", own.total_bytes(), options_.progress);
        output.write(decisions.rows, [&](uint64_t n) { progress.add(n); });
        progress.finish();
        Outcome outcome{options_,
                        start_.inputs,
                        start_.target,
                        documents.sources,
                        start_.inputs,
                        documents.sources,
                        {},
                        {},
                        documents.bad,
                        decisions.counts,
                        groups.counts,
                        {},
                        0};
        output.gather(outcome);
        clock_.end_stage("apply", total_of(documents.sources).text_bytes);
        if (context_.is_first()) publish(outcome);
        wait_for_all("manifests are written");
        begun_manifest.reset();
        if (context_.is_first()) conclude(outcome, clock_);
    }

    Options options_;
    Start start_;
    MemoryPlan memory_;
    SpillArea area_;
    StageClock clock_;
    RankContext context_;
};

}  // namespace

ExitCode run_over_ranks(comm::Comm& comm, const Options& options) {
    Start start = agree_on_start(comm, options);
    if (start.is_complete) {
        if (comm.rank() == 0) log::info("{} is complete already", options.output);
        return ExitCode::kOk;
    }
    RankedRun(comm, options, std::move(start)).execute();
    return ExitCode::kOk;
}

ExitCode run_over_mpi(const Options& options) {
    comm::MpiEnv mpi;
    const std::unique_ptr<comm::World> world = mpi.world();
    world->set_timeout(0);  // a rank may have hours of work more than another
    if (mpi.rank() > 0) log::set_level(log::Level::kWarn);
    try {
        return run_over_ranks(world->comm(), options);
    } catch (const comm::AgreedError& error) {
        // All ranks are here: they end in order, and one says why.
        if (mpi.rank() == 0) log::error("{}", error.describe());
        return error.exit_code();
    }
}

}  // namespace longhaul::dedup

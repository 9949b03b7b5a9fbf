// SPDX-License-Identifier: BSD-3-Clause
// The dry run: the real set-up code on a counting allocator and a recording communicator.
#include <algorithm>
#include <map>

#include "lib/base/units.h"
#include "lib/cli/output.h"
#include "lib/comm/world.h"
#include "lib/io/json.h"
#include "lib/train/read_ahead.h"
#include "lib/train/run.h"
#include "lib/train/sample_reader.h"

namespace longhaul::train {

namespace {

struct RankGroup {
    int first_rank = 0, num_ranks = 0;
    tensor::MemoryUsage usage{};
};

/// What the engine takes, and the samples that are read ahead.
tensor::MemoryUsage plan_rank(const TrainConfig& config, const EngineOptions& options,
                              int world_size, int rank) {
    const auto world = comm::record_world(world_size, rank);
    tensor::CountingAlloc counting;
    const Engine engine(options, world->comm(), counting);
    tensor::MemoryUsage usage = counting.used();
    usage[static_cast<size_t>(tensor::MemoryClass::kHost)] += ReadAhead::memory_bytes(
        config.data, engine.local_samples().count, options.attends_document);
    return usage;
}

/// Ranks with the same memory together, in order of their first rank.
std::vector<RankGroup> plan_ranks(const TrainConfig& config, const EngineOptions& options,
                                  int world_size) {
    std::vector<RankGroup> groups;
    for (int rank = 0; rank < world_size; ++rank) {
        const tensor::MemoryUsage usage = plan_rank(config, options, world_size, rank);
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const RankGroup& group) {
            return group.usage == usage;
        });
        if (same != groups.end()) {
            ++same->num_ranks;
        } else {
            groups.push_back({rank, 1, usage});
        }
    }
    return groups;
}

io::Json usage_json(const tensor::MemoryUsage& usage) {
    io::Json json;
    for (int i = 0; i < tensor::kNumMemoryClasses; ++i) {
        const auto memory_class = static_cast<tensor::MemoryClass>(i);
        json[std::string(tensor::name_of(memory_class)) + "_bytes"] = usage[static_cast<size_t>(i)];
    }
    json["total_bytes"] = tensor::total_bytes(usage);
    return json;
}

struct Plan {
    int world_size = 1;
    int64_t parameters = 0, tokens_per_step = 0, steps = 0;
    double flops_per_token = 0;
    double epochs = 0;  // 0: the data was not looked at
    std::vector<RankGroup> ranks;
};

void print_json(const Plan& plan) {
    io::Json json;
    json["schema"] = 1;
    json["world_size"] = plan.world_size;
    json["parameters"] = plan.parameters;
    json["tokens_per_step"] = plan.tokens_per_step;
    json["steps"] = plan.steps;
    json["flops_per_token"] = plan.flops_per_token;
    if (plan.epochs > 0) json["epochs"] = plan.epochs;
    json["ranks"] = io::Json::array();
    for (const RankGroup& group : plan.ranks) {
        io::Json entry;
        entry["first_rank"] = group.first_rank;
        entry["num_ranks"] = group.num_ranks;
        entry["memory"] = usage_json(group.usage);
        json["ranks"].push_back(std::move(entry));
    }
    cli::print_line("{}", io::to_line(json));
}

void print_text(const Plan& plan) {
    const double tokens =
        static_cast<double>(plan.tokens_per_step) * static_cast<double>(plan.steps);
    cli::print_line("parameters    {} ({})", plan.parameters,
                    human_count(static_cast<double>(plan.parameters)));
    cli::print_line("ranks         {}", plan.world_size);
    cli::print_line("step          {} tokens, {:.3g} FLOP", plan.tokens_per_step,
                    plan.flops_per_token * static_cast<double>(plan.tokens_per_step));
    cli::print_line("run           {} steps, {} tokens, {:.3g} FLOP", plan.steps,
                    human_count(tokens), tokens * plan.flops_per_token);
    if (plan.epochs > 0) cli::print_line("data          {:.2f} epochs", plan.epochs);
    for (const RankGroup& group : plan.ranks) {
        cli::print_line("");
        cli::print_line("memory of {} rank{} like rank {}", group.num_ranks,
                        group.num_ranks == 1 ? "" : "s", group.first_rank);
        for (int i = 0; i < tensor::kNumMemoryClasses; ++i) {
            const uint64_t bytes = group.usage[static_cast<size_t>(i)];
            cli::print_line("  {:<12}{:>16} bytes  {:>10}",
                            tensor::name_of(static_cast<tensor::MemoryClass>(i)), bytes,
                            human_bytes(bytes));
        }
        const uint64_t total = tensor::total_bytes(group.usage);
        cli::print_line("  {:<12}{:>16} bytes  {:>10}", "total", total, human_bytes(total));
    }
}

}  // namespace

void print_plan(const TrainConfig& config, int world_size, bool json) {
    Plan plan;
    int64_t vocab_size = config.model.vocab_size;
    plan.tokens_per_step = config.data.global_batch * config.data.seq_len;
    plan.steps = config.job.steps;
    if (vocab_size == 0) {  // the only thing that needs the data
        const auto data = open_training_data(config);
        vocab_size = data->identity().vocab_size;
        plan.epochs = static_cast<double>(config.data.global_batch) *
                      static_cast<double>(plan.steps) /
                      static_cast<double>(data->identity().num_windows);
    }
    const EngineOptions options = engine_options_of(config, vocab_size);
    plan.world_size = world_size;
    plan.parameters = model::num_parameters(options.model);
    plan.flops_per_token = model::flops_per_token(options.model, config.data.seq_len);
    plan.ranks = plan_ranks(config, options, world_size);
    if (json) {
        print_json(plan);
    } else {
        print_text(plan);
    }
}

}  // namespace longhaul::train

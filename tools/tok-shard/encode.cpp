// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "lib/base/error.h"
#include "lib/cluster/environment.h"
#include "lib/tokenize/encode.h"
#include "tools/tok-shard/subcommands.h"

namespace longhaul::tok_shard {

namespace {

std::string tmp_dir_or_default(const std::string& given) {
    if (!given.empty()) return given;
    const char* const variable = std::getenv("TMPDIR");
    return variable != nullptr && *variable != '\0' ? variable : "/tmp";
}

/// A page of a Parquet file is in memory beside the batches, twice while it is unpacked.
uint64_t max_page_bytes(uint64_t memory_bytes) {
    constexpr uint64_t kMost = uint64_t{512} << 20;
    return memory_bytes == 0 ? kMost : std::min(kMost, memory_bytes / 4);
}

/// Options as words, before they are looked at.
struct Words {
    ReaderWords reader;
    std::string special_text = "plain", empty = "skip", task;
    cli::Bytes unit_size{512ull << 20};
    ContainerWords container;
    cli::CommonOptions common;
};

void add_options(cli::Command& command, tokenize::EncodeJob& job, Words& words) {
    add_tokenizer_options(command, job.tokenizer);
    command.option("-o,--output", job.output, "DIR", "folder of the shards").required();
    command
        .positional("INPUT", job.inputs,
                    "documents: JSON Lines, text (.gz, .zst) or Parquet; - is stdin")
        .required();
    const std::string group = "Tokens";
    add_border_options(command, job.bos, job.eos, group);
    command
        .option("--special-text", words.special_text, "WORD",
                "text of control tokens in documents: plain, parse or refuse")
        .choices({"plain", "parse", "refuse"})
        .group(group);
    command.option("--empty", words.empty, "WORD", "documents without text: skip, keep or bare")
        .choices({"skip", "keep", "bare"})
        .group(group);
    add_reader_options(command, job.reader, words.reader);
    command.option("--unit-size", words.unit_size, "SIZE", "bytes of input of a unit of work");
    add_container_options(command, words.container);
    command.option("--task", words.task, "I/N",
                   "do units I, I+N, ... only; default: the place among ranks and array tasks");
    command.option("--parent", job.parent, "FILE", "manifest of what comes on stdin");
    command.option("--report", job.report, "FILE", "write times and rates as JSON");
    command.flag("--dry-run", job.dry_run, "print the plan, do nothing");
    command.flag("--force", job.force, "remove what is in DIR and begin anew");
    cli::add_common_options(command, words.common,
                            cli::kQuietVerbose | cli::kProgress | cli::kThreads | cli::kMemory);
}

/// Ranks are started with the same words: what would be theirs alone is told apart here.
void finish_for_rank(tokenize::EncodeJob& job, const Words& words) {
    const cluster::TaskShare rank = cluster::read_rank_share();
    if (!words.task.empty() || rank.count == 1) return;
    if (!job.report.empty()) job.report += format(".{}", rank.index);
    if (rank.index > 0) job.progress = false;
}

}  // namespace

ExitCode run_encode(const std::string& name, const cli::Args& args) {
    tokenize::EncodeJob job;
    Words words;
    cli::Command command(name, "text to token shards");
    std::vector<std::pair<std::string, std::string>> lines;
    for (const cli::Subcommand& sub : subcommands()) lines.emplace_back(sub.name, sub.one_line);
    if (name == "tok-shard") command.list_subcommands(std::move(lines));
    command.footer(
        "Examples (more in man tok-shard):\n"
        "  tok-shard train -o tokenizer.json corpus.jsonl.zst\n"
        "  tok-shard -t tokenizer.json -o shards corpus.jsonl.zst\n"
        "  tok-shard verify shards");
    add_options(command, job, words);
    command.parse(args);
    finish_reader_options(job.reader, words.reader);
    job.special_text = words.special_text == "parse"    ? token::SpecialText::kParse
                       : words.special_text == "refuse" ? token::SpecialText::kRefuse
                                                        : token::SpecialText::kPlain;
    job.empty_documents = words.empty == "keep"   ? tokenize::EmptyDocuments::kKeep
                          : words.empty == "bare" ? tokenize::EmptyDocuments::kBare
                                                  : tokenize::EmptyDocuments::kSkip;
    job.container = finish_container_options(command, words.container);
    job.unit_bytes = words.unit_size.value;
    if (job.unit_bytes == 0) throw UsageError("--unit-size must be above 0");
    job.threads = cli::resolve_threads(words.common.threads);
    job.memory_bytes = words.common.memory.value;
    job.reader.max_page_bytes = max_page_bytes(job.memory_bytes);
    job.tmp_dir = tmp_dir_or_default(words.common.tmp_dir);
    const cluster::TaskShare share = cluster::resolve_ranked_share(words.task);
    job.task = {share.index, share.count};
    job.progress = words.common.progress;
    finish_for_rank(job, words);
    return tokenize::run_encode(job);
}

}  // namespace longhaul::tok_shard

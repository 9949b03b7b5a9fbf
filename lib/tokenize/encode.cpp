// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/encode.h"

#include <chrono>
#include <filesystem>
#include <set>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cli/output.h"
#include "lib/cli/progress.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "lib/record/report.h"
#include "lib/tokenize/finish.h"
#include "lib/tokenize/output_check.h"
#include "lib/tokenize/output_folder.h"
#include "lib/tokenize/output_lock.h"
#include "lib/tokenize/plan.h"
#include "lib/tokenize/unit_record.h"
#include "lib/tokenize/unit_run.h"

namespace longhaul::tokenize {

namespace {

namespace fs = std::filesystem;

bool reads_stream(const Plan& plan, const EncodeJob& job) {
    for (size_t i = 0; i < job.inputs.size(); ++i) {
        if (job.inputs[i] == "-" ||
            (plan.input_bytes[i] == 0 && !fs::is_regular_file(job.inputs[i]))) {
            return true;
        }
    }
    return false;
}

/// Legal, as a way to weigh inputs, but oftener a slip.
void warn_of_repeats(const EncodeJob& job) {
    std::set<std::string> seen;
    for (const std::string& input : job.inputs) {
        if (!seen.insert(input).second) {
            log::warn("{} is given more than once: so are its documents", input);
        }
    }
}

void print_plan(const EncodeJob& job, const Plan& plan, const token::Tokenizer& tokenizer) {
    cli::print_line("tokenizer {} vocab_size {}", tokenizer.hash().hex(), tokenizer.vocab_size());
    for (size_t unit = 0; unit < plan.units.size(); ++unit) {
        for (const PlannedSegment& segment : plan.units[unit]) {
            cli::print_line("unit {:05} {} bytes {}-{}", unit, job.inputs[segment.input],
                            segment.begin, segment.end);
        }
    }
}

void write_report(const EncodeJob& job, const UnitCounts& counts, double seconds,
                  uint64_t num_units) {
    if (job.report.empty()) return;
    io::Json report{{"schema", 1},
                    {"tool", "tok-shard"},
                    {"threads", job.threads},
                    {"task", job.task.index},
                    {"tasks", job.task.count},
                    {"units", num_units},
                    {"seconds", seconds},
                    {"counts", counts_to_json(counts)}};
    if (seconds > 0) {
        report["text_bytes_per_second"] = static_cast<double>(counts.text_bytes) / seconds;
    }
    io::write_file_atomically(job.report, io::to_pretty(report));
}

/// What the command line alone tells, before anything is read or written.
void check_paths(const EncodeJob& job) {
    if (!job.report.empty()) {
        std::vector<std::string> read = job.inputs;
        read.push_back(job.tokenizer.path);
        if (!job.parent.empty()) read.push_back(job.parent);
        check_output_path(job.report, "--report", read);
        record::check_report_path(job.report, "tok-shard");
    }
    if (!job.force) return;
    check_outside(job.tokenizer.path, "--tokenizer", job.output);
    check_outside(job.parent, "--parent", job.output);
    for (const std::string& input : job.inputs) check_outside(input, "input", job.output);
}

/// A report that can not be written is told before the work, not after it.
void probe_report(const std::string& path) {
    if (path.empty()) return;
    with_context([&] { const io::AtomicFile probe(path); }, "--report");
}

/// Does what is left of this task, and says how long it took.
void encode_task(const UnitContext& context, const Plan& plan, bool is_stream) {
    const EncodeJob& job = context.job;
    const auto begin = std::chrono::steady_clock::now();
    io::create_directories(fs::path(job.output) / ".units");
    const auto [counts, num_units] = encode_units(context, plan, is_stream);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    write_report(job, counts, elapsed.count(), num_units);
    const std::string who =
        job.task.count == 1 ? "" : format("task {} of {}: ", job.task.index, job.task.count);
    log::info("{}{} documents, {} tokens, {} of text in {}", who, counts.documents, counts.tokens,
              human_bytes(counts.text_bytes), human_duration(elapsed.count()));
}

void check_raw_bytes(const EncodeJob& job, const token::Tokenizer& tokenizer) {
    if (job.reader.text_policy.invalid_utf8 != corpus::InvalidUtf8::kBytes) return;
    const std::string why = token::why_no_raw_bytes(tokenizer);
    if (why.empty()) return;
    throw UsageError(format("--invalid-utf8 bytes does not go with {}: {}; replace does",
                            job.tokenizer.path, why));
}

/// @throws UsageError: what is there is damaged, or was made of something else
void confirm_complete(const EncodeJob& job, const token::Tokenizer& tokenizer, bool is_stream) {
    check_complete(job, tokenizer);
    if (is_stream) check_streams(job);
    log::info("{} is complete already", job.output);
}

}  // namespace

ExitCode run_encode(const EncodeJob& job) {
    plan_memory(job, 1);  // complains before anything is written
    check_paths(job);
    if (!job.parent.empty()) {
        with_context([&] { return record::read_manifest(job.parent); }, "--parent");
    }
    const token::Tokenizer tokenizer = token::load_tokenizer(job.tokenizer);
    for (const std::string& warning : tokenizer.parts().warnings) log::warn("{}", warning);
    check_raw_bytes(job, tokenizer);
    const shards::Borders borders{resolve_bos(tokenizer, job.bos), resolve_eos(tokenizer, job.eos)};
    const Plan plan = make_plan(job);
    if (job.dry_run) {
        print_plan(job, plan, tokenizer);
        return ExitCode::kOk;
    }
    const bool is_stream = reads_stream(plan, job);
    if (is_stream && job.task.count > 1) {
        throw UsageError("standard input and pipes can not be divided over tasks");
    }
    warn_of_repeats(job);
    job.container.token_type(tokenizer.vocab_size());  // complains before anything is written
    const record::Manifest asked = plan_manifest(job, plan, tokenizer, borders);
    io::create_directories(job.output);
    const OutputLock lock(job.output, job.task);
    const bool is_complete = prepare_output(job.output, job.force, job.task, asked);
    remove_leftovers(job.output, job.task);
    if (is_complete) {
        confirm_complete(job, tokenizer, is_stream);
        return ExitCode::kOk;
    }
    probe_report(job.report);
    if (is_stream) fs::remove_all(fs::path(job.output) / ".units");  // a pipe is not read twice
    cli::Progress progress("encode", plan.total_bytes / job.task.count, job.progress);
    const UnitContext context{job, tokenizer, borders,
                              [&progress](uint64_t bytes) { progress.add(bytes); }};
    encode_task(context, plan, is_stream);
    progress.finish();
    finish_output(context, plan, asked);
    return ExitCode::kOk;
}

}  // namespace longhaul::tokenize

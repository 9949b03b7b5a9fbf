// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/slurmapi/jobs.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <memory>
#include <optional>

#include "lib/cluster/hostlist.h"
#include "lib/io/json.h"
#include "lib/slurmapi/session.h"
#include "lib/slurmapi/slurm_versions.h"

namespace longhaul::slurmapi {
namespace {

struct FreeJobs {
    void operator()(job_info_msg_t* message) const { slurm_free_job_info_msg(message); }
};
using JobsPtr = std::unique_ptr<job_info_msg_t, FreeJobs>;

struct FreeResponse {
    void operator()(job_array_resp_msg_t* message) const { slurm_free_job_array_resp(message); }
};
using ResponsePtr = std::unique_ptr<job_array_resp_msg_t, FreeResponse>;

constexpr const char* kStates[] = {"PENDING",   "RUNNING",   "SUSPENDED", "COMPLETED",
                                   "CANCELLED", "FAILED",    "TIMEOUT",   "NODE_FAIL",
                                   "PREEMPTED", "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY"};

std::string state_name(uint32_t state) {
    const uint32_t base = state & JOB_STATE_BASE;
    return base < std::size(kStates) ? kStates[base] : format("STATE_{}", base);
}

io::Json flag_names(uint32_t state) {
    io::Json names = io::Json::array();
    if (state & JOB_COMPLETING) names.push_back("COMPLETING");
    if (state & JOB_CONFIGURING) names.push_back("CONFIGURING");
    if (state & JOB_REQUEUE) names.push_back("REQUEUED");
    if (state & JOB_REQUEUE_HOLD) names.push_back("REQUEUE_HOLD");
    if (state & JOB_SPECIAL_EXIT) names.push_back("SPECIAL_EXIT");
    return names;
}

/// The reasons that decide something; others by number.
std::string reason_name(uint32_t reason) {
    switch (reason) {
        case WAIT_NO_REASON:
            return "None";
        case WAIT_PRIORITY:
            return "Priority";
        case WAIT_DEPENDENCY:
            return "Dependency";
        case WAIT_RESOURCES:
            return "Resources";
        case WAIT_PART_NODE_LIMIT:
            return "PartitionNodeLimit";
        case WAIT_PART_TIME_LIMIT:
            return "PartitionTimeLimit";
        case WAIT_PART_DOWN:
            return "PartitionDown";
        case WAIT_HELD:
            return "JobHeldAdmin";
        case WAIT_HELD_USER:
            return "JobHeldUser";
        case WAIT_TIME:
            return "BeginTime";
        case WAIT_NODE_NOT_AVAIL:
            return "ReqNodeNotAvail";
        case WAIT_CLEANING:
            return "Cleaning";
        case WAIT_PROLOG:
            return "Prolog";
        case FAIL_DOWN_NODE:
            return "NodeDown";
        case FAIL_LAUNCH:
            return "JobLaunchFailure";
        case FAIL_EXIT_CODE:
            return "NonZeroExitCode";
        case FAIL_TIMEOUT:
            return "TimeLimit";
        default:
            return format("Reason{}", reason);
    }
}

struct ParsedId {
    uint32_t job = 0;
    std::optional<uint32_t> array_task;
};

ParsedId parse_id(const std::string& text) {
    const auto number = [&](const std::string& digits) {
        uint32_t value = 0;
        const char* end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, value);
        if (digits.empty() || error != std::errc() || stop != end) {
            throw UsageError(
                format("\"{}\" is not a job id (such as 12, or 12_3 for a task of "
                       "an array)",
                       text));
        }
        return value;
    };
    const size_t cut = text.find('_');
    ParsedId id{number(text.substr(0, cut)), std::nullopt};
    if (cut != std::string::npos) id.array_task = number(text.substr(cut + 1));
    return id;
}

JobsPtr load_jobs(const std::string& job_id) {
    job_info_msg_t* message = nullptr;
    check(load_job(&message, parse_id(job_id).job), "reading the job");
    return JobsPtr(message);
}

/// The record of `job_id`; that of an array has one for every task.
const slurm_job_info_t& select_record(const job_info_msg_t& message, const std::string& job_id) {
    const ParsedId id = parse_id(job_id);
    for (uint32_t i = 0; i < message.record_count; ++i) {
        const slurm_job_info_t& job = message.job_array[i];
        if (!id.array_task || job.array_task_id == *id.array_task) return job;
    }
    throw SlurmError("reading the job", ESLURM_INVALID_JOB_ID);
}

std::string text_of(const char* text) {
    return text ? text : "";
}

/// Seconds until the time limit; null without a limit or when the job is not running.
io::Json time_left_s(const slurm_job_info_t& job) {
    const uint32_t base = job.job_state & JOB_STATE_BASE;
    if ((base != JOB_RUNNING && base != JOB_SUSPENDED) || job.time_limit == INFINITE)
        return nullptr;
    return std::max<int64_t>(job.end_time - time(nullptr), 0);
}

/// Reports what single array tasks said; one refusal is an error.
void check_response(ResponsePtr response, const char* what) {
    for (uint32_t i = 0; response && i < response->job_array_count; ++i) {
        if (response->error_code[i])
            throw SlurmError(what, static_cast<int>(response->error_code[i]));
    }
}

void update_job(const std::string& job_id, job_desc_msg_t& change, const char* what) {
    std::string id = job_id;
    change.job_id_str = id.data();
    job_array_resp_msg_t* response = nullptr;
    check(slurm_update_job2(&change, &response), what);
    check_response(ResponsePtr(response), what);
}

job_desc_msg_t empty_change() {
    job_desc_msg_t change;
    slurm_init_job_desc_msg(&change);
    return change;
}

}  // namespace

io::Json load_job_json(const std::string& job_id) {
    const JobsPtr message = load_jobs(job_id);
    const slurm_job_info_t& job = select_record(*message, job_id);
    io::Json json;
    json["schema"] = 1;
    json["job_id"] = job_id;
    json["state"] = state_name(job.job_state);
    json["flags"] = flag_names(job.job_state);
    json["reason"] = reason_name(job.state_reason);
    json["partition"] = text_of(job.partition);
    json["nodes"] = text_of(job.nodes);
    json["num_nodes"] = cluster::expand_hostlist(text_of(job.nodes)).size();
    json["batch_host"] = text_of(job.batch_host);
    json["excluded_nodes"] = text_of(job.exc_nodes);
    json["restart_count"] = job.restart_cnt;
    json["requeue"] = job.requeue != 0;
    json["start_unix_s"] = static_cast<int64_t>(job.start_time);
    json["end_unix_s"] = static_cast<int64_t>(job.end_time);
    json["preempt_unix_s"] = static_cast<int64_t>(job.preempt_time);
    json["time_limit_s"] = job.time_limit == INFINITE || job.time_limit == NO_VAL
                               ? io::Json(nullptr)
                               : io::Json(uint64_t{job.time_limit} * 60);
    json["time_left_s"] = time_left_s(job);
    json["comment"] = text_of(job.comment);
    json["work_dir"] = text_of(job.work_dir);
    return json;
}

void requeue_job(const std::string& job_id, bool is_held) {
    parse_id(job_id);
    std::string id = job_id;
    job_array_resp_msg_t* response = nullptr;
    check(slurm_requeue2(id.data(), is_held ? JOB_REQUEUE_HOLD : 0, &response),
          "requeueing the job");
    check_response(ResponsePtr(response), "requeueing the job");
}

void hold_job(const std::string& job_id, const std::string& comment) {
    const JobsPtr message = load_jobs(job_id);
    const bool is_pending =
        (select_record(*message, job_id).job_state & JOB_STATE_BASE) == JOB_PENDING;
    if (!is_pending) requeue_job(job_id, true);
    job_desc_msg_t change = empty_change();
    std::string text = comment;
    if (!comment.empty()) change.comment = text.data();
    if (is_pending) {
        change.priority = 0;
        change.alloc_sid = ALLOC_SID_USER_HOLD;
    }
    if (is_pending || !comment.empty()) update_job(job_id, change, "holding the job");
}

std::string exclude_hosts(const std::string& job_id, const std::string& hosts) {
    const JobsPtr message = load_jobs(job_id);
    const std::string before = text_of(select_record(*message, job_id).exc_nodes);
    std::string all = cluster::union_of_hostlists(before, hosts);
    job_desc_msg_t change = empty_change();
    change.exc_nodes = all.data();
    update_job(job_id, change, "excluding hosts");
    return all;
}

void start_job_now(const std::string& job_id) {
    job_desc_msg_t change = empty_change();
    change.begin_time = time(nullptr);
    update_job(job_id, change, "setting the start time");
}

void signal_steps(const std::string& job_id, int signal) {
    parse_id(job_id);
    check(slurm_kill_job2(job_id.c_str(), static_cast<uint16_t>(signal), KILL_STEPS_ONLY, nullptr),
          "signalling the steps");
}

}  // namespace longhaul::slurmapi

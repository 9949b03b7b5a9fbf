// SPDX-License-Identifier: BSD-3-Clause
// The texts are recorded from Slurm 22.05.8.
#include "lib/cluster/scontrol.h"

#include <doctest/doctest.h>

using namespace longhaul::cluster;

namespace {

constexpr const char* kJob =
    "JobId=7 JobName=my long name UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=4294901754 "
    "Nice=0 Account=(null) QOS=(null) JobState=RUNNING Reason=None Dependency=(null) Requeue=1 "
    "Restarts=2 BatchFlag=1 Reboot=0 ExitCode=0:0 RunTime=00:00:03 TimeLimit=1-00:05:00 "
    "TimeMin=N/A SubmitTime=1700000000 EligibleTime=1700000006 AccrueTime=1700000006 "
    "StartTime=1700000010 EndTime=1700000310 Deadline=N/A PreemptEligibleTime=1700000010 "
    "PreemptTime=None SuspendTime=None SecsPreSuspend=0 LastSchedEval=1700000010 "
    "Scheduler=Main Partition=debug AllocNode:Sid=ctl:1 ReqNodeList=(null) ExcNodeList=n2 "
    "NodeList=n[1,3-4] BatchHost=n1 NumNodes=3 NumCPUs=3 Comment=held: 3 restarts, cause=node "
    "WorkDir=/shared/my runs StdErr=/shared/x.out";

}  // namespace

TEST_CASE("scontrol: a job's record, blanks inside values") {
    const JobInfo job = job_from_record(parse_record(kJob), 1700000020);
    CHECK(job.job_id == "7");
    CHECK(job.is_running());
    CHECK(job.reason == "");
    CHECK(job.nodes == "n[1,3-4]");
    CHECK(job.batch_host == "n1");
    CHECK(job.excluded_nodes == "n2");
    CHECK(job.restart_count == 2);
    CHECK(job.requeue);
    CHECK(job.time_limit_s == 86700);
    CHECK(job.time_left_s == 290);
    CHECK(job.preempt_unix_s == 0);
    CHECK(job.comment == "held: 3 restarts, cause=node");
    CHECK(job.work_dir == "/shared/my runs");
}

TEST_CASE("scontrol: a pending job without a limit") {
    const JobInfo job = job_from_record(
        parse_record("JobId=7 JobState=PENDING Reason=JobHeldUser Requeue=0 TimeLimit=UNLIMITED "
                     "EndTime=Unknown NodeList=(null)"),
        100);
    CHECK(job.state == "PENDING");
    CHECK(job.reason == "JobHeldUser");
    CHECK_FALSE(job.requeue);
    CHECK_FALSE(job.time_limit_s);
    CHECK_FALSE(job.time_left_s);
    CHECK(job.nodes.empty());
}

TEST_CASE("scontrol: node states") {
    const NodeInfo node = node_from_record(parse_record(
        "NodeName=n2 Arch=x86_64 State=DOWN*+DRAIN ThreadsPerCore=1 Reason=Not responding "
        "[slurm@2024-01-01T00:00:00]"));
    CHECK(node.name == "n2");
    CHECK(node.state == "DOWN");
    CHECK(node.has_flag("NOT_RESPONDING"));
    CHECK(node.has_flag("DRAIN"));
    CHECK(node.is_lost());
    CHECK_FALSE(node_from_record(parse_record("NodeName=n1 State=MIXED+DRAIN")).is_lost());
}

TEST_CASE("scontrol: configuration lines") {
    SiteConf site;
    site.keys = parse_config_lines(
        "Configuration data as of 2024-01-01T00:00:00\nKillWait                = 30 sec\n"
        "Prolog                  = (null)\nSlurmctldParameters     = a=1,b\n\n"
        "Cgroup Support Configuration:\n");
    CHECK(site.number("KillWait") == 30);
    CHECK(site.text("Prolog") == "");
    CHECK(site.text("SlurmctldParameters") == "a=1,b");
    CHECK_FALSE(site.number("Nothing"));
    CHECK(site.keys.size() == 3);
}

TEST_CASE("scontrol: partitions and durations") {
    const PartitionInfo partition = partition_from_record(
        parse_record("PartitionName=debug GraceTime=5 MaxTime=2-00:00:00 PreemptMode=REQUEUE"));
    CHECK(partition.grace_time_s == 5);
    CHECK(partition.max_time_s == 172800);
    CHECK(partition.preempt_mode == "REQUEUE");
    CHECK(parse_slurm_duration_s("01:02:03") == 3723);
    CHECK(parse_slurm_duration_s("02:03") == 123);
    CHECK_FALSE(parse_slurm_duration_s("UNLIMITED"));
    CHECK_FALSE(parse_slurm_duration_s("INVALID-1"));
}

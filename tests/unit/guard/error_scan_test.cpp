// SPDX-License-Identifier: BSD-3-Clause
// Lines recorded from srun and slurmstepd of Slurm 22.05, mpirun 4.1.4, NCCL and the kernel.
#include "lib/guard/error_scan.h"

#include <doctest/doctest.h>

using namespace longhaul::guard;

TEST_CASE("error scan: lines that tell a cause and a host") {
    struct Row {
        const char* line;
        Cause cause;
        const char* host;
    };
    const Row rows[] = {
        {"srun: error: n2: task 1: Killed", Cause::kNode, "n2"},
        {"srun: error: gpu-03.example: tasks 8-15: Segmentation fault (core dumped)", Cause::kCode,
         "gpu-03.example"},
        {"srun: error: n1: task 0: Exited with exit code 3", Cause::kCode, "n1"},
        {"srun: error: n1: task 0: Out Of Memory", Cause::kMemory, "n1"},
        {"srun: error: Node failure on n3", Cause::kNode, "n3"},
        {"slurmstepd-n1: error: *** STEP 1.0 ON n1 CANCELLED AT 2024-01-01T00:00:00 DUE TO NODE "
         "FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
         Cause::kNode, ""},
        {"slurmstepd: error: *** JOB 5 ON n1 CANCELLED AT 2024-01-01T00:00:00 DUE TO TIME LIMIT "
         "***",
         Cause::kTimeLimit, ""},
        {"slurmstepd: error: Detected 1 oom-kill event(s) in StepId=5.0.", Cause::kMemory, ""},
        {"srun: error: Task launch for StepId=1.1 failed on node n2: Communication connection "
         "failure",
         Cause::kNode, "n2"},
        {"mpirun noticed that process rank 1 with PID 0 on node n2 exited on signal 9 (Killed).",
         Cause::kNode, "n2"},
        {"RuntimeError: CUDA error: an illegal memory access was encountered", Cause::kGpu, ""},
        {"NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus.", Cause::kGpu, ""},
        {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
         Cause::kMemory, ""},
        {"n4: NCCL WARN ncclSystemError: System call failed", Cause::kNetwork, ""},
        {"write: No space left on device", Cause::kDisk, ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        const auto clue = read_clue(row.line);
        REQUIRE(clue);
        CHECK(cause_name(clue->cause) == std::string(cause_name(row.cause)));
        CHECK(clue->host == row.host);
    }
}

TEST_CASE("error scan: ordinary lines tell nothing") {
    for (const char* line : {"", "step 12 loss 3.2", "srun: job 5 queued and waiting",
                             "srun: error: ", "srun: error: n1: something else"}) {
        CAPTURE(line);
        CHECK_FALSE(read_clue(line));
    }
}

TEST_CASE("error scan: the root outweighs its echoes, in pieces of any size") {
    const std::string text =
        "rank 0: Connection reset by peer\n"
        "srun: error: n2: task 1: Killed\n"
        "srun: error: n1: task 0: Terminated\n"
        "slurmstepd-n2: error: Detected 1 oom-kill event(s) in StepId=5.0.\n";
    for (size_t piece : {size_t{1}, size_t{7}, text.size()}) {
        ErrorScan scan;
        for (size_t at = 0; at < text.size(); at += piece) {
            scan.feed(std::string_view(text).substr(at, piece));
        }
        REQUIRE(scan.best());
        CHECK(scan.best()->cause == Cause::kMemory);
        CHECK(scan.failed_hosts() == std::vector<std::string>{"n2"});
        CHECK(scan.first_task_code() == 137);
    }
}

TEST_CASE("error scan: ranks that saved after another one failed are echoes") {
    ErrorScan scan;
    scan.feed(
        "srun: error: n1: task 0: Exited with exit code 1\n"
        "srun: error: n2: task 1: Exited with exit code 75\n");
    CHECK(scan.first_task_code() == 1);
    CHECK(scan.failed_hosts() == std::vector<std::string>{"n1"});
}

TEST_CASE("error scan: endless lines take no memory") {
    ErrorScan scan;
    const std::string block(1 << 20, 'x');
    for (int i = 0; i < 64; ++i) scan.feed(block);
    scan.feed("\nsrun: error: n2: task 1: Killed\n");
    REQUIRE(scan.best());
    CHECK(scan.best()->host == "n2");
}

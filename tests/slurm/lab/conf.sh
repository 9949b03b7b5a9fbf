# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# The lab's configuration files. write_conf fills $LAB/etc; what differs between the recipes comes
# from the recipe's own conf_addresses, conf_paths and conf_nodes.

# conf_security: munge with a private socket. cred_expire below 5 is refused by slurmctld.
conf_security() {
    cat <<X
SlurmUser=$LAB_USER
SlurmdUser=$LAB_USER
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$LAB/run/munge.sock,cred_expire=5
X
}

# conf_common: settings of both recipes. Timeouts are as short as they help: below 5 s a dead node
# is not noticed any sooner.
conf_common() {
    cat <<X
StateSaveLocation=$LAB/state
SlurmctldPidFile=$LAB/run/slurmctld.pid
SlurmctldLogFile=$LAB/log/slurmctld.log
SlurmdLogFile=$LAB/log/slurmd.%n.log
PlugStackConfig=$LAB/etc/plugstack.conf
DebugFlags=NO_CONF_HASH
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=pmix
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=100000
SlurmdParameters=config_overrides
GresTypes=gpu
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/filetxt
JobCompLoc=$LAB/log/jobcomp.log
JobRequeue=1
JobFileAppend=1
SlurmdTimeout=5
MessageTimeout=5
TCPTimeout=2
KillWait=3
MinJobAge=600
UnkillableStepTimeout=60
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
RequeueExit=101-109
RequeueExitHold=110-119
X
}

# conf_partitions: jobs in "high" preempt those in "debug" after a grace time of 5 s.
conf_partitions() {
    echo "PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE PriorityTier=1" \
        "PreemptMode=REQUEUE GraceTime=5"
    echo "PartitionName=high Nodes=ALL MaxTime=INFINITE PriorityTier=10 PreemptMode=OFF"
}

# write_conf: everything below $LAB/etc, and the folders of the lab.
write_conf() {
    mkdir -p "$LAB"/{etc,run,hosts,state,log,shared}
    if [ ! -s "$LAB/etc/munge.key" ]; then
        head -c 128 /dev/urandom >"$LAB/etc/munge.key" && chmod 400 "$LAB/etc/munge.key"
    fi
    # slurmd loads a cgroup plugin although linuxproc uses none; v1 gets by without a mounted tree.
    echo "CgroupPlugin=cgroup/v1" >"$LAB/etc/cgroup.conf"
    : >"$LAB/etc/plugstack.conf"
    echo "# empty" >"$LAB/etc/mpi.conf"
    # Any character devices serve as GPUs: CUDA_VISIBLE_DEVICES is then set as on a real node.
    echo "Name=gpu File=/dev/null,/dev/zero" >"$LAB/etc/gres.conf"
    {
        echo "ClusterName=lab"
        conf_addresses
        conf_security
        conf_paths
        conf_common
        if [ -n "$LAB_CONF_EXTRA" ]; then cat "$LAB_CONF_EXTRA"; fi
        conf_nodes
        conf_partitions
    } >"$LAB/etc/slurm.conf"
}

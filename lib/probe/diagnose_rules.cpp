// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/diagnose_rules.h"

namespace longhaul::probe {

namespace {

constexpr RuleKind kCause = RuleKind::kCause;
constexpr RuleKind kSlow = RuleKind::kSlow;
constexpr RuleKind kSymptom = RuleKind::kSymptom;

// clang-format off
constexpr std::string_view kShmFullCause =
    "/dev/shm is too small or full (64 MiB is the "
    "default in a container)";
constexpr std::string_view kShmFullRemedy =
    "docker --shm-size=16g or --ipc=host; a memory "
    "volume at /dev/shm in Kubernetes; remove stale /dev/shm/nccl-* files";
constexpr std::string_view kInterfaceNoneCause = "NCCL_SOCKET_IFNAME names no interface of this "
    "node";
constexpr std::string_view kInterfaceNoneRemedy =
    "list the names of all nodes (eno1,eth0) or "
    "unset it";
constexpr std::string_view kInterfaceVirtualRemedy =
    "NCCL_SOCKET_IFNAME=^docker,veth,virbr,br- "
    "or the real interface with = in front";
constexpr std::string_view kInterfaceVirtualCause =
    "NCCL chose a virtual interface, which "
    "reaches no other node";
constexpr std::string_view kConnectNoRouteRemedy =
    "choose an interface that all nodes route "
    "(NCCL_SOCKET_IFNAME); open the port range between the nodes";
constexpr std::string_view kIbRetryExceededCause =
    "packets to the peer are not acknowledged: "
    "wrong GID or subnet (if at first traffic), or a link that flapped (if after hours)";
constexpr std::string_view kIbRetryExceededRemedy =
    "at start: unset NCCL_IB_GID_INDEX (NCCL "
    ">= 2.21 chooses) or set the RoCE v2 index; later: see port errors, link_downed, cable";
constexpr std::string_view kIbFlushedCause = "the queue was flushed after an earlier error";
constexpr std::string_view kIbFlushedRemedy = "look for the first completion error on any rank";
constexpr std::string_view kIbLengthCause =
    "a message was cut: the MTU differs between ports "
    "or switches";
constexpr std::string_view kIbLengthRemedy =
    "set the same MTU on all ports and switches of "
    "the fabric";
constexpr std::string_view kIbProtectionCause =
    "DMA was refused: ACS or the IOMMU redirects "
    "peer-to-peer traffic";
constexpr std::string_view kIbProtectionRemedy =
    "boot with iommu=pt; switch ACS off on the "
    "root ports";
constexpr std::string_view kIbGidRemedy =
    "unset NCCL_IB_GID_INDEX, or choose an index that "
    "show_gids lists on every node";
constexpr std::string_view kNvlsBindCause =
    "NVLink SHARP can not be set up: fabric manager "
    "restarted without GPU reset, or its version differs from the driver's";
constexpr std::string_view kNvlsBindRemedy =
    "reset the GPUs or reboot; meanwhile "
    "NCCL_NVLS_ENABLE=0";
constexpr std::string_view kDesyncCause =
    "ranks called collectives of different sizes, or "
    "with different NCCL settings";
constexpr std::string_view kDesyncRemedy =
    "same NCCL_* on all ranks (nccl-probe env); "
    "compare shapes across ranks";
constexpr std::string_view kJobHostMemoryCause = "the kernel killed a process: host memory";
constexpr std::string_view kJobHostMemoryRemedy = "more --mem, fewer data workers";
constexpr std::string_view kUnhandledRemedy =
    "look for the first NCCL WARN on any rank "
    "(NCCL_DEBUG=INFO)";

constexpr Rule kRules[] = {
    // --- shared memory -----------------------------------------------------------------------
    {"nccl.shm.full", kCause, {"posix_fallocate", "No space left on device"},
     kShmFullCause, kShmFullRemedy, "NVIDIA/nccl#290 #342 #525"},
    {"nccl.shm.full", kCause, {"failed to extend /dev/shm/"},
     kShmFullCause, kShmFullRemedy, "NVIDIA/nccl-tests#166"},
    {"nccl.shm.denied", kCause, {"shm", "Permission denied"},
     "a /dev/shm file of another user is in the way, or /dev/shm is not writable",
     "remove the stale /dev/shm/nccl-* files; check the mode of /dev/shm (1777)",
     "NVIDIA/nccl-tests#328"},
    {"nccl.shm.vanished", kCause, {"attaching to shared memory segment", "No such file"},
     "the peer's /dev/shm file is gone: ranks in containers with separate /dev/shm, or systemd "
     "RemoveIPC=yes removed it",
     "share /dev/shm between the containers (--ipc=host); RemoveIPC=no in logind.conf",
     "NVIDIA/nccl#1589; NCCL troubleshooting guide"},
    // --- interfaces and connections ----------------------------------------------------------
    {"nccl.interface.none", kCause, {"no socket interface found"},
     kInterfaceNoneCause, kInterfaceNoneRemedy, "NVIDIA/nccl#286 #1837"},
    {"nccl.interface.none", kCause, {"with family", "is neither AF_INET"},
     kInterfaceNoneCause, kInterfaceNoneRemedy, "NVIDIA/nccl#1837"},
    {"nccl.interface.virtual", kCause, {"Using ", "docker0:"},
     "NCCL chose a container bridge, which reaches no other node",
     kInterfaceVirtualRemedy, "NVIDIA/nccl#207 #697"},
    {"nccl.interface.virtual", kCause, {"Using ", "]veth", "<0>"},
     kInterfaceVirtualCause, kInterfaceVirtualRemedy, "NVIDIA/nccl#913 #529"},
    {"nccl.interface.virtual", kCause, {"Using veth", "<0>"},
     kInterfaceVirtualCause, kInterfaceVirtualRemedy, "NVIDIA/nccl#913"},
    {"nccl.interface.virtual", kCause, {"Using ", "virbr", "<0>"},
     "NCCL chose a virtual machine bridge, which reaches no other node",
     kInterfaceVirtualRemedy, "NVIDIA/nccl#1092"},
    {"nccl.connect.no_route", kCause, {"NCCL", "No route to host"},
     "the address that the peer announced can not be reached: wrong interface or firewall",
     kConnectNoRouteRemedy, "sgl-project/sglang#3820; NVIDIA/nccl-tests#15"},
    {"nccl.connect.timeout", kCause, {"NCCL", "onnect", "Connection timed out"},
     "the address that the peer announced does not answer: wrong interface or firewall",
     kConnectNoRouteRemedy, "NVIDIA/nccl-tests#15"},
    {"nccl.connect.aborted", kCause, {"Connect to ", "Software caused connection abort"},
     "a connection was refused by the local network stack: name resolution or interface setup",
     "check /etc/hosts and the chosen interface; NCCL_SOCKET_FAMILY=AF_INET",
     "NVIDIA/nccl-tests#162"},
    {"nccl.connect.refused", kSymptom, {"NCCL", "Connection refused"},
     "the peer's process is gone or never listened",
     "look for the first failure on that peer",
     ""},
    {"nccl.connect.mixed_up", kCause, {"wrong type", "!="},
     "two jobs or two NCCL versions talk to each other's port",
     "same libnccl on all ranks; unique MASTER_PORT / NCCL_COMM_ID per job",
     "NVIDIA/nccl-tests#188"},
    // --- InfiniBand and RoCE -----------------------------------------------------------------
    {"nccl.ib.none", kSlow, {"NET/IB : No device found"},
     "NCCL sees no RDMA device",
     "if the host has active ports (nccl-probe topo): give the container /dev/infiniband and "
     "install libibverbs and rdma-core",
     "NVIDIA/nccl#451 #952 #1925"},
    {"nccl.ib.no_library", kSlow, {"Failed to open libibverbs"},
     "libibverbs is not installed here, so NCCL falls back to TCP",
     "install rdma-core / libibverbs1",
     "NVIDIA/nccl#451"},
    {"nccl.ib.retry_exceeded", kCause, {"ompletion from peer", "status=12 "},
     kIbRetryExceededCause, kIbRetryExceededRemedy, "NVIDIA/nccl#426 #769 #905 #1405 #1814"},
    {"nccl.ib.retry_exceeded", kCause, {"ompletion", "status=IBV_WC_RETRY_EXC_ERR"},
     kIbRetryExceededCause, kIbRetryExceededRemedy, "NCCL source, src/transport/net_ib.cc, 2.28.7"},
    {"nccl.ib.retry_exceeded", kCause, {"ompletion from peer", "with error 12,"},
     kIbRetryExceededCause, kIbRetryExceededRemedy, "NVIDIA/nccl#426"},
    {"nccl.ib.flushed", kSymptom, {"ompletion from peer", "status=5 "},
     kIbFlushedCause, kIbFlushedRemedy, "pytorch/pytorch#122571"},
    {"nccl.ib.flushed", kSymptom, {"ompletion from peer", "with error 5,"},
     kIbFlushedCause, kIbFlushedRemedy, "pytorch/pytorch#122571"},
    {"nccl.ib.flushed", kSymptom, {"ompletion", "status=IBV_WC_WR_FLUSH_ERR"},
     kIbFlushedCause, kIbFlushedRemedy, "NCCL source, src/transport/net_ib.cc, 2.28.7"},
    {"nccl.ib.length", kCause, {"ompletion from peer", "status=1 "},
     kIbLengthCause, kIbLengthRemedy, "NVIDIA/nccl#1524 #1957"},
    {"nccl.ib.length", kCause, {"ompletion", "status=IBV_WC_LOC_LEN_ERR"},
     kIbLengthCause, kIbLengthRemedy, "NVIDIA/nccl#1524 #1957"},
    {"nccl.ib.protection", kCause, {"ompletion from peer", "status=4 "},
     kIbProtectionCause, kIbProtectionRemedy, "NVIDIA/nccl#257 #631 #2079"},
    {"nccl.ib.protection", kCause, {"ompletion", "status=IBV_WC_LOC_PROT_ERR"},
     kIbProtectionCause, kIbProtectionRemedy, "NVIDIA/nccl#257 #631 #2079"},
    {"nccl.ib.not_ready", kCause, {"ompletion from peer", "status=13 "},
     "the peer posted no receive in time: overloaded or hung peer process",
     "look at that peer first (CPU starvation, swap, hung GPU)",
     "NVIDIA/nccl source, net_ib.cc"},
    {"nccl.ib.port_error", kCause, {"Got async", "port error"},
     "an RDMA port went down while in use: flapping link",
     "replace cable or optics; see link_downed in nccl-probe counters",
     "NVIDIA/nccl#905 #1819 #2157"},
    {"nccl.ib.port_error", kCause, {"Got async fatal event"},
     "the RDMA device reported a fatal event",
     "see the kernel log (mlx5_core) of that host; replace cable, optics or NIC",
     "NCCL source, src/transport/net_ib.cc, 2.23"},
    {"nccl.ib.speed_changed", kSlow, {"speed change detected"},
     "a link retrained at another speed",
     "reseat or replace cable and optics",
     "NCCL source, src/transport/net_ib.cc, 2.30"},
    {"nccl.memlock", kCause, {"ibv_", "Cannot allocate memory"},
     "locked memory is limited (limits.conf does not apply to systemd services such as slurmd)",
     "LimitMEMLOCK=infinity for slurmd or containerd; check with ulimit -l inside the job",
     "NVIDIA/nccl-tests#206"},
    {"nccl.ib.gid", kCause, {"ibv_modify_qp", "No such device"},
     "the GID index that is used is empty",
     kIbGidRemedy, "NVIDIA/nccl#925"},
    {"nccl.ib.gid", kCause, {"ibv_modify_qp", "Invalid argument"},
     "the GID index that is used is empty or of another kind than the peer's",
     kIbGidRemedy, "NVIDIA/nccl#925"},
    {"nccl.ib.gid", kCause, {"ibv_modify_qp", "Connection timed out"},
     "the peer's RoCE address can not be resolved",
     "check routes and neighbour tables between the RoCE interfaces of the two hosts",
     "NVIDIA/nccl#1573"},
    {"nccl.ib.mixed_rails", kCause, {"mismatched physical devices between local"},
     "rails are cabled or named differently on two hosts",
     "fix the cabling, or give NCCL_IB_HCA in the same order everywhere",
     "NCCL source, src/transport/net_ib.cc, 2.24"},
    {"nccl.ib.mixed_rails", kCause, {"Attempted to connect incompatible devices"},
     "an InfiniBand port is paired with a RoCE port",
     "restrict NCCL_IB_HCA to one kind of port",
     "NCCL source, src/transport/net_ib.cc, 2.26"},
    {"nccl.efa.none", kSlow, {"NET/OFI", "No eligible providers were found"},
     "the libfabric plugin found no EFA device",
     "attach EFA interfaces to the instance or pod; FI_PROVIDER=efa",
     "aws-ofi-nccl source"},
    // --- GPUs, driver, fabric ----------------------------------------------------------------
    {"cuda.fabric_manager", kCause, {"system not yet initialized"},
     "the NVLink fabric is not initialised: nvidia-fabricmanager does not run or failed",
     "start nvidia-fabricmanager of the driver's version; gpu-health shows the fabric state",
     "NVIDIA/nccl-tests#264 #338"},
    {"nccl.nvls.bind", kCause, {"nvls.cc", "Cuda failure"},
     kNvlsBindCause, kNvlsBindRemedy, "NVIDIA/nccl#976 #1338 #1672"},
    {"nccl.nvls.bind", kCause, {"Failed to bind NVLink SHARP"},
     kNvlsBindCause, kNvlsBindRemedy, "pytorch/pytorch#177472"},
    {"nccl.p2p.peers", kCause, {"peer mapping resources exhausted"},
     "more than 8 GPUs map each other over PCIe",
     "use at most 8 GPUs a process group on this node, or NCCL_P2P_LEVEL=PIX",
     "NVIDIA/nccl#1874; NVIDIA/nccl-tests#324"},
    {"cuda.driver_old", kCause, {"API call is not supported in the installed CUDA driver"},
     "the driver is older than the CUDA version NCCL was built for",
     "update the driver, or use an NCCL build for the driver's CUDA",
     "NVIDIA/nccl#955"},
    {"cuda.driver_old", kCause, {"CUDA driver version is insufficient for CUDA runtime version"},
     "the driver is older than the CUDA runtime",
     "update the driver, or use an older CUDA",
     ""},
    {"nccl.cumem.import", kCause, {"cuMemImportFromShareableHandle"},
     "GPU memory handles can not be passed between the processes: separate containers with the "
     "same host hash",
     "share the pid and ipc namespaces, or NCCL_CUMEM_ENABLE=0",
     "NVIDIA/nccl#1647"},
    {"cuda.ecc", kCause, {"uncorrectable ECC error"},
     "a GPU reported an uncorrectable memory error",
     "drain the node; gpu-health on it; reset the GPU",
     "CUDA error 214"},
    {"cuda.xid", kCause, {"NVRM: Xid"},
     "the driver logged an XID",
     "gpu-health explain NUMBER",
     "NVIDIA XID catalogue"},
    {"cuda.memory", kCause, {"CUDA out of memory"},
     "GPU memory is exhausted",
     "smaller micro batch, more recomputation or sharding",
     ""},
    {"cuda.memory", kCause, {"Cuda failure", "'out of memory'"},
     "GPU memory is exhausted while NCCL allocates its buffers",
     "leave NCCL some memory; fewer channels (NCCL_MAX_CTAS) or a smaller NCCL_BUFFSIZE",
     ""},
    {"cuda.illegal_access", kCause, {"an illegal memory access was encountered"},
     "a kernel of the application accessed memory out of bounds (rarely: a bad GPU)",
     "CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer; if it follows one GPU, drain it",
     "CUDA error 700"},
    {"cuda.assert", kCause, {"device-side assert triggered"},
     "an assertion in the application's kernel failed (often an index out of range)",
     "CUDA_LAUNCH_BLOCKING=1 names the kernel",
     "CUDA error 710"},
    {"cuda.duplicate", kCause, {"Duplicate GPU detected"},
     "two ranks use the same GPU",
     "set the device by local rank; check --gpus-per-task and CUDA_VISIBLE_DEVICES",
     "NCCL source, src/init.cc"},
    // --- versions, configuration, application ------------------------------------------------
    {"nccl.version.mixed", kCause, {"Mismatched NCCL version detected"},
     "ranks load different NCCL libraries",
     "pin one libnccl; compare /proc/PID/maps of two ranks",
     "NCCL source, src/init.cc, 2.23"},
    {"nccl.algo.spelling", kCause, {"Unrecognized element token"},
     "NCCL_ALGO or NCCL_PROTO holds an unknown word",
     "fix the spelling, or unset it",
     "NCCL source, src/graph/tuning.cc, 2.24"},
    {"nccl.topo_file", kSlow, {"Could not open XML topology file"},
     "NCCL_TOPO_FILE names a file that does not exist here",
     "unset it or install the file on all nodes",
     "Azure/azurehpc-health-checks#142"},
    {"nccl.files", kCause, {"Too many open files"},
     "the limit of open files is too low",
     "ulimit -n 65536 (LimitNOFILE= of slurmd)",
     "NCCL troubleshooting guide"},
    {"nccl.desync", kCause, {"Mismatched collective detected"},
     "ranks called different collectives: a bug or a data-dependent branch in the application",
     "compare the order of calls around the rank named; TORCH_DISTRIBUTED_DEBUG=DETAIL",
     "NVIDIA/nccl#296"},
    {"nccl.desync", kCause, {"collective mismatch error"},
     kDesyncCause, kDesyncRemedy, "NVIDIA/nccl#531 #969"},
    {"nccl.desync", kCause, {"Message truncated : received"},
     kDesyncCause, kDesyncRemedy, "NVIDIA/nccl#1328"},
    {"job.time_limit", kCause, {"CANCELLED AT", "DUE TO TIME LIMIT"},
     "Slurm ended the job at its time limit",
     "save and requeue before it (job-guard), or ask for more time",
     ""},
    {"job.node_failure", kCause, {"DUE TO NODE FAILURE"},
     "Slurm lost a node of the job",
     "exclude the node; sinfo -R shows the reason",
     ""},
    {"job.host_memory", kCause, {"oom_kill event"},
     kJobHostMemoryCause, kJobHostMemoryRemedy, ""},
    {"job.host_memory", kCause, {"oom-kill event"},
     kJobHostMemoryCause, kJobHostMemoryRemedy, ""},
    // --- consequences ------------------------------------------------------------------------
    {"nccl.remote_closed", kSymptom, {"Connection closed by remote peer"},
     "the peer ended or was killed first",
     "look at that peer's own log",
     "NVIDIA/nccl#1232"},
    {"nccl.remote_closed", kSymptom, {"Socket recv failed while polling"},
     "the local proxy's peer ended first",
     "look for the first warning on any rank",
     ""},
    {"nccl.unhandled", kSymptom, {"unhandled system error"},
     "says only that a system call failed",
     kUnhandledRemedy, "NVIDIA/nccl#473"},
    {"nccl.unhandled", kSymptom, {"unhandled cuda error"},
     "says only that a CUDA call failed",
     kUnhandledRemedy, ""},
    {"nccl.unhandled", kSymptom, {"remote process exited or there was a network error"},
     "says only that a peer or the network failed",
     "look for the first failure on any rank",
     ""},
    {"job.bus_error", kSymptom, {"Bus error"},
     "a mapped file could not grow: usually /dev/shm is full",
     "see nccl.shm.full",
     "NVIDIA/nccl#342"},
};
// clang-format on

}  // namespace

std::span<const Rule> diagnose_rules() {
    return kRules;
}

}  // namespace longhaul::probe

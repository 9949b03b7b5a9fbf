// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/collect.h"

#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <optional>

#include "lib/base/error.h"
#include "lib/health/kernel_log.h"
#include "lib/health/nvml_reader.h"
#include "lib/io/child.h"
#include "lib/io/file.h"
#include "lib/io/json.h"

namespace longhaul::health {

namespace {

using Clock = std::chrono::steady_clock;

// After that many hung groups NVML is given up: each costs its whole deadline.
constexpr int kMaxHangs = 2;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

Disk read_disk(const std::string& path) {
    Disk disk;
    disk.path = path;
    struct statvfs info {};
    if (::statvfs(path.c_str(), &info) != 0) {
        disk.why = std::strerror(errno);
        return disk;
    }
    const auto mib = [&](uint64_t blocks) {
        return static_cast<int64_t>(blocks * info.f_frsize >> 20);
    };
    disk.total_mib = mib(info.f_blocks);
    disk.free_mib = mib(info.f_bavail);
    disk.free_inodes = info.f_files == 0 ? -1 : static_cast<int64_t>(info.f_favail);
    disk.is_read_only = (info.f_flag & ST_RDONLY) != 0;
    return disk;
}

int64_t kib_after(const std::string& text, const char* label) {
    const size_t at = text.find(label);
    return at == std::string::npos
               ? -1
               : std::strtoll(text.c_str() + at + std::strlen(label), nullptr, 10);
}

Memory read_memory(const cluster::SysTree& tree) {
    Memory memory;
    const std::string text = tree.read("proc/meminfo").value_or("");
    memory.total_kib = kib_after(text, "MemTotal:");
    memory.available_kib = kib_after(text, "MemAvailable:");
    memory.corrupted_kib = std::max<int64_t>(0, kib_after(text, "HardwareCorrupted:"));
    const Disk shm = read_disk((tree.root() / "dev/shm").string());
    if (shm.total_mib >= 0) {
        memory.shm_total_kib = shm.total_mib * 1024;
        memory.shm_free_kib = shm.free_mib * 1024;
    }
    return memory;
}

/// One group: its name and what it adds to a snapshot.
struct Reader {
    std::string name;
    std::function<void(Snapshot&)> read;
};

/// The groups in order. Those of GPUs are only known once NVML has counted them, so readers are
/// asked for by position; `nvml` belongs to the process that asks.
class ReaderList {
 public:
    explicit ReaderList(const CollectOptions& options) : tree_(options.sys_root) {
        first_ = {{"pci", [this](Snapshot& s) { read_pci(s); }},
                  {"ports", [this](Snapshot& s) { read_ports(s); }},
                  {"memory", [this](Snapshot& s) { s.memory = read_memory(tree_); }}};
        for (const std::string& path : options.disks) {
            first_.push_back(
                {"disk " + path, [path](Snapshot& s) { s.disks.push_back(read_disk(path)); }});
        }
        if (options.kernel_log.empty()) {
            first_.push_back({"kernel log", [](Snapshot& s) { s.kernel_log = read_kmsg(); }});
        }
        nvml_position_ = first_.size();
        first_.push_back({"nvml", [this](Snapshot& s) { s.nvml_problem = nvml_.start(s.system); }});
    }

    size_t nvml_position() const { return nvml_position_; }

    /// Nothing behind the last one. Starts NVML where GPUs are asked for.
    std::optional<Reader> at(size_t position) {
        if (position < first_.size()) return first_[position];
        Values ignored;
        if (!nvml_.start(ignored).empty()) return std::nullopt;
        const size_t index = position - first_.size();
        const int gpu = static_cast<int>(index / kGpuTopics.size());
        const std::string topic(kGpuTopics[index % kGpuTopics.size()]);
        if (gpu >= nvml_.num_gpus()) return std::nullopt;
        return Reader{gpu_group(gpu, topic), [this, gpu, topic](Snapshot& s) {
                          s.gpus.assign(1, Gpu{gpu, {}});
                          nvml_.read(gpu, topic, s.gpus[0].values);
                      }};
    }

    /// The name at a position whose reader can not be asked for (NVML hangs on start).
    std::string name_at(size_t position) const {
        if (position < first_.size()) return first_[position].name;
        const size_t index = position - first_.size();
        return gpu_group(static_cast<int>(index / kGpuTopics.size()),
                         std::string(kGpuTopics[index % kGpuTopics.size()]));
    }

 private:
    static std::string gpu_group(int gpu, const std::string& topic) {
        return format("gpu.{}.{}", gpu, topic);
    }
    void read_pci(Snapshot& snapshot) const {
        for (auto& device : cluster::read_pci_devices(tree_)) {
            if (device.is_nvidia_gpu()) snapshot.pci_gpus.push_back(std::move(device));
        }
    }
    void read_ports(Snapshot& snapshot) const {
        snapshot.rdma_ports = cluster::read_rdma_ports(tree_);
        snapshot.counters = cluster::read_port_counters(tree_, snapshot.unix_s);
    }

    cluster::SysTree tree_;
    std::vector<Reader> first_;
    size_t nvml_position_ = 0;
    NvmlReader nvml_;
};

/// Puts what one reader gave into the whole.
void merge(const Snapshot& piece, const std::string& name, Snapshot& whole) {
    if (name == "pci") whole.pci_gpus = piece.pci_gpus;
    if (name == "ports") {
        whole.rdma_ports = piece.rdma_ports;
        whole.counters.ports = piece.counters.ports;
    }
    if (name == "memory") whole.memory = piece.memory;
    if (name == "kernel log") whole.kernel_log = piece.kernel_log;
    if (name == "nvml") {
        whole.system = piece.system;
        whole.nvml_problem = piece.nvml_problem;
        const auto count = piece.system.find("gpu_count");
        const int64_t num_gpus = count == piece.system.end() ? 0 : count->second.number.value_or(0);
        // All of them, so that one of which nothing can be read is not forgotten.
        for (int i = 0; i < num_gpus; ++i) whole.gpus.push_back({i, {}});
    }
    whole.disks.insert(whole.disks.end(), piece.disks.begin(), piece.disks.end());
    if (name.rfind("gpu.", 0) != 0 || piece.gpus.empty()) return;
    const auto index = static_cast<size_t>(std::strtoul(name.c_str() + 4, nullptr, 10));
    if (index >= whole.gpus.size()) return;
    for (const auto& [key, value] : piece.gpus[0].values) whole.gpus[index].values[key] = value;
}

void set_alarm(double seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    timer.it_value.tv_usec =
        static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

/// Runs in the child: reads from `position` on and appends "POSITION\n" before and
/// "NAME\tJSON\n" after each group to `fd`.
void read_groups(ReaderList& readers, size_t position, int fd, double group_deadline_s) {
    // A crash must end this child as a signal, whatever handlers the caller has.
    for (const int signal_number : {SIGALRM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) {
        std::signal(signal_number, SIG_DFL);
    }
    for (;; ++position) {
        io::write_full(fd, format("{}\n", position), "progress");
        set_alarm(group_deadline_s);  // ends this child when the group hangs in user space
        const std::optional<Reader> reader = readers.at(position);
        if (!reader) break;
        Snapshot piece;
        reader->read(piece);
        set_alarm(0);
        io::write_full(fd, format("{}\t{}\n", reader->name, io::to_line(to_json(piece))),
                       "progress");
    }
    io::write_full(fd, "end\n", "progress");
}

io::UniqueFd progress_file() {
    io::UniqueFd fd(::memfd_create("gpu-health", MFD_CLOEXEC));
    if (!fd) throw IoError("cannot create a memory file");
    return fd;
}

std::string content_of(int fd) {
    std::string text;
    char piece[65536];
    off_t at = 0;
    for (ssize_t n = 0; (n = ::pread(fd, piece, sizeof piece, at)) > 0; at += n) {
        text.append(piece, static_cast<size_t>(n));
    }
    return text;
}

struct Progress {
    bool is_finished = false;
    size_t position = 0;  // of the group that was begun last
};

/// Takes over finished groups from the child's notes.
Progress take_over(const std::string& notes, Snapshot& snapshot) {
    Progress progress;
    for (size_t at = 0; at < notes.size();) {
        const size_t end = notes.find('\n', at);
        if (end == std::string::npos) break;  // cut by the kill
        const std::string line = notes.substr(at, end - at);
        at = end + 1;
        const size_t tab = line.find('\t');
        if (line == "end") {
            progress.is_finished = true;
        } else if (tab == std::string::npos) {
            progress.position = std::strtoul(line.c_str(), nullptr, 10);
        } else {
            const std::string name = line.substr(0, tab);
            const io::Json piece = io::parse_json(std::string_view(line).substr(tab + 1), name);
            merge(snapshot_from_json(piece, name), name, snapshot);
            snapshot.groups[name].state = GroupState::kRead;
        }
    }
    return progress;
}

Group outcome(const io::ChildResult& result, double deadline_s) {
    if (result.timed_out || result.signal == SIGALRM) {
        return {GroupState::kTimedOut, format("no answer within {:.3g} s", deadline_s)};
    }
    if (result.signal != 0)
        return {GroupState::kCrashed, format("ended by signal {}", result.signal)};
    return {GroupState::kFailed, result.error_output};
}

/// The head of a snapshot, read by this process: it does not touch drivers.
Snapshot begin_snapshot(const CollectOptions& options) {
    Snapshot snapshot;
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    snapshot.host = host;
    snapshot.unix_s =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    snapshot.boot_id =
        cluster::SysTree(options.sys_root).read("proc/sys/kernel/random/boot_id").value_or("");
    snapshot.counters.boot_id = snapshot.boot_id;
    snapshot.counters.unix_s = snapshot.unix_s;
    if (!options.kernel_log.empty()) {
        const auto input = io::open_input(options.kernel_log);
        snapshot.kernel_log = read_kernel_log(*input);
    }
    return snapshot;
}

}  // namespace

Snapshot collect(const CollectOptions& options) {
    const Clock::time_point start = Clock::now();
    Snapshot snapshot = begin_snapshot(options);
    ReaderList readers(options);
    int hangs = 0;
    for (size_t position = 0;;) {
        const double left_s = options.deadline_s - seconds_since(start);
        if (left_s <= 0 || hangs > kMaxHangs) {
            snapshot.groups[readers.name_at(position)] = {
                GroupState::kNotTried, left_s <= 0 ? "the time for all readings was over"
                                                   : "given up after several groups hung"};
            break;
        }
        const io::UniqueFd notes = progress_file();
        // A little more than the child's own alarm, which can not end an uninterruptible call.
        const double patience_s = std::min(left_s, options.deadline_s);
        const io::ChildResult result = io::run_in_child(
            [&] {
                read_groups(readers, position, notes.get(), options.group_deadline_s);
                return std::string();
            },
            patience_s);
        const Progress progress = take_over(content_of(notes.get()), snapshot);
        if (progress.is_finished) break;
        snapshot.groups[readers.name_at(progress.position)] =
            outcome(result, std::min(options.group_deadline_s, patience_s));
        if (progress.position == readers.nvml_position()) break;  // no GPU can be asked now
        ++hangs;
        position = progress.position + 1;
    }
    return snapshot;
}

}  // namespace longhaul::health

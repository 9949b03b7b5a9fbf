// SPDX-License-Identifier: BSD-3-Clause
#include "lib/record/lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::record {

namespace {

std::string host_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

std::string boot_id() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
}

/// Field 22 of /proc/PID/stat; 0 when there is no such process.
int64_t start_of_process(int64_t pid) {
    std::ifstream file(format("/proc/{}/stat", pid));
    std::string text;
    if (!std::getline(file, text)) return 0;
    size_t at = text.rfind(')');  // the name in parentheses may hold anything
    if (at == std::string::npos) return 0;
    for (int field = 2; field < 22; ++field) {
        at = text.find(' ', at + 1);
        if (at == std::string::npos) return 0;
    }
    return std::strtoll(text.c_str() + at, nullptr, 10);
}

bool is_alive(const LockOwner& owner) {
    if (kill(static_cast<pid_t>(owner.pid), 0) != 0 && errno == ESRCH) return false;
    const int64_t start = start_of_process(owner.pid);
    return start == 0 || owner.pid_start == 0 || start == owner.pid_start;
}

std::string to_text(const LockOwner& owner) {
    io::Json json;
    json["schema"] = 1;
    json["host"] = owner.host;
    json["pid"] = owner.pid;
    json["pid_start"] = owner.pid_start;
    json["boot"] = owner.boot;
    json["job"] = owner.job;
    json["restart"] = owner.restart;
    json["taken_s"] = owner.taken_s;
    return io::to_line(json) + "\n";
}

/// Makes `path` with this content in one step. @return false when it exists.
bool create_exclusively(const std::filesystem::path& path, const std::string& text) {
    const std::filesystem::path draft =
        path.string() + format(".draft-{}-{}", host_name(), getpid());
    {
        io::UniqueFd fd = io::open_file(draft, O_WRONLY | O_CREAT | O_TRUNC);
        io::write_full(fd.get(), text, draft.string());
        io::sync_and_close(std::move(fd), draft.string());
    }
    const int result = link(draft.c_str(), path.c_str());
    const int error = errno;
    unlink(draft.c_str());
    if (result == 0) return true;
    if (error == EEXIST) return false;
    throw IoError(format("cannot create {}", path.string()), error);
}

/// Moves a stale lock aside; puts it back when it is no longer the one that was judged.
void remove_stale(const std::filesystem::path& path, const LockOwner& judged) {
    const std::filesystem::path aside =
        path.string() + format(".stale-{}-{}", host_name(), getpid());
    if (rename(path.c_str(), aside.c_str()) != 0) {
        if (errno == ENOENT) return;  // another one was faster
        throw IoError(format("cannot rename {}", path.string()));
    }
    const auto moved = read_lock(aside);
    if (moved && *moved != judged) {
        if (link(aside.c_str(), path.c_str()) != 0 && errno != EEXIST) {
            throw IoError(format("cannot put {} back", path.string()));
        }
    }
    unlink(aside.c_str());
}

}  // namespace

std::string LockOwner::describe() const {
    const auto taken = static_cast<std::time_t>(taken_s);
    std::tm local{};
    localtime_r(&taken, &local);
    char since[32];
    std::strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S", &local);
    const std::string who =
        job.empty() ? format("restart {}", restart) : format("job {} (restart {})", job, restart);
    return format("{}, pid {} on {}, since {}", who, pid, host, since);
}

LockOwner LockOwner::self(int64_t restart) {
    LockOwner owner;
    owner.host = host_name();
    owner.pid = getpid();
    owner.pid_start = start_of_process(owner.pid);
    owner.boot = boot_id();
    if (const char* job = std::getenv("SLURM_JOB_ID")) owner.job = job;
    owner.restart = restart;
    owner.taken_s =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    return owner;
}

std::optional<LockOwner> read_lock(const std::filesystem::path& path) {
    std::string text;
    try {
        text = io::read_text_file(path, 1 << 16);
    } catch (const IoError& error) {
        if (error.error_number() == ENOENT) return std::nullopt;
        throw;
    }
    const io::Json json = io::parse_json(text, path.string());
    LockOwner owner;
    owner.host = io::require<std::string>(json, "host", path.string());
    owner.pid = io::require<int64_t>(json, "pid", path.string());
    owner.pid_start = json.value("pid_start", int64_t{0});
    owner.boot = json.value("boot", "");
    owner.job = json.value("job", "");
    owner.restart = json.value("restart", int64_t{0});
    owner.taken_s = json.value("taken_s", 0.0);
    return owner;
}

std::string why_stale(const LockOwner& owner, const LockOwner& self) {
    if (owner.host == self.host && owner.boot != self.boot) return "its host was booted since";
    if (owner.host == self.host && !is_alive(owner)) return "its process is gone";
    if (!owner.job.empty() && owner.job == self.job && owner.restart < self.restart) {
        return "it is an earlier start of this job";
    }
    return "";
}

RunLock::RunLock(std::filesystem::path path, int64_t restart, bool force)
    : path_(std::move(path)), self_(LockOwner::self(restart)) {
    constexpr int kTries = 10;  // another process may take and leave it between our looks
    for (int i = 0; i < kTries; ++i) {
        if (create_exclusively(path_, to_text(self_))) return;
        const auto owner = read_lock(path_);
        if (!owner) continue;
        std::string why = why_stale(*owner, self_);
        if (why.empty() && force) why = "--force was given";
        if (why.empty()) {
            throw UsageError(format("{} is in use by {}; if that one is certainly gone: --force",
                                    path_.parent_path().string(), owner->describe()));
        }
        log::warn("taking over the lock of {}: {}", owner->describe(), why);
        remove_stale(path_, *owner);
    }
    throw UsageError(format("{} keeps changing hands", path_.string()));
}

RunLock::~RunLock() {
    try {
        const auto owner = read_lock(path_);
        if (owner && *owner == self_) unlink(path_.c_str());
    } catch (const std::exception& error) {
        log::warn("lock {} is left behind: {}", path_.string(), error.what());
    }
}

void RunLock::check_still_held() const {
    const auto owner = read_lock(path_);
    if (owner && *owner == self_) return;
    throw Error(format("this run was taken over by {}: nothing more is written",
                       owner ? owner->describe() : "somebody who removed the lock"));
}

}  // namespace longhaul::record

// SPDX-License-Identifier: BSD-3-Clause
// LD_PRELOAD library that counts the calls by which a program changes a folder, and at the k-th one
// kills the program or lets the call fail. Environment:
//   IO_FAULT_DIR    folder watched (by prefix of the path)
//   IO_FAULT_AT     k, counted from 1; 0 only counts
//   IO_FAULT_MODE   kill (before the call) | torn (writes do half first) | an errno as a number
//   IO_FAULT_COUNT  file that receives the count at exit
// Counted: open for writing, mkdir, write, pwrite, fsync, ftruncate, fallocate, rename, unlink,
// rmdir.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> num_calls{0};

long wanted_call() {
    static const long value =
        std::getenv("IO_FAULT_AT") ? std::atol(std::getenv("IO_FAULT_AT")) : 0;
    return value;
}

bool is_watched(const char* path) {
    static const char* folder = std::getenv("IO_FAULT_DIR");
    return folder != nullptr && path != nullptr &&
           std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool is_watched(int fd) {
    char link[64];
    char path[PATH_MAX + 1];
    std::snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    const ssize_t length = ::readlink(link, path, PATH_MAX);
    if (length < 0) return false;
    path[length] = '\0';
    return is_watched(path);
}

[[noreturn]] void die() {
    ::kill(::getpid(), SIGKILL);
    while (true) ::pause();
}

/// Counts a call. @return 0 to go on, an errno to fail with, -1 to tear it and die.
int fault() {
    if (++num_calls != wanted_call()) return 0;
    const char* mode = std::getenv("IO_FAULT_MODE");
    if (mode == nullptr || std::strcmp(mode, "kill") == 0) die();
    if (std::strcmp(mode, "torn") == 0) return -1;
    return std::atoi(mode);
}

/// For calls that can not be half done.
bool fails() {
    const int error = fault();
    if (error < 0) die();
    errno = error;
    return error > 0;
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

int open_counted(const char* name, const char* path, int flags, mode_t mode) {
    const bool changes = (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0;
    if (changes && is_watched(path) && fails()) return -1;
    return next<int (*)(const char*, int, ...)>(name)(path, flags, mode);
}

/// Half of `count` through `write_bytes` before dying, or the whole.
template <class Write>
ssize_t write_counted(int fd, size_t count, Write write_bytes) {
    if (!is_watched(fd)) return write_bytes(count);
    const int error = fault();
    if (error == 0) return write_bytes(count);
    if (error < 0) {
        write_bytes(count / 2);
        die();
    }
    errno = error;
    return -1;
}

struct Report {
    ~Report() {
        const char* path = std::getenv("IO_FAULT_COUNT");
        if (path == nullptr) return;
        if (FILE* file = std::fopen(path, "w")) {
            std::fprintf(file, "%ld\n", num_calls.load());
            std::fclose(file);
        }
    }
} report;

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_counted("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_counted("open64", path, flags, mode);
}

int mkdir(const char* path, mode_t mode) {
    if (is_watched(path) && fails()) return -1;
    return next<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}

ssize_t write(int fd, const void* data, size_t count) {
    const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
    return write_counted(fd, count, [&](size_t n) { return real(fd, data, n); });
}

ssize_t pwrite(int fd, const void* data, size_t count, off_t offset) {
    const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
    return write_counted(fd, count, [&](size_t n) { return real(fd, data, n, offset); });
}

ssize_t pwrite64(int fd, const void* data, size_t count, off64_t offset) {
    const auto real = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
    return write_counted(fd, count, [&](size_t n) { return real(fd, data, n, offset); });
}

int fsync(int fd) {
    if (is_watched(fd) && fails()) return -1;
    return next<int (*)(int)>("fsync")(fd);
}

int ftruncate64(int fd, off64_t length) {
    if (is_watched(fd) && fails()) return -1;
    return next<int (*)(int, off64_t)>("ftruncate64")(fd, length);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t length) {
    if (is_watched(fd) && fails()) return -1;
    return next<int (*)(int, int, off64_t, off64_t)>("fallocate64")(fd, mode, offset, length);
}

int rename(const char* from, const char* to) {
    if (is_watched(to) && fails()) return -1;
    return next<int (*)(const char*, const char*)>("rename")(from, to);
}

int unlink(const char* path) {
    if (is_watched(path) && fails()) return -1;
    return next<int (*)(const char*)>("unlink")(path);
}

int unlinkat(int folder, const char* path, int flags) {
    const bool is_ours = path[0] == '/' ? is_watched(path) : is_watched(folder);
    if (is_ours && fails()) return -1;
    return next<int (*)(int, const char*, int)>("unlinkat")(folder, path, flags);
}

int rmdir(const char* path) {
    if (is_watched(path) && fails()) return -1;
    return next<int (*)(const char*)>("rmdir")(path);
}

}  // extern "C"

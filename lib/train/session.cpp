// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/session.h"

#include <unistd.h>

#include <filesystem>

#include "lib/base/fatal_hook.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/log/log.h"

namespace longhaul::train {

Session::Session(SessionOptions options)
    : options_(std::move(options)),
      run_(options_.run_directory),
      restart_(record::restart_number()),
      watchdog_(run_, options_.config.guards.hang_timeout_s,
                [this](const std::string& text) { on_hang(text); }) {}

void Session::open_run() {
    io::create_directories(run_.root());
    lock_ = std::make_unique<record::RunLock>(run_.lock(), restart_, options_.force);
    io::create_directories(run_.checkpoints());
    std::filesystem::remove(run_.exit_record());
    io::write_file_atomically(run_.config(), print(options_.config));
}

void Session::keep_tokenizer() const {
    namespace fs = std::filesystem;
    const fs::path from = fs::path(options_.config.data.train.front()) / "tokenizer";
    const fs::path to = run_.tokenizer();
    if (fs::exists(to) || !fs::is_directory(from)) return;
    const fs::path temporary = run_.root() / ".tokenizer.tmp";
    fs::remove_all(temporary);
    io::create_directories(temporary);
    for (const auto& entry : fs::directory_iterator(from)) {
        if (!entry.is_regular_file()) continue;
        io::write_file_atomically(temporary / entry.path().filename(),
                                  io::read_text_file(entry.path()));
    }
    fs::rename(temporary, to);
}

void Session::check_lock() const {
    if (lock_ != nullptr) lock_->check_still_held();
}

void Session::keep_passed_over(int64_t step) const {
    namespace fs = std::filesystem;
    const fs::path old = run_.checkpoint(step);
    if (!fs::exists(fs::symlink_status(old))) return;
    const std::string name = "damaged-" + old.filename().string();
    fs::path kept = old.parent_path() / name;
    for (int i = 2; fs::exists(fs::symlink_status(kept)); ++i) {
        kept = old.parent_path() / format("{}-{}", name, i);
    }
    std::error_code error;
    fs::rename(old, kept, error);
    if (error) {
        log::warn("cannot rename {}: {}; it is replaced", old.string(), error.message());
    } else {
        log::warn("{} was passed over at the start: kept as {}", old.string(),
                  kept.filename().string());
    }
}

void Session::set_position(int64_t step, int64_t committed_step) {
    step_ = step;
    committed_step_ = committed_step;
}

void Session::write_exit(ExitCode code, const std::string& cause, const std::string& detail) {
    if (!is_open_) return;
    try {
        char host[256] = "";
        gethostname(host, sizeof host - 1);
        record::ExitRecord record;
        record.code = to_int(code);
        record.cause = cause;
        record.step = step_;
        record.committed_step = committed_step_;
        record.restart = restart_;
        record.host = host;
        record.detail = detail;
        record::write_exit_record(run_, record);
    } catch (const std::exception& error) {
        log::warn("cannot write {}: {}", run_.exit_record().string(), error.what());
    }
}

/// Called by the watchdog's thread while the ranks are stuck: nothing can be unwound.
void Session::on_hang(const std::string& text) {
    log::error("{}", text);
    write_exit(ExitCode::kFailed, "hang", text);
    call_fatal_hook(ExitCode::kFailed);
    _exit(to_int(ExitCode::kFailed));
}

}  // namespace longhaul::train

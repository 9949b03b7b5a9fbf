// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/reshard_state.h"

#include <fcntl.h>

#include <charconv>
#include <sstream>

#include "lib/base/error.h"

namespace longhaul::ckpt {
namespace fs = std::filesystem;

ReshardState::ReshardState(const fs::path& folder, const std::string& plan_name)
    : file_(folder / ".progress") {
    if (fs::exists(file_)) read(io::read_text_file(file_), plan_name);
    const int flags = O_WRONLY | O_CREAT | O_APPEND | (is_resumed_ ? 0 : O_TRUNC);
    fd_ = io::open_file(file_, flags);
    if (!is_resumed_) io::write_full(fd_.get(), plan_name + "\n", file_.string());
}

void ReshardState::read(const std::string& text, const std::string& plan_name) {
    std::istringstream lines(text);
    std::string line;
    if (!std::getline(lines, line) || line != plan_name) return;
    is_resumed_ = true;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        uint64_t slice = 0;
        std::string hash_text;
        std::string print_text;
        std::string end;
        words >> slice >> hash_text >> print_text >> end;
        const auto hash = Hash128::from_hex(hash_text);
        const auto print = Fingerprint::from_hex(print_text);
        if (hash && print && end == ".") done_[slice] = {*hash, *print};  // else a torn line
    }
}

void ReshardState::add(uint64_t slice, const DoneSlice& done) {
    const std::string line = format("{} {} {} .\n", slice, done.hash.hex(), done.fingerprint.hex());
    const std::lock_guard lock(mutex_);
    io::write_full(fd_.get(), line, file_.string());
}

void ReshardState::remove() {
    fd_.reset();
    fs::remove(file_);
}

}  // namespace longhaul::ckpt

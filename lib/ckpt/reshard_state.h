// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The record of an unfinished reshard, kept beside its containers: which slices are written, with
// their hashes. A slice counts only if its bytes on disk still have the recorded hash.

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "lib/base/hash.h"
#include "lib/ckpt/fingerprint.h"
#include "lib/io/file.h"

namespace longhaul::ckpt {

struct DoneSlice {
    Hash128 hash;
    Fingerprint fingerprint;
};

/// Append-only text file ".progress": the plan's name, then a line per slice. Thread-safe add().
class ReshardState {
 public:
    /// Reads what an earlier run with the same `plan_name` left in `folder`; else starts anew.
    ReshardState(const std::filesystem::path& folder, const std::string& plan_name);

    /// True when an earlier run of this very plan left something.
    bool is_resumed() const { return is_resumed_; }
    const std::map<uint64_t, DoneSlice>& done() const { return done_; }
    void add(uint64_t slice, const DoneSlice& done);
    /// Deletes the file: before the commit.
    void remove();

 private:
    void read(const std::string& text, const std::string& plan_name);

    std::filesystem::path file_;
    std::map<uint64_t, DoneSlice> done_;  // of the earlier run
    bool is_resumed_ = false;
    std::mutex mutex_;
    io::UniqueFd fd_;
};

}  // namespace longhaul::ckpt

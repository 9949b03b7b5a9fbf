// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <vector>

#include "lib/io/packer.h"
#include "lib/io/stored_sink.h"
#include "lib/io/stream.h"
#include "lib/io/task_queue.h"

namespace longhaul::io {

namespace {

class StoredOutput : public OutputStream {
 public:
    explicit StoredOutput(const std::string& path) : sink_(path) {}
    uint64_t stored_bytes() const override { return sink_.bytes(); }
    Hash128 stored_hash() const override { return sink_.hash(); }

 protected:
    StoredSink sink_;
};

class PlainOutput : public StoredOutput {
 public:
    using StoredOutput::StoredOutput;
    void write(std::span<const std::byte> bytes) override { sink_.write(bytes); }
    void close() override { sink_.close(); }
};

/// A piece of the output, packed by whoever comes first.
class Frame {
 public:
    Frame(Compression compression, std::vector<std::byte> bytes)
        : compression_(compression), bytes_(std::move(bytes)) {}

    /// Packs unless that is done or being done.
    void pack() {
        State expected = State::kWaiting;
        if (!state_.compare_exchange_strong(expected, State::kBusy)) return;
        try {
            pack_frame(compression_, bytes_, packed_);
        } catch (...) {
            error_ = std::current_exception();
        }
        std::vector<std::byte>().swap(bytes_);
        state_ = State::kDone;
        state_.notify_all();
    }
    bool is_done() const { return state_ == State::kDone; }
    /// Packs or waits. @throws Error
    std::span<const std::byte> packed() {
        pack();
        state_.wait(State::kBusy);
        if (error_) std::rethrow_exception(error_);
        return packed_;
    }

 private:
    enum class State { kWaiting, kBusy, kDone };

    Compression compression_;
    std::vector<std::byte> bytes_, packed_;
    std::atomic<State> state_{State::kWaiting};
    std::exception_ptr error_;
};

/// Frames of equal size, so that threads can pack them side by side, and readers unpack them so.
/// The bytes do not depend on whether they do.
class PackedOutput : public StoredOutput {
 public:
    PackedOutput(const std::string& path, Compression compression, TaskQueue* tasks)
        : StoredOutput(path), compression_(compression), tasks_(tasks) {}

    void write(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const size_t n = std::min(bytes.size(), kFrameBytes - current_.size());
            current_.insert(current_.end(), bytes.begin(),
                            bytes.begin() + static_cast<ptrdiff_t>(n));
            bytes = bytes.subspan(n);
            if (current_.size() == kFrameBytes) end_frame();
        }
    }
    void close() override {
        // An empty output is an empty frame.
        if (!current_.empty() || (frames_.empty() && sink_.bytes() == 0)) end_frame();
        put_frames(0);
        sink_.close();
    }

 private:
    static constexpr size_t kFrameBytes = 2 << 20;

    void end_frame() {
        frames_.push_back(std::make_shared<Frame>(compression_, std::move(current_)));
        current_ = {};
        current_.reserve(kFrameBytes);
        if (tasks_ != nullptr) tasks_->add([frame = frames_.back()] { frame->pack(); });
        put_frames(tasks_ != nullptr ? tasks_->num_threads() : 0);
    }
    /// Writes what is packed, in order, until at most `max_waiting` frames are left.
    void put_frames(size_t max_waiting) {
        while (!frames_.empty() && (frames_.size() > max_waiting || frames_.front()->is_done())) {
            sink_.write(frames_.front()->packed());
            frames_.pop_front();
        }
    }

    Compression compression_;
    TaskQueue* tasks_;
    std::vector<std::byte> current_;
    std::deque<std::shared_ptr<Frame>> frames_;
};

}  // namespace

Compression compression_by_name(const std::filesystem::path& path) {
    if (path.extension() == ".gz") return Compression::kGzip;
    if (path.extension() == ".zst") return Compression::kZstd;
    return Compression::kNone;
}

std::unique_ptr<OutputStream> open_output(const std::string& path, TaskQueue* tasks) {
    const Compression compression = compression_by_name(path);
    if (compression == Compression::kNone) return std::make_unique<PlainOutput>(path);
    return std::make_unique<PackedOutput>(path, compression, tasks);
}

}  // namespace longhaul::io

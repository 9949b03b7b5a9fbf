// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/packed_input.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>

#include "lib/base/error.h"
#include "lib/io/frame_extent.h"
#include "lib/io/task_queue.h"

namespace longhaul::io {

namespace {

/// Small frames share a chunk: handing it over must cost nothing beside unpacking it.
constexpr uint64_t kChunkContent = 1 << 20;

}  // namespace

/// Whole frames, unpacked by whoever comes first.
class PackedInput::Chunk {
 public:
    Chunk(Compression compression, std::span<const std::byte> frames, uint64_t num_frames,
          uint64_t content)
        : compression_(compression),
          frames_(frames.begin(), frames.end()),
          num_frames_(num_frames),
          room_(static_cast<size_t>(content)) {}

    /// Unpacks unless that is done or being done.
    void unpack() {
        State expected = State::kWaiting;
        if (!state_.compare_exchange_strong(expected, State::kBusy)) return;
        try {
            content_ = std::make_unique_for_overwrite<std::byte[]>(room_);
            is_sound_ = unpack_frames(compression_, frames_, {content_.get(), room_}, size_);
        } catch (...) {
            error_ = std::current_exception();
        }
        state_ = State::kDone;
        state_.notify_all();
    }
    /// Unpacks or waits. @return false when a frame is damaged @throws what a decoder threw
    bool is_sound() {
        unpack();
        state_.wait(State::kBusy);
        if (error_) std::rethrow_exception(error_);
        return is_sound_;
    }
    /// The content not yet given, of a sound chunk.
    std::span<const std::byte> rest() const { return {content_.get() + given_, size_ - given_}; }
    void give(size_t count) { given_ += count; }

    std::span<const std::byte> frames() const { return frames_; }
    uint64_t num_frames() const { return num_frames_; }
    uint64_t bytes() const { return frames_.size() + room_; }
    /// A task that nobody has done yet may still hold it.
    void free_memory() {
        std::vector<std::byte>().swap(frames_);
        content_.reset();
    }

 private:
    enum class State { kWaiting, kBusy, kDone };

    Compression compression_;
    std::vector<std::byte> frames_;
    uint64_t num_frames_;
    size_t room_, size_ = 0, given_ = 0;
    std::unique_ptr<std::byte[]> content_;
    bool is_sound_ = false;
    std::exception_ptr error_;
    std::atomic<State> state_{State::kWaiting};
};

PackedInput::PackedInput(StoredBytes stored, Compression compression, const ReadAhead& ahead)
    : stored_(std::move(stored)),
      compression_(compression),
      ahead_(ahead),
      decoder_(make_frame_decoder(compression)) {}

PackedInput::~PackedInput() = default;

void PackedInput::fail_damaged(const char* cause) const {
    throw DataError(name(), frame_begin_,
                    frame_ == 1 ? cause : format("frame {}: {}", frame_, cause));
}

void PackedInput::fail_cut() const {
    const char* const what = compression_ == Compression::kGzip ? "gzip member" : "zstd frame";
    const std::string cause = format("the {} is cut short; copy the file again", what);
    if (frame_ == 1) throw DataError(name(), at_, cause);
    throw DataError(name(), at_,
                    format("frame {}, which begins at byte {}: {}", frame_, frame_begin_, cause));
}

size_t PackedInput::read(std::span<std::byte> buffer) {
    if (buffer.empty()) return 0;
    for (;;) {
        look_ahead();
        if (chunks_.empty() && !stored_.refill() && decoder_->is_between_frames()) return 0;
        const size_t given = chunks_.empty() ? read_stream(buffer) : read_chunk(buffer);
        if (given > 0) return given;
    }
}

/// Cuts off whole frames while there is room for them.
void PackedInput::look_ahead() {
    if (ahead_.tasks == nullptr || is_streaming_) return;
    // One for each thread and one that is being read.
    while (chunks_.size() <= ahead_.tasks->num_threads() &&
           (chunks_.empty() || ahead_bytes_ < ahead_.max_bytes)) {
        std::shared_ptr<Chunk> chunk = next_chunk();
        if (!chunk) return;
        ahead_bytes_ += chunk->bytes();
        ahead_.tasks->add([chunk] { chunk->unpack(); });
        chunks_.push_back(std::move(chunk));
    }
}

/// @return nothing at the end, and when the next frame is too large or can not be delimited
std::shared_ptr<PackedInput::Chunk> PackedInput::next_chunk() {
    using Status = FrameExtent::Status;
    const uint64_t most = ahead_.max_bytes / 2;
    uint64_t stored = 0, content = 0, num_frames = 0;
    while (content < kChunkContent && stored < kChunkContent) {
        const auto rest = stored_.available().subspan(static_cast<size_t>(stored));
        const FrameExtent frame = find_frame(compression_, rest);
        if (frame.status == Status::kCut && stored + rest.size() + content < most &&
            stored_.extend()) {
            continue;
        }
        const bool fits = frame.status == Status::kWhole &&
                          stored + frame.stored + content + frame.content <= most;
        if (!fits) break;
        stored += frame.stored;
        content += frame.content;
        ++num_frames;
    }
    if (num_frames == 0) {
        is_streaming_ = true;
        return nullptr;
    }
    auto chunk = std::make_shared<Chunk>(
        compression_, stored_.available().first(static_cast<size_t>(stored)), num_frames, content);
    stored_.consume(static_cast<size_t>(stored));
    return chunk;
}

size_t PackedInput::read_chunk(std::span<std::byte> buffer) {
    Chunk& chunk = *chunks_.front();
    if (!chunk.is_sound()) {
        stop_looking_ahead();
        return 0;
    }
    const auto rest = chunk.rest();
    const size_t given = std::min(rest.size(), buffer.size());
    if (given > 0) std::memcpy(buffer.data(), rest.data(), given);
    chunk.give(given);
    if (given == rest.size()) {
        at_ += chunk.frames().size();
        frame_begin_ = at_;
        frame_ += chunk.num_frames();
        ahead_bytes_ -= chunk.bytes();
        chunk.free_memory();
        chunks_.pop_front();
    }
    return given;
}

/// The decoder reads on from the first chunk, gives what is sound and says what is not.
void PackedInput::stop_looking_ahead() {
    std::vector<std::byte> bytes;
    for (const auto& chunk : chunks_) {
        bytes.insert(bytes.end(), chunk->frames().begin(), chunk->frames().end());
    }
    chunks_.clear();
    stored_.unread(bytes);
    ahead_ = {};
}

/// Some of one frame.
size_t PackedInput::read_stream(std::span<std::byte> buffer) {
    const bool has_input = stored_.refill();
    FrameDecoder::Step step;
    try {
        step = decoder_->step(stored_.available(), buffer);
    } catch (const FrameFault& fault) {
        fail_damaged(fault.what());
    }
    stored_.consume(step.taken);
    at_ += step.taken;
    if (!has_input && step.given == 0 && !step.ends_frame) fail_cut();
    if (step.ends_frame) ++frame_;
    if (decoder_->is_between_frames()) {
        frame_begin_ = at_;
        is_streaming_ = false;
    }
    return step.given;
}

}  // namespace longhaul::io

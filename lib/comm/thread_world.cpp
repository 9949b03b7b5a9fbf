// SPDX-License-Identifier: BSD-3-Clause
// The thread transport: ranks are threads of one process. A receive copies straight out of the
// sender's buffer; there is no staging, so an order of calls that only works with buffering hangs
// here and is found.
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "lib/base/check.h"
#include "lib/comm/transport.h"
#include "lib/comm/world.h"

namespace longhaul::comm {

namespace {

struct Message {
    int from = 0;
    MessageKey key;
    std::span<const std::byte> bytes;
    bool is_done = false;  // the bytes are copied
};

/// Messages on their way to one rank.
struct Inbox {
    std::mutex mutex;
    std::condition_variable changed;
    std::list<std::shared_ptr<Message>> messages;
};

/// Shared by the ranks of one run_threads().
class Hub {
 public:
    explicit Hub(int num_ranks) : inboxes_(static_cast<size_t>(num_ranks)) {}

    Inbox& inbox(int rank) { return inboxes_[static_cast<size_t>(rank)]; }

    /// Remembers the first failure and wakes everybody.
    void fail(int rank, std::exception_ptr error, const std::string& text) {
        {
            const std::lock_guard lock(mutex_);
            if (failed_rank_ >= 0) return;
            failed_rank_ = rank;
            error_ = std::move(error);
            text_ = text;
        }
        for (Inbox& inbox : inboxes_) {
            const std::lock_guard lock(inbox.mutex);
            inbox.changed.notify_all();
        }
    }
    bool has_failed() {
        const std::lock_guard lock(mutex_);
        return failed_rank_ >= 0;
    }
    void throw_if_failed() {
        const std::lock_guard lock(mutex_);
        if (failed_rank_ >= 0) throw CommError(format("rank {} failed: {}", failed_rank_, text_));
    }
    std::pair<int, std::exception_ptr> failure() {
        const std::lock_guard lock(mutex_);
        return {failed_rank_, error_};
    }

 private:
    std::vector<Inbox> inboxes_;
    std::mutex mutex_;
    int failed_rank_ = -1;
    std::exception_ptr error_;
    std::string text_;
};

class ThreadTransport : public Transport {
 public:
    ThreadTransport(Hub& hub, int rank, int size) : Transport(rank, size), hub_(hub) {}

    Request post_send(int to, std::span<const std::byte> bytes, MessageKey key) override {
        auto message = std::make_shared<Message>(Message{rank(), key, bytes});
        Inbox& inbox = hub_.inbox(to);
        {
            const std::lock_guard lock(inbox.mutex);
            inbox.messages.push_back(message);
            inbox.changed.notify_all();
        }
        return remember({&inbox, std::move(message), {}, 0, key});
    }

    Request post_recv(int from, std::span<std::byte> bytes, MessageKey key) override {
        return remember({&hub_.inbox(rank()), nullptr, bytes, from, key});
    }

    bool wait(Request request, double timeout_s) override {
        const auto entry = open_.find(request);
        LH_CHECK(entry != open_.end(), "wait for an unknown request {}", request);
        Open open = std::move(entry->second);
        open_.erase(entry);
        const bool is_send = open.message != nullptr;
        if (is_send ? wait_sent(open, timeout_s) : wait_received(open, timeout_s)) return true;
        if (is_send) abandon(open);
        for (auto& [number, other] : open_) abandon(other);
        open_.clear();
        hub_.throw_if_failed();
        return false;
    }

 private:
    struct Open {
        Inbox* inbox = nullptr;
        std::shared_ptr<Message> message;  // of a send
        std::span<std::byte> target;       // of a receive
        int from = 0;
        MessageKey key;
    };

    Request remember(Open open) {
        open_.emplace(++last_request_, std::move(open));
        return last_request_;
    }

    template <class Ready>
    bool wait_for(Inbox& inbox, std::unique_lock<std::mutex>& lock, double timeout_s, Ready ready) {
        const auto wake = [&] { return ready() || hub_.has_failed(); };
        if (timeout_s <= 0) {
            inbox.changed.wait(lock, wake);
            return ready();
        }
        inbox.changed.wait_for(lock, std::chrono::duration<double>(timeout_s), wake);
        return ready();
    }

    bool wait_sent(Open& open, double timeout_s) {
        std::unique_lock lock(open.inbox->mutex);
        return wait_for(*open.inbox, lock, timeout_s, [&] { return open.message->is_done; });
    }

    /// The caller is about to throw, and its buffers go with it: nobody may read them any more.
    static void abandon(Open& open) {
        if (open.message == nullptr) return;
        std::unique_lock lock(open.inbox->mutex);
        const auto removed = open.inbox->messages.remove(open.message);
        if (removed == 0) open.inbox->changed.wait(lock, [&] { return open.message->is_done; });
    }

    bool wait_received(Open& open, double timeout_s) {
        std::shared_ptr<Message> found;
        std::unique_lock lock(open.inbox->mutex);
        const auto take = [&] {
            auto& messages = open.inbox->messages;
            for (auto it = messages.begin(); it != messages.end(); ++it) {
                if ((*it)->from != open.from || (*it)->key != open.key) continue;
                found = std::move(*it);
                messages.erase(it);
                return true;
            }
            return false;
        };
        if (!wait_for(*open.inbox, lock, timeout_s, [&] { return found != nullptr || take(); })) {
            return false;
        }
        lock.unlock();
        const bool fits = found->bytes.size() == open.target.size();
        if (fits) std::memcpy(open.target.data(), found->bytes.data(), found->bytes.size());
        lock.lock();
        found->is_done = true;
        open.inbox->changed.notify_all();
        if (fits) return true;
        throw CommError(
            format("rank {} sent {} bytes where rank {} expects {}: the ranks are not in "
                   "the same call",
                   open.from, found->bytes.size(), rank(), open.target.size()));
    }

    Hub& hub_;
    std::map<Request, Open> open_;
    Request last_request_ = 0;
};

void run_rank(Hub& hub, World& world, int rank, const std::function<void(World&)>& body) {
    try {
        body(world);
    } catch (const Error& error) {
        hub.fail(rank, std::current_exception(), error.describe());
    } catch (const std::exception& error) {
        hub.fail(rank, std::current_exception(), error.what());
    }
}

}  // namespace

void run_threads(int num_ranks, const std::function<void(World&)>& body) {
    LH_CHECK(num_ranks >= 1, "{} ranks asked for", num_ranks);
    Hub hub(num_ranks);
    // Worlds outlive all threads: a rank may still read a buffer of one that has returned.
    std::vector<std::unique_ptr<World>> worlds;
    for (int rank = 0; rank < num_ranks; ++rank) {
        worlds.push_back(
            std::make_unique<World>(std::make_unique<ThreadTransport>(hub, rank, num_ranks)));
    }
    {
        std::vector<std::jthread> threads;
        for (int rank = 1; rank < num_ranks; ++rank) {
            threads.emplace_back(
                [&, rank] { run_rank(hub, *worlds[static_cast<size_t>(rank)], rank, body); });
        }
        run_rank(hub, *worlds[0], 0, body);
    }
    const auto [rank, error] = hub.failure();
    if (error == nullptr) return;
    try {
        std::rethrow_exception(error);
    } catch (const AgreedError&) {
        throw;  // not one rank's
    } catch (Error& own) {
        own.add_context(format("rank {}", rank));
        throw;
    }
}

}  // namespace longhaul::comm

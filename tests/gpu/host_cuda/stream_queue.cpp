// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/host_cuda/stream_queue.h"

#include <deque>
#include <memory>
#include <stdexcept>
#include <vector>

namespace longhaul::host_cuda {

namespace {

struct Queue {
    std::deque<std::function<void()>> work;
};

std::vector<std::unique_ptr<Queue>>& queues() {
    static std::vector<std::unique_ptr<Queue>> all;
    return all;
}

Queue& find(void* stream) {
    for (const auto& queue : queues()) {
        if (queue.get() == stream) return *queue;
    }
    throw std::logic_error("use of a stream that does not exist (destroyed?)");
}

}  // namespace

void* create_stream() {
    queues().push_back(std::make_unique<Queue>());
    return queues().back().get();
}

void destroy_stream(void* stream) {
    drain(stream);
    std::erase_if(queues(), [&](const auto& queue) { return queue.get() == stream; });
}

void enqueue(void* stream, std::function<void()> work) {
    if (stream == nullptr) {
        drain_all();
        work();
        return;
    }
    find(stream).work.push_back(std::move(work));
}

bool is_idle(void* stream) {
    return stream == nullptr || find(stream).work.empty();
}

void drain(void* stream) {
    if (stream == nullptr) return;
    Queue& queue = find(stream);
    while (!queue.work.empty()) {
        const auto work = std::move(queue.work.front());
        queue.work.pop_front();
        work();
    }
}

void drain_all() {
    for (size_t i = 0; i < queues().size(); ++i) drain(queues()[i].get());
}

}  // namespace longhaul::host_cuda

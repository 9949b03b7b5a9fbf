// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace longhaul::ckpt {

void for_each_parallel(size_t count, int threads, const std::function<void(size_t)>& work) {
    std::atomic<size_t> next{0};
    std::vector<std::exception_ptr> failures(static_cast<size_t>(std::max(1, threads)));
    {
        std::vector<std::jthread> workers;
        for (auto& failure : failures) {
            workers.emplace_back([&] {
                try {
                    for (size_t i = next++; i < count; i = next++) work(i);
                } catch (...) {
                    failure = std::current_exception();
                    next = count;
                }
            });
        }
    }
    for (const auto& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

}  // namespace longhaul::ckpt

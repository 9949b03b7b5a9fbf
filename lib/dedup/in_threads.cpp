// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/in_threads.h"

#include <exception>
#include <thread>
#include <vector>

namespace longhaul::dedup {

void in_threads(int num_parts, const std::function<void(int part)>& body) {
    std::vector<std::exception_ptr> errors(static_cast<size_t>(num_parts));
    const auto run = [&](int part) {
        try {
            body(part);
        } catch (...) {
            errors[static_cast<size_t>(part)] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int part = 1; part < num_parts; ++part) threads.emplace_back(run, part);
        if (num_parts > 0) run(0);
    }
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

}  // namespace longhaul::dedup

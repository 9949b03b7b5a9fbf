// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Streams that really defer: queued work runs when someone waits for it, as late as CUDA allows. A
// test that reads a result without waiting, or frees a buffer too early, sees it. The double of the
// CUDA runtime (tests/gpu/doubles/cudart.cpp) is built on this.

#include <functional>

namespace longhaul::host_cuda {

void* create_stream();
/// Runs what is queued, then forgets the stream.
void destroy_stream(void* stream);
/// Null is the default stream: `work` runs at once, after everything queued anywhere.
void enqueue(void* stream, std::function<void()> work);
bool is_idle(void* stream);
void drain(void* stream);
void drain_all();

}  // namespace longhaul::host_cuda

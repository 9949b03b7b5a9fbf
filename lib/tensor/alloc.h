// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory by class. The same set-up code runs twice: with a counting Alloc (nothing is reserved,
// buffers are null) and with an arena Alloc that owns one block per class of exactly the counted
// size. So `--dry-run` is exact to the byte, and no step allocates.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/tensor/dtype.h"

namespace longhaul::tensor {

/// What memory is for; the rows of the `--dry-run` table.
enum class MemoryClass : uint8_t {
    kParameter,   // weights in the type that computes
    kGradient,    // accumulated gradients
    kMaster,      // fp32 masters of bf16 weights
    kMoment,      // optimizer state: m and v
    kActivation,  // saved for the backward pass
    kTemporary,   // scratch inside a pass
    kComm,        // staging of collectives
    kHost,        // batches, tables, logs
};
inline constexpr int kNumMemoryClasses = 8;
std::string_view name_of(MemoryClass memory_class);

/// A view of `count` elements. `data` is null while counting: code under a counting Alloc must not
/// touch it. The Alloc that gave it owns the memory.
struct Buffer {
    void* data = nullptr;
    int64_t count = 0;
    DType dtype = DType::kF32;

    size_t size_bytes() const { return static_cast<size_t>(count) * size_of(dtype); }
    /// Elements [first, first + num) of it.
    Buffer part(int64_t first, int64_t num) const {
        auto* bytes = static_cast<std::byte*>(data);
        if (bytes != nullptr) bytes += static_cast<size_t>(first) * size_of(dtype);
        return {bytes, num, dtype};
    }
    template <class T>
    std::span<T> as() const {
        return {static_cast<T*>(data), data == nullptr ? 0 : static_cast<size_t>(count)};
    }
};

/// Bytes per class, alignment included.
using MemoryUsage = std::array<uint64_t, kNumMemoryClasses>;
uint64_t total_bytes(const MemoryUsage& usage);

/// Hands out buffers aligned to kAlignment; not thread-safe: one per rank, used at set-up only.
class Alloc {
 public:
    static constexpr size_t kAlignment = 64;  // a cache line, and the widest vector

    virtual ~Alloc() = default;
    /// @param what names the buffer in errors, "blocks.3 grad".
    Buffer get(MemoryClass memory_class, int64_t count, DType dtype, std::string_view what);
    /// True for the dry run: buffers are null.
    virtual bool is_counting() const = 0;
    /// What get() gave out so far.
    const MemoryUsage& used() const { return used_; }

 protected:
    /// Memory for `size_bytes` (a multiple of kAlignment) at `offset` within the class.
    virtual void* place(MemoryClass memory_class, uint64_t offset, uint64_t size_bytes,
                        std::string_view what) = 0;

 private:
    MemoryUsage used_{};
};

/// Counts only.
class CountingAlloc : public Alloc {
 public:
    bool is_counting() const override { return true; }

 private:
    void* place(MemoryClass, uint64_t, uint64_t, std::string_view) override { return nullptr; }
};

/// One zeroed block per class, reserved and touched at construction (a first step that faults pages
/// costs twice). @throws Error naming the class and size when memory is short, or when more is
/// asked for than was counted.
class ArenaAlloc : public Alloc {
 public:
    explicit ArenaAlloc(const MemoryUsage& sizes);
    bool is_counting() const override { return false; }
    const MemoryUsage& reserved() const { return sizes_; }

 private:
    struct FreeBlock {
        void operator()(std::byte* block) const noexcept;
    };
    void* place(MemoryClass memory_class, uint64_t offset, uint64_t size_bytes,
                std::string_view what) override;

    MemoryUsage sizes_;
    std::array<std::unique_ptr<std::byte, FreeBlock>, kNumMemoryClasses> blocks_;
};

}  // namespace longhaul::tensor

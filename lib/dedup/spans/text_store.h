// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The decoded texts of all documents, one behind the other in a temporary file, so that any passage
// can be read again whatever the input was compressed with.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lib/dedup/records.h"
#include "lib/dedup/stages/record_file.h"

namespace longhaul::dedup {

/// Where the text of the document `id` stands: bytes [begin, end) of the store.
struct StoredText {
    Packed48 id;
    Packed48 begin;
    Packed48 end;
};

/// Fill with add(), call finish() once, then read. Not thread-safe.
class TextStore {
 public:
    explicit TextStore(SpillArea& area) : file_(area), texts_(area) {}

    /// @param id above that of the last call. @return the place of the text's first byte.
    uint64_t add(uint64_t id, std::string_view text);
    void finish();
    uint64_t size() const { return size_; }

    /// The texts from the first on, in order; one reader at a time.
    RecordFile<StoredText>& texts() {
        texts_.rewind();
        return texts_;
    }
    void read(std::span<char> bytes, uint64_t place) const;

 private:
    SpillFile file_;
    std::string buffer_;
    uint64_t size_ = 0;
    RecordFile<StoredText> texts_;
};

/// Views of the store by places that only grow.
class TextWindow {
 public:
    /// @param bytes read at a time; no view may be longer
    TextWindow(const TextStore& store, size_t bytes);

    /// Bytes [begin, end). @param begin not below that of the last call
    std::string_view view(uint64_t begin, uint64_t end);

 private:
    const TextStore& store_;
    size_t capacity_;
    std::unique_ptr<char[]> buffer_;
    uint64_t begin_ = 0, end_ = 0;  // places of what is in the buffer
};

/// Gives the text that holds a place, for places that only grow.
class TextFinder {
 public:
    explicit TextFinder(TextStore& store) : texts_(store.texts()) {}
    const StoredText& at(uint64_t place);

 private:
    RecordFile<StoredText>& texts_;
    StoredText text_;
};

}  // namespace longhaul::dedup

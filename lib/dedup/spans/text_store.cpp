// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/text_store.h"

#include <algorithm>
#include <span>

#include "lib/base/check.h"

namespace longhaul::dedup {

namespace {
constexpr size_t kBufferBytes = 1 << 20;
}  // namespace

uint64_t TextStore::add(uint64_t id, std::string_view text) {
    const uint64_t begin = size_;
    LH_CHECK(size_ + text.size() <= kMaxId, "more than 2^48 bytes of text");
    if (buffer_.size() + text.size() > kBufferBytes) {
        file_.append(std::as_bytes(std::span(buffer_)));
        buffer_.clear();
    }
    if (text.size() > kBufferBytes) {
        file_.append(std::as_bytes(std::span(text)));
    } else {
        buffer_ += text;
    }
    size_ += text.size();
    texts_.add({Packed48(id), Packed48(begin), Packed48(size_)});
    return begin;
}

void TextStore::finish() {
    file_.append(std::as_bytes(std::span(buffer_)));
    std::string().swap(buffer_);
}

void TextStore::read(std::span<char> bytes, uint64_t place) const {
    file_.read(std::as_writable_bytes(bytes), place);
}

TextWindow::TextWindow(const TextStore& store, size_t bytes)
    : store_(store), capacity_(bytes), buffer_(std::make_unique<char[]>(bytes)) {}

std::string_view TextWindow::view(uint64_t begin, uint64_t end) {
    if (begin < begin_ || end > end_) {
        LH_CHECK(end - begin <= capacity_, "a view of {} bytes", end - begin);
        begin_ = begin;
        end_ = std::min<uint64_t>(begin + capacity_, store_.size());
        store_.read(std::span(buffer_.get(), end_ - begin_), begin_);
    }
    return {buffer_.get() + (begin - begin_), end - begin};
}

const StoredText& TextFinder::at(uint64_t place) {
    while (place >= text_.end.value()) {
        const bool is_there = texts_.next(text_);
        LH_CHECK(is_there, "place {} is behind the last text", place);
    }
    return text_;
}

}  // namespace longhaul::dedup

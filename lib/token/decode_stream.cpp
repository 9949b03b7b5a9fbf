// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/decode_stream.h"

#include <algorithm>

#include "lib/text/unicode.h"

namespace longhaul::token {

namespace {

/// Length of the longest prefix that ends with a whole character, or with bytes that never become
/// one.
size_t whole_characters(std::string_view bytes) {
    for (size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
        const auto byte = static_cast<uint8_t>(bytes[bytes.size() - back]);
        if ((byte & 0xC0) == 0x80) continue;  // inside a character
        const size_t length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        return length > back ? bytes.size() - back : bytes.size();
    }
    return bytes.size();
}

std::string as_text(std::string_view bytes) {
    uint64_t replaced = 0;
    return text::replace_invalid_utf8(bytes, replaced);
}

}  // namespace

DecodeStream::DecodeStream(const Tokenizer& tokenizer, bool skip_special,
                           std::span<const uint32_t> context)
    : tokenizer_(tokenizer), skip_special_(skip_special) {
    constexpr size_t kEnoughContext = 8;
    const auto last = context.last(std::min(context.size(), kEnoughContext));
    ids_.assign(last.begin(), last.end());
    num_given_ = ids_.size();
}

std::string DecodeStream::add(uint32_t id) {
    if (!tokenizer_.is_token(id) || (skip_special_ && tokenizer_.is_skipped(id))) return "";
    if (tokenizer_.decodes_by_bytes()) return add_bytes(id);
    ids_.push_back(id);
    const std::string before = tokenizer_.decode(std::span(ids_).first(num_given_), skip_special_);
    const std::string now = tokenizer_.decode(ids_, skip_special_);
    if (now.size() <= before.size() || now.ends_with("\uFFFD")) return "";
    // Keep the tokens of this text: the next ones are decoded behind them.
    ids_.erase(ids_.begin(), ids_.begin() + static_cast<ptrdiff_t>(num_given_));
    num_given_ = ids_.size();
    return now.substr(before.size());
}

std::string DecodeStream::add_bytes(uint32_t id) {
    pending_ += tokenizer_.decoded_piece(id);
    const size_t whole = whole_characters(pending_);
    std::string out = as_text(std::string_view(pending_).substr(0, whole));
    pending_.erase(0, whole);
    return out;
}

std::string DecodeStream::finish() {
    if (tokenizer_.decodes_by_bytes()) {
        std::string out = as_text(pending_);
        pending_.clear();
        return out;
    }
    const std::string before = tokenizer_.decode(std::span(ids_).first(num_given_), skip_special_);
    const std::string now = tokenizer_.decode(ids_, skip_special_);
    num_given_ = ids_.size();
    return now.size() > before.size() ? now.substr(before.size()) : "";
}

}  // namespace longhaul::token

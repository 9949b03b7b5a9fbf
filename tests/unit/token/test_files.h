// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reading the reference data of the tokenizer tests, plain or compressed.

#include <span>
#include <string>

#include "lib/io/stream.h"

namespace longhaul::test {

inline std::string read_all(const std::string& path) {
    const auto input = io::open_input(path);
    std::string text, block(1 << 16, '\0');
    while (const size_t got = input->read(std::as_writable_bytes(std::span(block)))) {
        text.append(block, 0, got);
    }
    return text;
}

}  // namespace longhaul::test

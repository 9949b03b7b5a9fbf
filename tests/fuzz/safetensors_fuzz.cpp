// SPDX-License-Identifier: BSD-3-Clause
// A safetensors file: first its header as it is, then what was accepted written and read again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "lib/base/error.h"
#include "lib/ckpt/safetensors.h"

using namespace longhaul;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    uint64_t length = 0;
    if (size < sizeof(length)) return 0;
    std::memcpy(&length, data, sizeof(length));
    length = std::min<uint64_t>(length, size - sizeof(length));
    const std::string_view json(reinterpret_cast<const char*>(data) + sizeof(length), length);
    ckpt::SafetensorsHeader header;
    try {
        header = ckpt::parse_safetensors(json, size, "fuzz");
    } catch (const Error&) {
        return 0;
    }
    const uint64_t bytes = header.tensors.empty() ? 0 : header.tensors.back().end;
    const std::string prefix = ckpt::safetensors_prefix(header.tensors, header.metadata);
    const auto again =
        ckpt::parse_safetensors(std::string_view(prefix).substr(8), prefix.size() + bytes, "fuzz");
    if (again.tensors != header.tensors) std::abort();
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// MANIFEST.json: the text as it is, and again with a right hash at its end, so that mutations get
// past the self hash. What is accepted must be canonical, and its cover check must not crash.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/ckpt/manifest.h"
#include "lib/ckpt/slice_index.h"

using namespace longhaul;

namespace {

void parse(const std::string& text) {
    ckpt::Manifest manifest;
    try {
        manifest = ckpt::parse_manifest(text, "fuzz");
    } catch (const Error&) {
        return;
    }
    if (ckpt::manifest_text(manifest) != text) std::abort();
    std::vector<tensor::Slice> slices;
    for (const auto& slice : manifest.slices) {
        if (slice.tensor == 0) slices.push_back(slice.slice);
    }
    if (manifest.tensors.empty()) return;
    try {
        ckpt::check_cover("fuzz", manifest.tensors[0].shape, ckpt::SliceIndex(slices));
    } catch (const Error&) {
        return;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    parse(text);
    const size_t tail = text.rfind(",\"self\":\"");
    const std::string body = text.substr(0, tail);
    parse(body + ",\"self\":\"" + xxh3_128(body).hex() + "\"}");
    return 0;
}

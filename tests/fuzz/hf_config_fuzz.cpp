// SPDX-License-Identifier: BSD-3-Clause
// Fuzzer of config.json: any bytes give a complete ModelConfig or an Error.

#include <cstdlib>
#include <string_view>

#include "lib/base/error.h"
#include "lib/model/hf_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;  // NOLINT(google-build-using-namespace): a program of one function
    try {
        const model::ModelConfig config = model::from_hf_config_json(
            std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
        if (model::complete(config) != config) std::abort();
    } catch (const Error&) {  // refused: fine
    }
    return 0;
}

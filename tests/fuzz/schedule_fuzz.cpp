// SPDX-License-Identifier: BSD-3-Clause
// A schedule's text: what parses must print to text that parses to the same, and simulating it must
// end, whatever it says.
#include <cstdlib>
#include <string_view>

#include "lib/base/error.h"
#include "lib/parallel/action.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace longhaul;
    try {
        const parallel::Schedule schedule =
            parallel::from_csv(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
        if (parallel::from_csv(parallel::to_csv(schedule), "again") != schedule) std::abort();
        const int pp = static_cast<int>(schedule.size());
        if (pp > 0) parallel::simulate(schedule, pp, pp, 2);
    } catch (const Error&) {
        return 0;
    }
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cluster/number_list.h"

#include <charconv>

namespace longhaul::cluster {

bool number_list_contains(std::string_view list, int number) {
    const char* at = list.data();
    const char* const end = at + list.size();
    while (at < end) {
        int low = 0;
        auto [stop, error] = std::from_chars(at, end, low);
        if (error != std::errc()) return false;
        int high = low;
        if (stop < end && *stop == '-') {
            const auto range = std::from_chars(stop + 1, end, high);
            if (range.ec != std::errc()) return false;
            stop = range.ptr;
        }
        if (number >= low && number <= high) return true;
        if (stop < end && *stop != ',') return false;
        at = stop + 1;
    }
    return false;
}

}  // namespace longhaul::cluster

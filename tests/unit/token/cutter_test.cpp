// SPDX-License-Identifier: BSD-3-Clause
// The cutter must give the scanner's pieces on every SIMD target that this machine has.
#include "lib/token/cutter.h"

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include <random>

#include "tests/unit/token/torture_text.h"

using namespace longhaul::token;

namespace {

std::vector<size_t> ends_by_cutter(Scheme scheme, std::string_view text) {
    const Cutter cutter(scheme);
    static Cutter::Ends room;
    std::vector<size_t> ends;
    for (size_t begin = 0; begin < text.size(); begin = ends.back()) {
        const size_t count = cutter.cut(text, begin, room);
        if (count == 0) ends.push_back(next_piece(scheme, text, begin));
        for (size_t i = 0; i < count; ++i) ends.push_back(begin + room[i]);
    }
    return ends;
}

std::vector<size_t> ends_by_scanner(Scheme scheme, std::string_view text) {
    std::vector<size_t> ends;
    for (size_t end = 0; end < text.size();) ends.push_back(end = next_piece(scheme, text, end));
    return ends;
}

void check_all_schemes(const std::string& text) {
    // In a block of its own, so that a sanitizer sees what is read beyond it.
    const std::vector<char> copy(text.begin(), text.end());
    const std::string_view view(copy.data(), copy.size());
    for (const SchemeInfo& info : known_schemes()) {
        CAPTURE(info.name);
        CAPTURE(text);
        REQUIRE(ends_by_cutter(info.scheme, view) == ends_by_scanner(info.scheme, view));
    }
}

/// Runs `check` once for every SIMD target of this machine.
template <class Check>
void on_all_targets(Check&& check) {
    for (int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
        const int64_t target = left & -left;
        CAPTURE(hwy::TargetName(target));
        hwy::SetSupportedTargetsForTest(target);
        check();
        hwy::SetSupportedTargetsForTest(0);
    }
}

}  // namespace

TEST_CASE("cutter: torture text, over the borders of blocks and windows") {
    on_all_targets([] {
        std::mt19937 random(5);
        for (int i = 0; i < 400; ++i) {
            check_all_schemes(torture_text(random, 1 + random() % (i % 20 == 0 ? 1500 : 60)));
        }
    });
}

TEST_CASE("cutter: every fragment at every place of a block, and at the end of the text") {
    std::mt19937 random(6);
    for (int i = 0; i < 60; ++i) {
        const std::string fragment = torture_text(random, 1 + random() % 4);
        for (size_t before = 50; before < 66; ++before) {
            check_all_schemes(std::string(before, 'x') + fragment);
            check_all_schemes(std::string(before, ' ') + fragment + "y");
            check_all_schemes(std::string(before, '\n') + fragment + " z");
        }
    }
}

TEST_CASE("cutter: runs longer than a window") {
    for (const std::string part : {"a", " ", "\n", "1", "!", "\t", "'", "A", "\xE4\xB8\xAD",
                                   "\xCC\x81", "\xD9\xA3", " \n", "'s", "/\n", "\xE2\x80\x83",
                                   // Cut inside by Falcon: few starts are those of characters.
                                   "\xE4\xB9\x8B", "\xC2\xB2", "12\xC2\xB2", "\xE2\x80\xB9"}) {
        std::string run;
        while (run.size() < 3 * Cutter::kWindow) run += part;
        for (const std::string after : {"", "x", " x", "\n", "\nx", "!", "5"}) {
            check_all_schemes(run + after);
            check_all_schemes("!" + run + after);
            check_all_schemes("\n" + run + after);
        }
    }
}

TEST_CASE("cutter: any bytes are cut somehow") {
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i) {
        std::vector<char> bytes(random() % 300);
        for (char& byte : bytes) byte = static_cast<char>(random());
        const std::string_view text(bytes.data(), bytes.size());
        for (const SchemeInfo& info : known_schemes()) {
            const auto ends = ends_by_cutter(info.scheme, text);
            size_t before = 0;
            for (const size_t end : ends) {
                REQUIRE(end > before);
                before = end;
            }
            REQUIRE(before == text.size());
        }
    }
}

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/regex_first.h"

namespace longhaul::token {

namespace {

using Op = Regex::Op;

ByteSet bytes_of(const CharSet& set) {
    ByteSet bytes;
    for (char32_t c = 0; c < 128; ++c) {
        if (set.contains(c)) bytes.add(static_cast<unsigned>(c));
    }
    switch (set.beyond_ascii()) {
        case CharSet::Beyond::kNothing:
            break;
        case CharSet::Beyond::kWhiteSpace:  // U+0085 to U+3000
            bytes.add(0xC2);
            bytes.add_range(0xE1, 0xE3);
            break;
        case CharSet::Beyond::kAnything:
            bytes.add_range(0x80, 0xFF);
    }
    return bytes;
}

}  // namespace

std::vector<ByteSet> first_bytes(const std::vector<Regex::Instruction>& program,
                                 const std::vector<CharSet>& sets) {
    std::vector<ByteSet> of_sets;
    of_sets.reserve(sets.size());
    for (const CharSet& set : sets) of_sets.push_back(bytes_of(set));
    ByteSet all;
    all.add_range(0, 0xFF);
    std::vector<ByteSet> first(program.size());
    // From the end, again for each loop of the program inside another.
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t pc = program.size(); pc-- > 0;) {
            const Regex::Instruction& now = program[pc];
            const auto add = [&](const ByteSet& bytes) {
                if (first[pc].add(bytes)) has_changed = true;
            };
            if (now.op == Op::kAccept) {
                add(all);
            } else if (now.op == Op::kSet || now.op == Op::kRepeat) {
                add(of_sets[now.a]);
                if (now.op == Op::kRepeat && now.min == 0) add(first[pc + 1]);
            } else if (now.op == Op::kSplit || now.op == Op::kJump || now.op == Op::kLook) {
                add(first[now.a]);  // what is looked at is not what is matched
                if (now.op == Op::kSplit) add(first[now.b]);
            } else {
                add(first[pc + 1]);
            }
        }
    }
    return first;
}

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/regex.h"

#include "lib/text/unicode.h"
#include "lib/token/regex_first.h"
#include "lib/token/regex_parser.h"

namespace longhaul::token {

namespace {

constexpr size_t kNoMatch = ~size_t{0};

/// One attempt to match a program at a position. The stack holds the choices left open; a repeat of
/// a set is one choice however long, so memory does not grow with the text.
class Matcher {
 public:
    Matcher(const std::vector<Regex::Instruction>& program, const std::vector<CharSet>& sets,
            const std::vector<ByteSet>& first, std::string_view text)
        : program_(program), sets_(sets), first_(first), text_(text), choices_(open_choices()) {}
    Matcher(const Matcher&) = delete;
    Matcher& operator=(const Matcher&) = delete;
    ~Matcher() {
        choices_.clear();
        if (choices_.capacity() > kMostKept) choices_.shrink_to_fit();
    }

    /// False when a match from `pc` on surely does not begin here.
    bool may_begin(uint32_t pc, size_t position) const {
        const ByteSet& first = first_[pc];
        return position < text_.size() ? first.contains(text_[position]) : first.is_all();
    }

    /// Runs from `pc` until an accept. @return the end of the match or kNoMatch.
    size_t run(uint32_t pc, size_t position) {
        const size_t base = choices_.size();
        for (;;) {
            const Step step = execute(pc, position);
            if (step == Step::kAccepted) {
                choices_.resize(base);
                return position;
            }
            if (step == Step::kFailed && !retry(base, pc, position)) return kNoMatch;
        }
    }

 private:
    enum class Step { kNext, kFailed, kAccepted };
    struct Choice {
        uint32_t pc;
        size_t position;
        // A repeat: greedy gives back from `position` down to `limit`; lazy takes one more at a
        // time, `count` so far.
        size_t limit = kNoMatch;
        uint32_t count = 0;
    };

    static constexpr size_t kMostKept = 4096;
    /// One stack for a thread, so that it is not allocated for every match.
    static std::vector<Choice>& open_choices() {
        thread_local std::vector<Choice> choices;
        return choices;
    }

    text::Decoded decode(size_t position) const {
        const auto byte = static_cast<uint8_t>(text_[position]);
        if (byte < 0x80) return {byte, 1, true};
        return text::decode_utf8(text_, position);
    }

    Step execute(uint32_t& pc, size_t& position) {
        using Op = Regex::Op;
        const Regex::Instruction& now = program_[pc];
        switch (now.op) {
            case Op::kAccept:
                return Step::kAccepted;
            case Op::kSet: {
                if (position >= text_.size()) return Step::kFailed;
                const text::Decoded c = decode(position);
                if (!sets_[now.a].contains(c.code_point)) return Step::kFailed;
                position += c.length;
                break;
            }
            case Op::kRepeat:
                return repeat(now, pc, position);
            case Op::kSplit:
                if (!may_begin(now.a, position)) {
                    pc = now.b;
                    return Step::kNext;
                }
                if (may_begin(now.b, position)) choices_.push_back({now.b, position});
                pc = now.a;
                return Step::kNext;
            case Op::kJump:
                pc = now.a;
                return Step::kNext;
            case Op::kLook: {
                const bool matched = run(pc + 1, position) != kNoMatch;
                if (matched == (now.b != 0)) return Step::kFailed;
                pc = now.a;
                return Step::kNext;
            }
            case Op::kAtomic: {
                const size_t end = run(pc + 1, position);
                if (end == kNoMatch) return Step::kFailed;
                position = end;
                pc = now.a;
                return Step::kNext;
            }
            default:
                if (!assertion(now, position)) return Step::kFailed;
        }
        ++pc;
        return Step::kNext;
    }

    bool assertion(const Regex::Instruction& now, size_t position) const {
        switch (now.op) {
            case Regex::Op::kTextBegin:
                return position == 0;
            case Regex::Op::kTextEnd:
                return position == text_.size();
            case Regex::Op::kLineBegin:
                return position == 0 || text_[position - 1] == '\n';
            case Regex::Op::kLineEnd:
                return position == text_.size() || text_[position] == '\n';
            default:
                break;
        }
        const bool inside =
            position > 0 && sets_[now.a].contains(decode(previous(position)).code_point);
        return inside != (now.b != 0);
    }

    Step repeat(const Regex::Instruction& now, uint32_t& pc, size_t& position) {
        const bool is_lazy = now.mode == Regex::Mode::kLazy;
        const uint32_t wanted = is_lazy ? now.min : now.max;
        uint32_t count = 0;
        size_t after_min = position;
        while (count < wanted && take_one(now, position)) {
            if (++count == now.min) after_min = position;
        }
        if (count < now.min) return Step::kFailed;
        if (is_lazy && count < now.max) choices_.push_back({pc, position, position, count});
        if (now.mode == Regex::Mode::kGreedy && position > after_min) {
            choices_.push_back({pc, position, after_min, count});
        }
        ++pc;
        return Step::kNext;
    }

    bool take_one(const Regex::Instruction& now, size_t& position) const {
        if (position >= text_.size()) return false;
        const text::Decoded c = decode(position);
        if (!sets_[now.a].contains(c.code_point)) return false;
        position += c.length;
        return true;
    }

    /// Start of the character before `position`, by the same rules as forward decoding.
    size_t previous(size_t position) const {
        size_t begin = position - 1;
        while (begin > 0 && position - begin < 4 && (text_[begin] & 0xC0) == 0x80) --begin;
        return begin + decode(begin).length == position ? begin : position - 1;
    }

    /// Takes the last open choice. @return false when none is left above `base`.
    bool retry(size_t base, uint32_t& pc, size_t& position) {
        while (choices_.size() > base) {
            Choice& choice = choices_.back();
            if (choice.limit == kNoMatch) {
                pc = choice.pc;
                position = choice.position;
                choices_.pop_back();
                return true;
            }
            const Regex::Instruction& now = program_[choice.pc];
            if (now.mode == Regex::Mode::kGreedy) {
                choice.position = previous(choice.position);
            } else if (choice.count >= now.max || !take_one(now, choice.position)) {
                choices_.pop_back();
                continue;
            }
            ++choice.count;
            pc = choice.pc + 1;
            position = choice.position;
            if (now.mode == Regex::Mode::kGreedy && position <= choice.limit) choices_.pop_back();
            return true;
        }
        return false;
    }

    const std::vector<Regex::Instruction>& program_;
    const std::vector<CharSet>& sets_;
    const std::vector<ByteSet>& first_;
    std::string_view text_;
    std::vector<Choice>& choices_;
};

/// True when nothing follows the instruction: what it took need never be given back.
bool is_last(const std::vector<Regex::Instruction>& program, size_t pc) {
    ++pc;
    while (program[pc].op == Regex::Op::kJump && program[pc].a > pc) pc = program[pc].a;
    return program[pc].op == Regex::Op::kAccept;
}

}  // namespace

Regex::Regex(std::string_view pattern) {
    RegexParser(pattern, program_, sets_).parse();
    first_ = first_bytes(program_, sets_);
    for (size_t pc = 0; pc < program_.size(); ++pc) {
        Instruction& now = program_[pc];
        const bool is_greedy = now.op == Op::kRepeat && now.mode == Mode::kGreedy;
        if (is_greedy && is_last(program_, pc)) now.mode = Mode::kPossessive;
    }
}

std::optional<size_t> Regex::match_at(std::string_view text, size_t at) const {
    Matcher matcher(program_, sets_, first_, text);
    const size_t end = matcher.run(0, at);
    if (end == kNoMatch) return std::nullopt;
    return end - at;
}

std::optional<Regex::Match> Regex::find(std::string_view text, size_t from) const {
    Matcher matcher(program_, sets_, first_, text);
    for (size_t at = from; at <= text.size();) {
        // Byte for byte: continuation bytes are in the set only if all lead bytes are.
        while (at < text.size() && !matcher.may_begin(0, at)) ++at;
        if (at == text.size() && !matcher.may_begin(0, at)) break;
        const size_t end = matcher.run(0, at);
        if (end != kNoMatch) return Match{at, end};
        at += at < text.size() ? text::decode_utf8(text, at).length : 1;
    }
    return std::nullopt;
}

}  // namespace longhaul::token

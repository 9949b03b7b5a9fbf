// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/regex_parser.h"

#include <algorithm>

#include "lib/base/error.h"

namespace longhaul::token {

namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxProgram = 20000;
constexpr uint32_t kMaxRepeat = 1000;

using Op = Regex::Op;

/// Appends `code`, moving its jump targets.
void append(std::vector<Regex::Instruction>& out, const std::vector<Regex::Instruction>& code) {
    const auto base = static_cast<uint32_t>(out.size());
    for (Regex::Instruction instruction : code) {
        const bool jumps = instruction.op == Op::kSplit || instruction.op == Op::kJump ||
                           instruction.op == Op::kLook || instruction.op == Op::kAtomic;
        if (jumps) instruction.a += base;
        if (instruction.op == Op::kSplit) instruction.b += base;
        out.push_back(instruction);
    }
}

uint32_t size_of(const std::vector<Regex::Instruction>& code) {
    return static_cast<uint32_t>(code.size());
}

}  // namespace

RegexParser::RegexParser(std::string_view pattern, std::vector<Instruction>& program,
                         std::vector<CharSet>& sets)
    : program_(program), sets_(sets) {
    for (size_t i = 0; i < pattern.size();) {
        const text::Decoded decoded = text::decode_utf8(pattern, i);
        if (!decoded.is_valid) throw DataError("pattern: invalid UTF-8");
        pattern_.push_back(decoded.code_point);
        i += decoded.length;
    }
}

void RegexParser::fail(const std::string& what) const {
    throw DataError(format("pattern: character {}: {}", position_ + 1, what));
}

bool RegexParser::take(std::u32string_view text) {
    if (pattern_.compare(position_, text.size(), text) != 0) return false;
    position_ += text.size();
    return true;
}

void RegexParser::parse() {
    Part whole = parse_alternatives();
    if (!at_end()) fail("\")\" without \"(\"");
    program_ = std::move(whole.code);
    program_.push_back({});
    for (CharSet& set : sets_) set.finish();
}

RegexParser::Part RegexParser::parse_alternatives() {
    if (++depth_ > kMaxDepth) fail("groups nested too deeply");
    const bool outer_case = ignores_case_;
    std::vector<Part> parts;
    do {
        parts.push_back(parse_sequence());
    } while (take(U"|"));
    ignores_case_ = outer_case;
    --depth_;
    Part result = std::move(parts.back());
    for (size_t i = parts.size() - 1; i-- > 0;) {  // split(first, rest); first; jump end; rest
        Part& first = parts[i];
        Code code;
        code.push_back({Op::kSplit, {}, 1, size_of(first.code) + 2});
        append(code, first.code);
        code.push_back({Op::kJump, {}, size_of(code) + 1 + size_of(result.code)});
        append(code, result.code);
        result = {std::move(code), first.can_be_empty || result.can_be_empty, false};
    }
    if (size_of(result.code) > kMaxProgram) fail("the pattern is too large");
    return result;
}

RegexParser::Part RegexParser::parse_sequence() {
    Part sequence{{}, true, false};
    size_t num_parts = 0;
    while (!at_end() && peek() != U'|' && peek() != U')') {
        Part part = parse_atom();
        Quantifier quantifier;
        if (parse_quantifier(quantifier)) part = repeat(std::move(part), quantifier);
        sequence.can_be_empty = sequence.can_be_empty && part.can_be_empty;
        sequence.is_single_set = num_parts++ == 0 && part.is_single_set;
        append(sequence.code, part.code);
        if (size_of(sequence.code) > kMaxProgram) fail("the pattern is too large");
    }
    return sequence;
}

RegexParser::Part RegexParser::instruction(Op op) {
    return {{{op}}, true, false};
}

RegexParser::Part RegexParser::set_part(CharSet set) {
    if (ignores_case_) set.ignore_case();
    sets_.push_back(std::move(set));
    return {{{Op::kSet, {}, static_cast<uint32_t>(sets_.size() - 1)}}, false, true};
}

RegexParser::Part RegexParser::literal(char32_t c) {
    if (ignores_case_ && c >= 128) fail("a letter outside ASCII where case is ignored");
    CharSet set;
    set.add_range(c, c);
    return set_part(std::move(set));
}

RegexParser::Part RegexParser::parse_atom() {
    const char32_t c = peek();
    if (c == U'(') return parse_group();
    if (c == U'[') return set_part(parse_class());
    if (c == U'\\') return parse_escape();
    if (c == U'*' || c == U'+' || c == U'?') fail("a quantifier without anything before it");
    ++position_;
    if (c == U'^') return instruction(Op::kLineBegin);
    if (c == U'$') return instruction(Op::kLineEnd);
    if (c == U'.') {
        CharSet set;
        set.add_range(U'\n', U'\n');
        set.negate();
        return set_part(std::move(set));
    }
    return literal(c);
}

RegexParser::Part RegexParser::parse_group() {
    const size_t begin = position_;
    if (take(U"(?<=")) return parse_look(true, false);
    if (take(U"(?<!")) return parse_look(true, true);
    if (take(U"(?=")) return parse_look(false, false);
    if (take(U"(?!")) return parse_look(false, true);
    if (take(U"(?i)")) {
        ignores_case_ = true;
        return {{}, true, false};
    }
    const bool is_atomic = take(U"(?>"), sets_case = !is_atomic && take(U"(?i:");
    const bool is_plain = !is_atomic && !sets_case && (take(U"(?:") || peek(1) != U'?');
    if (!is_atomic && !sets_case && !is_plain) fail("this kind of group \"(?\" is not supported");
    if (pattern_[begin + 1] != U'?') ++position_;  // "("
    const bool outer_case = ignores_case_;
    ignores_case_ = ignores_case_ || sets_case;
    Part part = parse_alternatives();
    ignores_case_ = outer_case;
    if (!take(U")")) fail("\")\" is missing");
    if (!is_atomic) return part;
    Code code{{Op::kAtomic, {}, size_of(part.code) + 2}};
    append(code, part.code);
    code.push_back({});
    return {std::move(code), part.can_be_empty, false};
}

RegexParser::Part RegexParser::parse_look(bool is_behind, bool is_negated) {
    Part part = parse_alternatives();
    if (!take(U")")) fail("\")\" is missing");
    const uint32_t negated = is_negated ? 1 : 0;
    if (is_behind) {
        if (!part.is_single_set || part.code[0].op != Op::kSet) {
            fail("look-behind of more than one character is not supported");
        }
        return {{{Op::kLookBehind, {}, part.code[0].a, negated}}, true, false};
    }
    Code code{{Op::kLook, {}, size_of(part.code) + 2, negated}};
    append(code, part.code);
    code.push_back({});
    return {std::move(code), true, false};
}

RegexParser::Part RegexParser::parse_escape() {
    if (take(U"\\A")) return instruction(Op::kTextBegin);
    if (take(U"\\z")) return instruction(Op::kTextEnd);
    CharSet set;
    ++position_;
    if (const auto c = parse_escape_into(set)) return literal(*c);
    return set_part(std::move(set));
}

std::optional<char32_t> RegexParser::parse_escape_into(CharSet& set) {
    if (at_end()) fail("\"\\\" at the end");
    const char32_t c = pattern_[position_++];
    CharSet named;
    switch (c) {
        case U'r':
            return U'\r';
        case U'n':
            return U'\n';
        case U't':
            return U'\t';
        case U'f':
            return U'\f';
        case U'v':
            return U'\v';
        case U'x':
            return parse_hex(2);
        case U'u':
            return parse_hex(4);
        case U'p':
        case U'P':
            parse_property(set, c == U'P');
            return std::nullopt;
        case U'd':
        case U'D':
            named.add_property("Nd");
            break;
        case U's':
        case U'S':
            named.add_white_space();
            break;
        case U'w':
        case U'W':
            named.add_word();
            break;
        default:
            if ((c < 128 && std::isalnum(static_cast<int>(c))) || c >= 128) {
                fail(format("\"\\{}\" is not supported", static_cast<char>(c < 128 ? c : '?')));
            }
            return c;
    }
    if (c == U'D' || c == U'S' || c == U'W') named.negate();
    set.add_nested(std::move(named));
    return std::nullopt;
}

void RegexParser::parse_property(CharSet& set, bool is_negated) {
    std::string name;
    if (take(U"{")) {
        if (take(U"^")) is_negated = !is_negated;
        while (!at_end() && peek() != U'}') text::append_utf8(pattern_[position_++], name);
        if (!take(U"}")) fail("\"}\" is missing");
    } else if (!at_end()) {
        text::append_utf8(pattern_[position_++], name);
    }
    CharSet named;
    if (!named.add_property(name)) fail("\"\\p{" + name + "}\" is not supported");
    if (is_negated) named.negate();
    set.add_nested(std::move(named));
}

char32_t RegexParser::parse_hex(size_t digits) {
    const bool has_braces = take(U"{");
    char32_t value = 0;
    size_t count = 0;
    while (!at_end() && count < (has_braces ? 6 : digits)) {
        const char32_t c = peek();
        const bool is_digit = c >= U'0' && c <= U'9';
        const char32_t letter = c | 32;
        if (!is_digit && (letter < U'a' || letter > U'f')) break;
        value = value * 16 + (is_digit ? c - U'0' : letter - U'a' + 10);
        ++position_;
        ++count;
    }
    if (count == 0 || (!has_braces && count != digits)) fail("hexadecimal digits are missing");
    if (has_braces && !take(U"}")) fail("\"}\" is missing");
    if (value >= 0x110000) fail("no such character");
    return value;
}

CharSet RegexParser::parse_class() {
    if (++depth_ > kMaxDepth) fail("classes nested too deeply");
    ++position_;  // "["
    CharSet set;
    std::vector<CharSet> operands;
    const bool is_negated = take(U"^");
    bool is_first = true;
    while (is_first || peek() != U']') {
        if (at_end()) fail("\"]\" is missing");
        is_first = false;
        if (take(U"&&")) {
            operands.push_back(std::exchange(set, CharSet()));
            continue;
        }
        const auto low = parse_class_item(set);
        if (!low) continue;
        char32_t high = *low;
        if (peek() == U'-' && peek(1) != U']' && position_ + 1 < pattern_.size()) {
            ++position_;
            const auto end = parse_class_item(set);
            if (!end || *end < *low) fail("not a range of characters");
            high = *end;
        }
        if (ignores_case_ && high >= 128) fail("a letter outside ASCII where case is ignored");
        set.add_range(*low, high);
    }
    ++position_;  // "]"
    for (CharSet& operand : operands) set.intersect(std::move(operand));
    if (is_negated) set.negate();
    --depth_;
    return set;
}

std::optional<char32_t> RegexParser::parse_class_item(CharSet& set) {
    if (at_end()) fail("\"]\" is missing");
    if (pattern_.compare(position_, 2, U"[:") == 0) fail("\"[:name:]\" is not supported");
    if (peek() == U'[') {
        set.add_nested(parse_class());
        return std::nullopt;
    }
    const char32_t c = pattern_[position_++];
    if (c != U'\\') return c;
    return parse_escape_into(set);
}

bool RegexParser::parse_number(uint32_t& value) {
    const size_t begin = position_;
    value = 0;
    while (peek() >= U'0' && peek() <= U'9') {
        value = std::min(value * 10 + (peek() - U'0'), kMaxRepeat + 1);
        ++position_;
    }
    return position_ != begin;
}

bool RegexParser::parse_braces(Quantifier& quantifier) {
    const size_t begin = position_++;
    const bool has_min = parse_number(quantifier.min);
    quantifier.max = quantifier.min;
    bool has_max = false;
    const bool has_comma = take(U",");
    if (has_comma) has_max = parse_number(quantifier.max);
    if ((!has_min && !has_max) || !take(U"}")) {  // a literal brace
        position_ = begin;
        return false;
    }
    if (!has_min) quantifier.min = 0;
    if (has_comma && !has_max) quantifier.max = Regex::kUnlimited;
    const bool is_large = quantifier.max != Regex::kUnlimited && quantifier.max > kMaxRepeat;
    if (is_large || quantifier.min > kMaxRepeat || quantifier.min > quantifier.max) {
        fail("repeat counts must be 0 to 1000 in order");
    }
    return true;
}

bool RegexParser::parse_quantifier(Quantifier& quantifier) {
    if (take(U"*")) {
        quantifier = {0, Regex::kUnlimited};
    } else if (take(U"+")) {
        quantifier = {1, Regex::kUnlimited};
    } else if (take(U"?")) {
        quantifier = {0, 1};
    } else if (peek() != U'{' || !parse_braces(quantifier)) {
        return false;
    }
    if (take(U"?")) {
        quantifier.mode = Regex::Mode::kLazy;
    } else if (take(U"+")) {
        quantifier.mode = Regex::Mode::kPossessive;
    }
    if (peek() == U'*' || peek() == U'+' || peek() == U'?') fail("two quantifiers in a row");
    return true;
}

RegexParser::Part RegexParser::repeat(Part part, const Quantifier& quantifier) {
    const bool can_be_empty = part.can_be_empty || quantifier.min == 0;
    if (part.is_single_set && part.code[0].op == Op::kSet) {
        part.code[0] = {Op::kRepeat, quantifier.mode, part.code[0].a,
                        0,           quantifier.min,  quantifier.max};
        return {std::move(part.code), can_be_empty, false};
    }
    const bool is_unlimited = quantifier.max == Regex::kUnlimited;
    if (is_unlimited && part.can_be_empty) fail("repeats something that can match nothing");
    const uint32_t copies = is_unlimited ? quantifier.min : quantifier.max;
    if (size_t{copies + 1} * (part.code.size() + 2) > kMaxProgram) fail("the pattern is too large");
    const bool is_lazy = quantifier.mode == Regex::Mode::kLazy;
    const auto split = [&](uint32_t body, uint32_t after) -> Instruction {
        return {Op::kSplit, {}, is_lazy ? after : body, is_lazy ? body : after};
    };
    Code code;
    for (uint32_t i = 0; i < quantifier.min; ++i) append(code, part.code);
    const uint32_t length = size_of(part.code), begin = size_of(code);
    if (is_unlimited) {  // loop: split(body, end); body; jump loop
        code.push_back(split(begin + 1, begin + length + 2));
        append(code, part.code);
        code.push_back({Op::kJump, {}, begin});
    } else {
        const uint32_t optional = quantifier.max - quantifier.min;
        for (uint32_t i = 0; i < optional; ++i) {
            code.push_back(split(size_of(code) + 1, begin + optional * (length + 1)));
            append(code, part.code);
        }
    }
    if (quantifier.mode != Regex::Mode::kPossessive) return {std::move(code), can_be_empty, false};
    Code atomic{{Op::kAtomic, {}, size_of(code) + 2}};
    append(atomic, code);
    atomic.push_back({});
    return {std::move(atomic), can_be_empty, false};
}

}  // namespace longhaul::token

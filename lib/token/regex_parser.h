// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Turns the text of a pattern into a program for lib/token/regex.cpp.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/regex.h"

namespace longhaul::token {

/// Parses by recursive descent and emits instructions directly.
class RegexParser {
 public:
    RegexParser(std::string_view pattern, std::vector<Regex::Instruction>& program,
                std::vector<CharSet>& sets);
    void parse();

 private:
    using Instruction = Regex::Instruction;
    using Code = std::vector<Instruction>;  // jump targets are relative to its begin
    /// A parsed part: its code, and what quantifiers need to know.
    struct Part {
        Code code;
        bool can_be_empty = false;
        bool is_single_set = false;
    };
    struct Quantifier {
        uint32_t min = 1, max = 1;
        Regex::Mode mode = Regex::Mode::kGreedy;
    };

    Part parse_alternatives();
    Part parse_sequence();
    Part parse_atom();
    Part parse_group();
    Part parse_look(bool is_behind, bool is_negated);
    Part parse_escape();
    CharSet parse_class();
    /// One item of a class: a character (returned) or a set (added).
    std::optional<char32_t> parse_class_item(CharSet& set);
    std::optional<char32_t> parse_escape_into(CharSet& set);
    void parse_property(CharSet& set, bool is_negated);
    char32_t parse_hex(size_t digits);
    bool parse_quantifier(Quantifier& quantifier);
    bool parse_braces(Quantifier& quantifier);
    bool parse_number(uint32_t& value);

    Part repeat(Part part, const Quantifier& quantifier);
    Part set_part(CharSet set);
    Part literal(char32_t c);
    static Part instruction(Regex::Op op);

    char32_t peek(size_t ahead = 0) const {
        return position_ + ahead < pattern_.size() ? pattern_[position_ + ahead] : 0;
    }
    bool at_end() const { return position_ >= pattern_.size(); }
    bool take(std::u32string_view text);
    [[noreturn]] void fail(const std::string& what) const;

    std::u32string pattern_;
    size_t position_ = 0;
    int depth_ = 0;
    bool ignores_case_ = false;
    std::vector<Instruction>& program_;
    std::vector<CharSet>& sets_;
};

}  // namespace longhaul::token

// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cluster/hostlist.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <set>
#include <tuple>

#include "lib/base/error.h"

namespace longhaul::cluster {
namespace {

constexpr size_t kMaxDigits = 18;  // of a number in a name: fits an uint64_t with room to count

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Letters that a host name can not hold but that a broken list often does.
bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
}

uint64_t to_number(std::string_view digits) {
    uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

std::string padded(uint64_t number, size_t width) {
    std::string digits = std::to_string(number);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return digits;
}

/// Reads a list from left to right.
class Parser {
 public:
    explicit Parser(std::string_view text) : text_(text) {}

    std::vector<std::string> parse() {
        std::vector<std::string> hosts;
        if (text_.empty()) return hosts;
        do {
            std::vector<std::string> more = name();
            check_count(hosts.size(), more.size());
            hosts.insert(hosts.end(), more.begin(), more.end());
        } while (accept(','));
        if (at_ < text_.size()) fail(format("unexpected '{}'", text_[at_]));
        return hosts;
    }

 private:
    [[noreturn]] void fail(const std::string& what) const {
        throw ClusterError(
            format("host list \"{}\": column {}: {}", text_.substr(0, 200), at_ + 1, what));
    }

    bool accept(char c) {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    /// Before anything is built: a mistyped range must cost nothing.
    void check_count(uint64_t there, uint64_t more) const {
        if (there + more > kMaxHosts) fail(format("more than {} hosts", kMaxHosts));
    }

    /// One name with any number of brackets: all names it stands for.
    std::vector<std::string> name() {
        const size_t start = at_;
        std::vector<std::string> names{""};
        while (at_ < text_.size() && text_[at_] != ',') {
            if (accept('[')) {
                names = product(names, ranges());
            } else if (is_name_character(text_[at_])) {
                for (std::string& name : names) name += text_[at_];
                ++at_;
            } else {
                fail(format("unexpected '{}'", text_[at_]));
            }
        }
        if (at_ == start) fail("a host name is missing");
        return names;
    }

    std::vector<std::string> product(const std::vector<std::string>& heads,
                                     const std::vector<std::string>& tails) const {
        check_count(0, uint64_t{heads.size()} * tails.size());
        std::vector<std::string> names;
        for (const std::string& head : heads) {
            for (const std::string& tail : tails) names.push_back(head + tail);
        }
        return names;
    }

    /// "01-03,7]": the text after an opening bracket.
    std::vector<std::string> ranges() {
        std::vector<std::string> numbers;
        do {
            const std::string_view low = digits();
            const std::string_view high = accept('-') ? digits() : low;
            const uint64_t first = to_number(low), last = to_number(high);
            if (last < first) fail(format("range {}-{} runs backwards", low, high));
            check_count(numbers.size(), last - first + 1);
            for (uint64_t n = first; n <= last; ++n) numbers.push_back(padded(n, low.size()));
        } while (accept(','));
        if (!accept(']')) fail("']' is missing");
        return numbers;
    }

    std::string_view digits() {
        const size_t start = at_;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
        if (at_ == start) fail("a number is missing");
        if (at_ - start > kMaxDigits) fail("the number is too long");
        return text_.substr(start, at_ - start);
    }

    std::string_view text_;
    size_t at_ = 0;
};

/// A host name cut before its last run of digits, if it ends in one.
struct SplitName {
    std::string prefix;
    bool has_number = false;
    size_t width = 0;  // digits as written
    uint64_t number = 0;

    auto key() const { return std::tie(prefix, has_number, width, number); }
};

SplitName split(const std::string& host) {
    size_t begin = host.size();
    while (begin > 0 && is_digit(host[begin - 1])) --begin;
    const size_t width = host.size() - begin;
    if (width == 0 || width > kMaxDigits) return {host, false, 0, 0};
    return {host.substr(0, begin), true, width, to_number(std::string_view(host).substr(begin))};
}

/// Sorted by prefix; numbers with leading zeros before those without, then by value.
bool comes_before(const SplitName& a, const SplitName& b) {
    const auto is_padded = [](const SplitName& name) {
        return name.has_number && std::to_string(name.number).size() < name.width;
    };
    return std::make_tuple(a.prefix, a.has_number, !is_padded(a), is_padded(a) ? a.width : 0,
                           a.number, a.width) <
           std::make_tuple(b.prefix, b.has_number, !is_padded(b), is_padded(b) ? b.width : 0,
                           b.number, b.width);
}

/// The longest range that starts at `begin`: consecutive numbers written with its width.
size_t range_end(const std::vector<SplitName>& names, size_t begin) {
    size_t end = begin + 1;
    while (end < names.size() && names[end].prefix == names[begin].prefix &&
           names[end].has_number && names[end].number == names[end - 1].number + 1 &&
           padded(names[end].number, names[begin].width).size() == names[end].width) {
        ++end;
    }
    return end;
}

std::string range_text(const SplitName& first, const SplitName& last) {
    const std::string low = padded(first.number, first.width);
    return first.number == last.number ? low : low + "-" + padded(last.number, last.width);
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view list) {
    return Parser(list).parse();
}

std::string compress_hostlist(const std::vector<std::string>& hosts) {
    const std::set<std::string> unique(hosts.begin(), hosts.end());
    std::vector<SplitName> names;
    for (const std::string& host : unique) names.push_back(split(host));
    std::sort(names.begin(), names.end(), comes_before);

    std::string text;
    for (size_t i = 0; i < names.size();) {
        const std::string& prefix = names[i].prefix;
        if (!text.empty()) text += ',';
        if (!names[i].has_number) {
            text += names[i++].prefix;
            continue;
        }
        std::string ranges;
        size_t count = 0;
        while (i < names.size() && names[i].has_number && names[i].prefix == prefix) {
            const size_t end = range_end(names, i);
            ranges += (ranges.empty() ? "" : ",") + range_text(names[i], names[end - 1]);
            count += end - i;
            i = end;
        }
        text += prefix + (count == 1 ? ranges : "[" + ranges + "]");
    }
    return text;
}

std::vector<std::string> without_hosts(const std::vector<std::string>& list,
                                       const std::vector<std::string>& removed) {
    std::vector<std::string> left;
    for (const std::string& host : list) {
        if (std::find(removed.begin(), removed.end(), host) == removed.end()) left.push_back(host);
    }
    return left;
}

std::string union_of_hostlists(std::string_view one, std::string_view other) {
    std::vector<std::string> hosts = expand_hostlist(one);
    for (std::string& host : expand_hostlist(other)) hosts.push_back(std::move(host));
    return compress_hostlist(hosts);
}

}  // namespace longhaul::cluster
